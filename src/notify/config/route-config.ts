/** `route:` and `inhibit_rules:` of the configuration. */
import { MatcherTextError, compileMatchers, parseMatchers, sortMatchers } from '../../model/matcher-text.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import type { InhibitRule } from '../inhibitor.ts'
import type { RouteSpec } from '../route.ts'
import {
  duration,
  flag,
  listOf,
  or,
  pairsOf,
  placed,
  record,
  text,
  type Kind,
  type Pair,
  type Reading,
} from './fields.ts'

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

const matchers: Kind<readonly Matcher[]> = (reading, node, what, at) =>
  listOf(placed)(reading, node, what, at)?.flatMap((line) => {
    try {
      return parseMatchers(line.text)
    } catch (thrown) {
      if (!(thrown instanceof MatcherTextError)) throw thrown
      reading.reader.error(line, `bad matcher: ${thrown.message}`, 'write it like severity="critical"')
      return []
    }
  })

/** The old form: a mapping of names to values, or to patterns. */
function matchPairs(op: '=' | '=~'): Kind<readonly Matcher[]> {
  return (reading, node, what, at) =>
    pairsOf(text)(reading, node, what, at)?.flatMap((pair) => {
      // The pattern alone first, so that an error is about what was written; then with the anchors that group keys have.
      if (!isUsable(reading, { name: pair.name, op, value: pair.value }, pair)) return []
      return [{ name: pair.name, op, value: op === '=' ? pair.value : `^(?:${pair.value})$` }]
    })
}

function isUsable({ reader }: Reading, matcher: Matcher, { at }: Pair<string>): boolean {
  if (!LABEL_NAME.test(matcher.name)) {
    reader.error(at, `${JSON.stringify(matcher.name)} is not a label name`)
    return false
  }
  try {
    compileMatchers([matcher])
    return true
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    reader.error(at, `bad pattern: ${thrown.message}`)
    return false
  }
}

const groupBy: Kind<readonly string[] | 'all'> = (reading, node, what, at) => {
  const names = listOf(placed)(reading, node, what, at) ?? []
  const seen = new Set<string>()
  for (const name of names) {
    if (name.text === '') reading.reader.error(name, 'a label name is empty')
    if (seen.has(name.text)) reading.reader.error(name, `${JSON.stringify(name.text)} is in group_by twice`)
    seen.add(name.text)
    if (name.text === '...' && names.length > 1)
      reading.reader.error(name, '... means all labels, and excludes other names')
  }
  if (seen.has('...')) return 'all'
  return seen.size === 0 ? undefined : [...seen]
}

const ROUTE = {
  receiver: text,
  group_by: groupBy,
  group_wait: duration,
  group_interval: duration,
  repeat_interval: duration,
  match: or(matchPairs('='), []),
  match_re: or(matchPairs('=~'), []),
  matchers: or(matchers, []),
  continue: or(flag, false),
  mute_time_intervals: or(listOf(text), []),
  active_time_intervals: or(listOf(text), []),
}

/** A route with the positions for the checks against the rest of the file. */
export interface PlacedRoute extends RouteSpec {
  readonly routes: readonly PlacedRoute[]
  readonly at: (key: keyof typeof ROUTE) => Range
}

/** Depth of nested routes. */
const DEPTH_MAX = 100

export const route: Kind<PlacedRoute> = routeAt(0)

function routeAt(depth: number): Kind<PlacedRoute> {
  return (reading, node, what, at) => {
    if (depth > DEPTH_MAX) {
      reading.reader.error(at, `routes are nested deeper than ${DEPTH_MAX}`)
      return undefined
    }
    const kinds = { ...ROUTE, routes: or(listOf(routeAt(depth + 1)), []) }
    return record(kinds, (values, { at: keyAt, fault }) => {
      const { groupInterval: groupIntervalMs, repeatInterval: repeatIntervalMs } = values
      if (groupIntervalMs === 0) fault('group_interval', 'group_interval cannot be 0')
      if (repeatIntervalMs === 0) fault('repeat_interval', 'repeat_interval cannot be 0')
      return {
        receiver: values.receiver === '' ? undefined : values.receiver,
        groupBy: values.groupBy,
        groupWaitMs: values.groupWait,
        groupIntervalMs,
        repeatIntervalMs,
        matchers: [...values.match, ...values.matchRe, ...values.matchers],
        continues: values.continue,
        muteTimeIntervals: values.muteTimeIntervals,
        activeTimeIntervals: values.activeTimeIntervals,
        routes: values.routes,
        at: keyAt,
      }
    })(reading, node, what, at)
  }
}

export const inhibitRule: Kind<InhibitRule> = record(
  {
    name: text,
    source_match: or(matchPairs('='), []),
    source_match_re: or(matchPairs('=~'), []),
    source_matchers: or(matchers, []),
    target_match: or(matchPairs('='), []),
    target_match_re: or(matchPairs('=~'), []),
    target_matchers: or(matchers, []),
    equal: or(listOf(text), []),
  },
  ({ sourceMatch, sourceMatchRe, sourceMatchers, targetMatch, targetMatchRe, targetMatchers, equal }) => ({
    sourceMatchers: sortMatchers([...sourceMatch, ...sourceMatchRe, ...sourceMatchers]),
    targetMatchers: sortMatchers([...targetMatch, ...targetMatchRe, ...targetMatchers]),
    equal,
  }),
)
