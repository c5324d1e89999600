/** A message to a receiver: alerts of one group at one time. The source of templates and payloads. */
import { ownValue } from '../base/own-value.ts'
import { eachInSteps, type Steps } from '../base/thread-slices.ts'
import type { Labels } from '../model/labels.ts'
import { escapeRegex } from '../model/regex.ts'

export interface Message {
  readonly receiver: string
  readonly groupKey: string
  readonly groupLabels: Labels
  /** At least one; `job`, `instance` and the labels decide the order. */
  readonly alerts: readonly MessageAlert[]
  /** Further alerts of the group, for which a message has no room. */
  readonly truncatedAlerts: number
  /** The URL of this server for its users, without a trailing slash. */
  readonly externalUrl: string
  readonly nowMs: number
  /** After this time the message is repeated when nothing changes. */
  readonly repeatIntervalMs: number
}

export interface MessageAlert {
  readonly status: 'firing' | 'resolved'
  readonly labels: Labels
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAtMs: number
  /** Go's zero time while it fires. */
  readonly endsAtMs: number
  readonly generatorUrl: string
  readonly fingerprint: string
  /** At the decision to send the message; an external alert may have none. */
  readonly value: number | undefined
  /** The comparison of the rule: `> 0.9`. */
  readonly threshold: string | undefined
}

/** The page of the expression on this server, in the form of Prometheus' links, which karma expects. */
export function generatorUrl(externalUrl: string, expr: string): string {
  return `${externalUrl}/graph?${new URLSearchParams({ 'g0.expr': expr, 'g0.tab': '1' }).toString()}`
}

/** `firing` when at least one alert fires. */
export function statusOf(alerts: readonly MessageAlert[]): 'firing' | 'resolved' {
  return alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved'
}

/** The pairs that all records share. */
export function* commonPairs(records: readonly Readonly<Record<string, string>>[]): Steps<Record<string, string>> {
  let common = Object.entries(records[0] ?? {})
  yield* eachInSteps(records, (record) => {
    const isIn = ([name, value]: readonly [string, string]): boolean => ownValue(record, name) === value
    if (!common.every(isIn)) common = common.filter(isIn)
  })
  return Object.fromEntries(common.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** RFC 3339 as Go writes it: no zeros at the end of the fraction. */
export function goTimeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.?0*Z$/, 'Z')
}

/** The receiver's name, quoted as a pattern as in Alertmanager's messages. */
export function quotedReceiver(name: string): string {
  return escapeRegex(name).replaceAll('\\/', '/')
}

/** Alertmanager's order: by `job`, then `instance`, those without them last, then fewer labels first, then by labels. */
export function compareAlerts(a: { readonly labels: Labels }, b: { readonly labels: Labels }): number {
  for (const name of ['job', 'instance']) {
    const [x, y] = [a.labels.get(name), b.labels.get(name)]
    if (x === y) continue
    if (x === '') return 1
    if (y === '') return -1
    return x < y ? -1 : 1
  }
  return compareByLabels(a, b)
}

/** Fewer labels first, then by the first label that differs; absent before present. HOT: sorts 100,000 alerts. */
export function compareByLabels(a: { readonly labels: Labels }, b: { readonly labels: Labels }): number {
  const [x, y] = [a.labels.flat, b.labels.flat]
  if (x.length !== y.length) return x.length - y.length
  for (let i = 0; i < x.length; i++) {
    if (x[i] === y[i]) continue
    const isLess = x[i]! < y[i]!
    // Of two names, the larger one's alert is without the smaller one.
    return i % 2 === 0 ? (isLess ? 1 : -1) : isLess ? -1 : 1
  }
  return 0
}
