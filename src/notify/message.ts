/** What a receiver gets: some alerts of one group, as they are at one moment. Templates and payloads are made of it. */
import type { Labels } from '../model/labels.ts'
import { escapeRegex } from '../model/regex.ts'

export interface Message {
  readonly receiver: string
  readonly groupKey: string
  readonly groupLabels: Labels
  /** At least one; `job`, `instance` and the labels decide the order. */
  readonly alerts: readonly MessageAlert[]
  /** Under which users reach this server. Without a slash at the end. */
  readonly externalUrl: string
  readonly nowMs: number
  /** How long until it is sent again at the latest, while nothing changes. */
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
  /** As of the decision to send it; an external alert may have none. */
  readonly value: number | undefined
  /** As the rule compares: `> 0.9`. */
  readonly threshold: string | undefined
}

/** Our own page for the expression: Prometheus' link form, which old links and karma know. */
export function generatorUrl(externalUrl: string, expr: string): string {
  return `${externalUrl}/graph?${new URLSearchParams({ 'g0.expr': expr, 'g0.tab': '1' }).toString()}`
}

/** `firing` while one of them does. */
export function statusOf(alerts: readonly MessageAlert[]): 'firing' | 'resolved' {
  return alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved'
}

/** What all of them share. */
export function commonPairs(records: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const [first = {}, ...others] = records
  return Object.fromEntries(
    Object.entries(first)
      .filter(([name, value]) => others.every((other) => other[name] === value))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** RFC 3339 as Go writes it: no zeros at the end of the fraction. */
export function goTimeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.?0*Z$/, 'Z')
}

/** Alertmanager quotes the receiver's name as a pattern in its messages; so do we. */
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

/** Fewer labels first, then by the first label that differs; absent before present. */
export function compareByLabels(a: { readonly labels: Labels }, b: { readonly labels: Labels }): number {
  if (a.labels.size !== b.labels.size) return a.labels.size - b.labels.size
  const names = new Set([...a.labels.pairs(), ...b.labels.pairs()].map(([name]) => name))
  for (const name of [...names].sort()) {
    const [x, y] = [a.labels.get(name), b.labels.get(name)]
    if (x === y) continue
    if (x === '' || y === '') return x === '' ? -1 : 1
    return x < y ? -1 : 1
  }
  return 0
}
