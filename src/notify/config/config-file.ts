/**
 * Alertmanager's configuration file, read whole or refused whole: every fault is a diagnostic with its place, and
 * nothing that is shown of the file holds a secret.
 */
import { dirname } from 'node:path'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { YamlReader, type Range } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import type { InhibitRule } from '../inhibitor.ts'
import { compileRoute, type Route } from '../route.ts'
import { TemplateSet, TemplateSyntaxError, calledTemplates, parseNotifyTemplate } from '../template-set.ts'
import type { TimeInterval, TimeIntervals } from '../time-interval.ts'
import { headOf, listOf, placed, readRecord, type Reading } from './fields.ts'
import { GLOBAL_DEFAULTS, globalConfig, type GlobalConfig } from './global-config.ts'
import type { Receiver } from './integration-config.ts'
import { namedIntervals, type NamedIntervals } from './interval-config.ts'
import { receiver, type ReceiverDraft } from './receiver-config.ts'
import { inhibitRule, route, specOf, type PlacedRoute } from './route-config.ts'

export interface NotifyConfig {
  readonly global: GlobalConfig
  readonly route: Route
  readonly receivers: ReadonlyMap<string, Receiver>
  readonly inhibitRules: readonly InhibitRule[]
  readonly intervals: TimeIntervals
  readonly templates: TemplateSet
  /** The file as it may be shown, with `<secret>` for each secret: Alertmanager's form, which amtool reads. */
  readonly shownText: string
  /** Secrets written in the file, so that they can be taken out of whatever is shown. */
  readonly secrets: readonly string[]
}

export interface LoadedConfig {
  /** Absent when there is an error. */
  readonly config?: NotifyConfig
  readonly diagnostics: readonly Diagnostic[]
  /** The file for showing diagnostics in it: as long as it is, with each secret's characters replaced. */
  readonly maskedText: string
  /** How many of each, for a summary. */
  readonly counts: { readonly receivers: number; readonly inhibitRules: number; readonly templates: number }
}

/** Template files by the patterns of `templates:`; none for a pattern that matches nothing. */
export type ReadTemplates = (pattern: string) => readonly { readonly path: string; readonly text: string }[]

/** One route without a receiver: groups and marks exist without a configuration. */
export function emptyConfig(): NotifyConfig {
  return {
    global: GLOBAL_DEFAULTS,
    route: compileRoute({ ...NO_ROUTE, groupBy: ['alertname', 'cluster'] }),
    receivers: new Map(),
    inhibitRules: [],
    intervals: new Map(),
    templates: new TemplateSet(),
    shownText: 'route:\n  receiver: nobody\nreceivers:\n  - name: nobody\n',
    secrets: [],
  }
}

const NO_ROUTE = { matchers: [], continues: false, muteTimeIntervals: [], activeTimeIntervals: [], routes: [] }

const TOP = {
  global: globalConfig,
  route,
  receivers: listOf(receiver),
  inhibit_rules: listOf(inhibitRule),
  templates: listOf(placed),
  time_intervals: listOf(namedIntervals),
  mute_time_intervals: listOf(namedIntervals),
}

export function loadConfig(path: string, text: string, readTemplates: ReadTemplates): LoadedConfig {
  const reader = new YamlReader(path, text)
  const called: { readonly name: string; readonly at: YamlText }[] = []
  const reading: Reading = {
    reader,
    secrets: [],
    secretValues: new Set(),
    baseDir: dirname(path),
    checkTemplate: (template, what) => {
      for (const name of checkTemplate(reader, template, what)) called.push({ name, at: template })
    },
  }
  const whole = { from: 0, to: Math.max(1, text.length) }
  const read = readRecord(reading, reader.root, 'the configuration', whole, TOP)
  const values = read?.values ?? {}
  const at = (key: keyof typeof TOP): Range => read?.at(key) ?? headOf(whole)

  const receivers = checkReceivers(reading, values.receivers ?? [], values.global ?? GLOBAL_DEFAULTS)
  const intervals = checkIntervals(reading, [...(values.mute_time_intervals ?? []), ...(values.time_intervals ?? [])])
  if (values.route === undefined) reader.error(at('route'), 'there is no route: want route with a receiver')
  else checkRoute(reading, values.route, receivers, intervals)
  const { templates, templateCount } = loadTemplates(reading, values.templates ?? [], readTemplates)
  for (const { name, at: place } of called) {
    if (templates?.has(name) === false) {
      reader.warning(place, `template ${JSON.stringify(name)} is not defined`, 'messages that use it will fail')
    }
  }

  const counts = {
    receivers: receivers.size,
    inhibitRules: values.inhibit_rules?.length ?? 0,
    templates: templateCount,
  }
  const ranges = mergeRanges(reading.secrets)
  const suspects = mergeRanges([...ranges, ...suspectRanges(text)])
  const maskedText = replaceRanges(text, suspects, (secret) => secret.replace(/[^\s]/g, '*'))
  const { diagnostics } = reader
  const isUsable = diagnostics.every(({ severity }) => severity !== 'error')
  if (!isUsable || values.route === undefined || templates === undefined) return { diagnostics, maskedText, counts }
  return {
    config: {
      global: values.global ?? GLOBAL_DEFAULTS,
      route: compileRoute(specOf(values.route)),
      receivers,
      inhibitRules: values.inhibit_rules ?? [],
      intervals,
      templates,
      // What ends with the end of a line goes on doing so.
      shownText: replaceRanges(text, ranges, (secret) => `<secret>${/\s*$/.exec(secret)![0]}`),
      secrets: [...reading.secretValues],
    },
    diagnostics,
    maskedText,
    counts,
  }
}

