/**
 * Alertmanager's configuration file. A file with an error is not used; every error is a diagnostic with its position. What
 * is shown of the file contains no secret.
 */
import { dirname } from 'node:path'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { YamlReader, type Range } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import type { InhibitRule } from '../inhibitor.ts'
import { compileRoute, type Route } from '../route.ts'
import { TemplateSet, TemplateSyntaxError, calledTemplates, parseNotifyTemplate } from '../template-set.ts'
import type { TimeIntervals } from '../time-interval.ts'
import { defaultsOf, headOf, listOf, or, placed, record, type Kind, type Reading } from './fields.ts'
import { GLOBAL_DEFAULTS, globalConfig, type GlobalConfig } from './global-config.ts'
import { namedIntervals } from './interval-config.ts'
import { receiver, type Receiver } from './receiver-config.ts'
import { inhibitRule, route, type PlacedRoute } from './route-config.ts'

export interface NotifyConfig {
  readonly global: GlobalConfig
  readonly route: Route
  readonly receivers: ReadonlyMap<string, Receiver>
  readonly inhibitRules: readonly InhibitRule[]
  readonly intervals: TimeIntervals
  readonly templates: TemplateSet
  /** The file with `<secret>` for each secret: Alertmanager's form, which amtool reads. */
  readonly shownText: string
  /** The secrets in the file, which are removed from everything that is shown. */
  readonly secrets: readonly string[]
}

export interface LoadedConfig {
  /** Absent when there is an error. */
  readonly config?: NotifyConfig
  readonly diagnostics: readonly Diagnostic[]
  /** The file for showing diagnostics: of the same length, with the characters of secrets replaced. */
  readonly maskedText: string
  /** For a summary. */
  readonly counts: { readonly receivers: number; readonly inhibitRules: number; readonly templates: number }
}

/** Template files by the patterns of `templates:`; none for a pattern that matches nothing. */
export type ReadTemplates = (pattern: string) => readonly { readonly path: string; readonly text: string }[]

/** One route without a receiver: groups and marks exist without a configuration. */
export function emptyConfig(): NotifyConfig {
  return {
    global: GLOBAL_DEFAULTS,
    route: compileRoute({
      groupBy: ['alertname', 'cluster'],
      matchers: [],
      continues: false,
      muteTimeIntervals: [],
      activeTimeIntervals: [],
      routes: [],
    }),
    receivers: new Map(),
    inhibitRules: [],
    intervals: new Map(),
    templates: new TemplateSet(),
    shownText: 'route:\n  receiver: none\nreceivers:\n  - name: none\n',
    secrets: [],
  }
}

/** Receivers are read after `global:`, which may follow them in the file. */
const receiversLater: Kind<(global: GlobalConfig) => readonly Receiver[]> =
  (...field) =>
  (global) =>
    listOf(receiver(global))(...field) ?? []

const TOP = {
  global: or(globalConfig, GLOBAL_DEFAULTS),
  route,
  receivers: receiversLater,
  inhibit_rules: or(listOf(inhibitRule), []),
  templates: or(listOf(placed), []),
  time_intervals: or(listOf(namedIntervals), []),
  mute_time_intervals: or(listOf(namedIntervals), []),
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
  const readTop = record(TOP, (values, { at }) => ({ ...values, at }))
  const top = readTop(reading, reader.root, 'the configuration', whole)
  const { global, inhibitRules, route: root } = top ?? { ...defaultsOf(TOP), route: undefined }

  const receivers = byName(reader, 'receivers', top?.receivers?.(global) ?? [])
  const named = byName(
    reader,
    'time intervals',
    top === undefined ? [] : [...top.muteTimeIntervals, ...top.timeIntervals],
  )
  const intervals = new Map([...named].map(([name, item]) => [name, item.intervals]))
  if (root === undefined)
    reader.error(top?.at('route') ?? headOf(whole), 'there is no route: want route with a receiver')
  else checkRoute(reader, root, receivers, intervals)
  const { templates, templateCount } = loadTemplates(reading, top?.templates ?? [], readTemplates)
  for (const { name, at } of called) {
    if (templates?.has(name) === false) {
      reader.warning(at, `template ${JSON.stringify(name)} is not defined`, 'messages that use it will fail')
    }
  }

  const counts = { receivers: receivers.size, inhibitRules: inhibitRules.length, templates: templateCount }
  const ranges = mergeRanges(reading.secrets)
  const suspects = mergeRanges([...ranges, ...suspectRanges(text)])
  const maskedText = replaceRanges(text, suspects, (secret) => secret.replace(/[^\s]/g, '*'))
  const { diagnostics } = reader
  if (reader.hasErrors || root === undefined || templates === undefined) return { diagnostics, maskedText, counts }
  return {
    config: {
      global,
      route: compileRoute(root),
      receivers,
      inhibitRules,
      intervals,
      templates,
      // A secret that ends with a line break keeps it.
      shownText: replaceRanges(text, ranges, (secret) => `<secret>${/\s*$/.exec(secret)![0]}`),
      secrets: [...reading.secretValues],
    },
    diagnostics,
    maskedText,
    counts,
  }
}

function byName<T extends { readonly name: string; readonly at: Range }>(
  reader: YamlReader,
  what: string,
  items: readonly T[],
): ReadonlyMap<string, T> {
  const named = new Map<string, T>()
  for (const item of items) {
    if (named.has(item.name)) reader.error(item.at, `there are two ${what} named ${JSON.stringify(item.name)}`)
    named.set(item.name, item)
  }
  return named
}

function checkRoute(
  reader: YamlReader,
  root: PlacedRoute,
  receivers: ReadonlyMap<string, Receiver>,
  intervals: TimeIntervals,
): void {
  const { at } = root
  if (root.receiver === undefined)
    reader.error(at('receiver'), 'the root route needs a receiver for alerts that no other route matches')
  if (root.matchers.length > 0) {
    const key = (['matchers', 'match', 'match_re'] as const).find((name) => at(name).from !== at('receiver').from)
    reader.error(at(key ?? 'matchers'), 'the root route cannot have matchers: it takes every alert')
  }
  if (root.continues) reader.error(at('continue'), 'the root route cannot continue')
  if (root.muteTimeIntervals.length > 0) {
    reader.error(at('mute_time_intervals'), 'the root route cannot be muted: put a route below it')
  }
  if (root.activeTimeIntervals.length > 0) {
    reader.error(at('active_time_intervals'), 'the root route is always active: put a route below it')
  }
  const checkNames = (
    place: Range,
    what: string,
    names: readonly string[],
    defined: ReadonlyMap<string, unknown>,
  ): void => {
    for (const name of names.filter((one) => !defined.has(one))) {
      reader.error(place, `there is no ${what} named ${JSON.stringify(name)}`, known(defined.keys()))
    }
  }
  const visit = (node: PlacedRoute): void => {
    const { receiver: name, muteTimeIntervals, activeTimeIntervals } = node
    checkNames(node.at('receiver'), 'receiver', name === undefined ? [] : [name], receivers)
    checkNames(node.at('mute_time_intervals'), 'time interval', muteTimeIntervals, intervals)
    checkNames(node.at('active_time_intervals'), 'time interval', activeTimeIntervals, intervals)
    node.routes.forEach(visit)
  }
  visit(root)
}

function known(names: Iterable<string>): string | undefined {
  const list = [...names].slice(0, 20).join(', ')
  return list === '' ? undefined : `known: ${list}`
}

/** Returns the names of the templates that it calls. */
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

/** Values of keys with names like those of secrets, for files with invalid YAML and for unknown keys. */
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
