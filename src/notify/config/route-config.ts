/** `route:` and `inhibit_rules:` of the configuration. */
import { MatcherTextError, compileMatchers, parseMatchers, sortMatchers } from '../../model/matcher-text.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import type { InhibitRule } from '../inhibitor.ts'
import type { RouteSpec } from '../route.ts'
import { duration, flag, listOf, pairsOf, placed, record, text, type Kind, type Pair, type Reading } from './fields.ts'

/** A route with the places of what is checked against the rest of the file. */
export interface PlacedRoute {
  readonly spec: Omit<RouteSpec, 'routes'>
  readonly routes: readonly PlacedRoute[]
  readonly at: (key: RouteKey) => Range
}

type RouteKey = 'receiver' | 'matchers' | 'match' | 'match_re' | 'continue' | IntervalKey
type IntervalKey = 'mute_time_intervals' | 'active_time_intervals'

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

export const matchers: Kind<readonly Matcher[]> = {
  read: (reading, node, what, at) =>
    listOf(placed)
      .read(reading, node, what, at)
      ?.flatMap((line) => {
        try {
          return parseMatchers(line.text)
        } catch (thrown) {
          if (!(thrown instanceof MatcherTextError)) throw thrown
          reading.reader.error(line, `bad matcher: ${thrown.message}`, 'write it like severity="critical"')
          return []
        }
      }),
}

/** The old form: a mapping of names to values, or to patterns. */
function matchPairs(op: '=' | '=~'): Kind<readonly Matcher[]> {
  const pairs = pairsOf(text)
  return {
    read: (reading, node, what, at) =>
      pairs.read(reading, node, what, at)?.flatMap((pair) => {
        // The pattern alone first, so that a fault is about what was written; then with the anchors that group keys have.
        if (!isUsable(reading, { name: pair.name, op, value: pair.value }, pair)) return []
        return [{ name: pair.name, op, value: op === '=' ? pair.value : `^(?:${pair.value})$` }]
      }),
  }
}

function isUsable({ reader }: Reading, matcher: Matcher, { at }: Pair<string>): boolean {
  if (!LABEL_NAME.test(matcher.name)) {
    reader.error(at, `${JSON.stringify(matcher.name)} is no label name`)
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

const groupBy: Kind<readonly string[] | 'all' | undefined> = {
  read: (reading, node, what, at) => {
    const names = listOf(placed).read(reading, node, what, at)
    if (names === undefined) return undefined
    const seen = new Set<string>()
    for (const name of names) {
      if (name.text === '') reading.reader.error(name, 'a label name is empty')
      if (seen.has(name.text)) reading.reader.error(name, `${JSON.stringify(name.text)} stands in group_by twice`)
      seen.add(name.text)
      if (name.text === '...' && names.length > 1) {
        reading.reader.error(name, '... means all labels, and stands alone')
      }
    }
    if (seen.has('...')) return 'all'
    return seen.size === 0 ? undefined : [...seen]
  },
}

const ROUTE = {
  receiver: text,
  group_by: groupBy,
  group_wait: duration,
  group_interval: duration,
  repeat_interval: duration,
  match: matchPairs('='),
  match_re: matchPairs('=~'),
  matchers,
  continue: flag,
  mute_time_intervals: listOf(text),
  active_time_intervals: listOf(text),
}

/** Depth of nested routes. */
const DEPTH_MAX = 100

export const route: Kind<PlacedRoute> = routeAt(0)

function routeAt(depth: number): Kind<PlacedRoute> {
  return {
    read: (reading, node, what, at) => {
      if (depth > DEPTH_MAX) {
        reading.reader.error(at, `routes are nested deeper than ${DEPTH_MAX}`)
        return undefined
      }
      return record({ ...ROUTE, routes: listOf(routeAt(depth + 1)) }, ({ values, at: keyAt }) => {
        for (const key of ['group_interval', 'repeat_interval'] as const) {
          if (values[key] === 0) reading.reader.error(keyAt(key), `${key} cannot be 0`)
        }
        return {
          spec: {
            ...(values.receiver === undefined || values.receiver === '' ? {} : { receiver: values.receiver }),
            ...(values.group_by === undefined ? {} : { groupBy: values.group_by }),
            ...(values.group_wait === undefined ? {} : { groupWaitMs: values.group_wait }),
            ...(values.group_interval === undefined ? {} : { groupIntervalMs: values.group_interval }),
            ...(values.repeat_interval === undefined ? {} : { repeatIntervalMs: values.repeat_interval }),
            matchers: [...(values.match ?? []), ...(values.match_re ?? []), ...(values.matchers ?? [])],
            continues: values.continue ?? false,
            muteTimeIntervals: values.mute_time_intervals ?? [],
            activeTimeIntervals: values.active_time_intervals ?? [],
          },
          routes: values.routes ?? [],
          at: keyAt,
        }
      }).read(reading, node, what, at)
    },
  }
}

export function specOf(placedRoute: PlacedRoute): RouteSpec {
  return { ...placedRoute.spec, routes: placedRoute.routes.map(specOf) }
}

export const inhibitRule: Kind<InhibitRule> = record(
  {
    name: text,
    source_match: matchPairs('='),
    source_match_re: matchPairs('=~'),
    source_matchers: matchers,
    target_match: matchPairs('='),
    target_match_re: matchPairs('=~'),
    target_matchers: matchers,
    equal: listOf(text),
  },
  ({ values }) => ({
    ...(values.name === undefined ? {} : { name: values.name }),
    sourceMatchers: sortMatchers([
      ...(values.source_match ?? []),
      ...(values.source_match_re ?? []),
      ...(values.source_matchers ?? []),
    ]),
    targetMatchers: sortMatchers([
      ...(values.target_match ?? []),
      ...(values.target_match_re ?? []),
      ...(values.target_matchers ?? []),
    ]),
    equal: values.equal ?? [],
  }),
)