function checkReceivers(
  { reader }: Reading,
  drafts: readonly ReceiverDraft[],
  global: GlobalConfig,
): ReadonlyMap<string, Receiver> {
  const receivers = new Map<string, Receiver>()
  for (const { name, at, complete } of drafts) {
    if (receivers.has(name)) reader.error(at, `there are two receivers named ${JSON.stringify(name)}`)
    receivers.set(name, complete(global))
  }
  return receivers
}

function checkIntervals({ reader }: Reading, named: readonly NamedIntervals[]): TimeIntervals {
  const intervals = new Map<string, readonly TimeInterval[]>()
  for (const { name, at, intervals: own } of named) {
    if (intervals.has(name)) reader.error(at, `there are two time intervals named ${JSON.stringify(name)}`)
    intervals.set(name, own)
  }
  return intervals
}

function checkRoute(
  reading: Reading,
  root: PlacedRoute,
  receivers: ReadonlyMap<string, Receiver>,
  intervals: TimeIntervals,
): void {
  const { reader } = reading
  const { spec, at } = root
  if (spec.receiver === undefined)
    reader.error(at('receiver'), 'the root route needs a receiver for alerts that no other route matches')
  if (spec.matchers.length > 0) {
    const key = (['matchers', 'match', 'match_re'] as const).find((name) => at(name).from !== at('receiver').from)
    reader.error(at(key ?? 'matchers'), 'the root route cannot have matchers: it takes every alert')
  }
  if (spec.continues) reader.error(at('continue'), 'the root route cannot continue')
  if (spec.muteTimeIntervals.length > 0) {
    reader.error(at('mute_time_intervals'), 'the root route cannot be muted: put a route below it')
  }
  if (spec.activeTimeIntervals.length > 0) {
    reader.error(at('active_time_intervals'), 'the root route is always active: put a route below it')
  }
  const visit = (node: PlacedRoute): void => {
    const { receiver: name, muteTimeIntervals, activeTimeIntervals } = node.spec
    if (name !== undefined && !receivers.has(name)) {
      reader.error(node.at('receiver'), `there is no receiver named ${JSON.stringify(name)}`, known(receivers.keys()))
    }
    for (const [key, names] of [
      ['mute_time_intervals', muteTimeIntervals],
      ['active_time_intervals', activeTimeIntervals],
    ] as const) {
      for (const interval of names) {
        if (intervals.has(interval)) continue
        const help = known(intervals.keys())
        reader.error(node.at(key), `there is no time interval named ${JSON.stringify(interval)}`, help)
      }
    }
    node.routes.forEach(visit)
  }
  visit(root)
}

function known(names: Iterable<string>): string | undefined {
  const list = [...names].slice(0, 20).join(', ')
  return list === '' ? undefined : `known: ${list}`
}

/** Answers the names of the templates it calls. */
function checkTemplate(reader: YamlReader, template: YamlText, what: string): readonly string[] {
  if (!template.text.includes('{{')) return []
  try {
    const tree = parseNotifyTemplate(template.text)
    return calledTemplates(tree.body).filter((name) => !tree.definitions.has(name))
  } catch (thrown) {
    if (!(thrown instanceof TemplateSyntaxError)) throw thrown
    reader.error(template.rangeOf(thrown.from, thrown.to), `template in ${what}: ${thrown.message}`, thrown.help)
    return []
  }
}

function loadTemplates(
  reading: Reading,
  patterns: readonly YamlText[],
  readTemplates: ReadTemplates,
): { readonly templates: TemplateSet | undefined; readonly templateCount: number } {
  const { reader, baseDir } = reading
  const files = patterns.flatMap((pattern) => {
    const absolute = pattern.text.startsWith('/') ? pattern.text : `${baseDir}/${pattern.text}`
    return readTemplates(absolute).map((file) => ({ ...file, pattern }))
  })
  let isUsable = true
  for (const { path, text, pattern } of files) {
    try {
      parseNotifyTemplate(text)
    } catch (thrown) {
      if (!(thrown instanceof TemplateSyntaxError)) throw thrown
      isUsable = false
      const line = text.slice(0, thrown.from).split('\n').length
      reader.error(pattern, `${path}:${line}: ${thrown.message}`, thrown.help)
    }
  }
  return {
    templates: isUsable ? new TemplateSet(files.map(({ text }) => text)) : undefined,
    templateCount: files.length,
  }
}

/** Values of keys that sound like secrets, for files whose YAML cannot be read, and for keys that do not exist. */
function suspectRanges(text: string): readonly Range[] {
  const pattern =
    /^[ \t-]*["']?\w*(?:password|secret|token|credentials|_key|api_key|webhook_url|api_url|url|urls)["']?[ \t]*:[ \t]*(\S[^\n]*)$/gim
  return [...text.matchAll(pattern)].flatMap((found) => {
    const key = found[0]
    // Addresses that Alertmanager shows too.
    if (/\b(?:pagerduty_url|client_url|title_link|icon_url|image_url|thumb_url)\b/.test(key)) return []
    const value = found[1]!.trimEnd()
    if (
      /^["']?(?:https?:\/\/[^/@\s]*\/?["']?$|[|>][-+]?$|\[|\{)/.test(value) &&
      !/password|secret|token|_key/i.test(key)
    ) {
      return []
    }
    if (/^[|>{[]/.test(value)) return []
    const from = found.index + key.indexOf(value, key.indexOf(':'))
    return [{ from, to: from + value.length }]
  })
}

function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}

function replaceRanges(text: string, ranges: readonly Range[], by: (secret: string) => string): string {
  let shown = ''
  let at = 0
  for (const { from, to } of ranges) {
    shown += text.slice(at, from) + by(text.slice(from, to))
    at = to
  }
  return shown + text.slice(at)
}
