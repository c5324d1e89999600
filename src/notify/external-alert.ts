/**
 * Reads an external alert by Alertmanager's rules (`api/v2/api.go`, `types.Alert`): absent times, an alert that is posted
 * again, and the refusals with their wording.
 */
import { fingerprintOf } from '../model/alert.ts'
import { CLUSTER_LABEL, clusterOf } from '../model/cluster-identity.ts'
import type { ExternalAlertRecord } from '../model/external-alert.ts'
import { Labels } from '../model/labels.ts'
import type { NotifiableAlert } from './ports.ts'

/** One alert of a request. Absent times are zero times. */
export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAtMs?: number
  readonly endsAtMs?: number
  readonly generatorUrl: string
}

export interface IntakeRules {
  readonly nowMs: number
  /** How long an alert without an end is considered firing. */
  readonly resolveTimeoutMs: number
  /** Who posts: `token NAME`, or `address A` without a token. */
  readonly sender: string
  /** How far ahead of `nowMs` an alert may end. */
  readonly endsWithinMs: number
  /** Labels that name the cluster when `cluster` is absent, first match wins. */
  readonly clusterAliases: readonly string[]
  /** The one cluster whose alerts the sender may post. */
  readonly cluster?: string
}

/** The alert before it is merged with the stored one, or why it is refused. */
export function readPosted(posted: PostedAlert, rules: IntakeRules): ExternalAlertRecord | { readonly fault: string } {
  const { nowMs } = rules
  const isTimeout = posted.endsAtMs === undefined
  const startsAtMs = posted.startsAtMs ?? posted.endsAtMs ?? nowMs
  const endsAtMs = posted.endsAtMs ?? nowMs + rules.resolveTimeoutMs
  const plain = Labels.of(posted.labels)
  const fault = shapeFault(plain, posted, startsAtMs, endsAtMs)
  if (fault !== undefined) return { fault }
  const cluster = clusterOf(plain, rules.clusterAliases)
  if (rules.cluster !== undefined && cluster !== '' && cluster !== rules.cluster) {
    return { fault: `cluster ${JSON.stringify(cluster)} is not the token's cluster ${JSON.stringify(rules.cluster)}` }
  }
  const labels = plain.with(CLUSTER_LABEL, rules.cluster ?? cluster)
  const record = {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: posted.annotations,
    startsAtMs,
    endsAtMs,
    updatedAtMs: nowMs,
    receivedAtMs: nowMs,
    isTimeout,
    generatorUrl: posted.generatorUrl,
    sender: rules.sender,
  }
  return boundedRecord(record, rules.endsWithinMs)
}

/**
 * The record within the limits of today: times at most `endsWithinMs` after the last report, and a `generatorUrl` that a
 * receiver may show as a link. Else an alert that ends in the year 9999 would be stored for ever.
 */
export function boundedRecord(record: ExternalAlertRecord, endsWithinMs: number): ExternalAlertRecord {
  const latestMs = record.updatedAtMs + endsWithinMs
  return {
    ...record,
    startsAtMs: Math.min(record.startsAtMs, latestMs),
    endsAtMs: Math.min(record.endsAtMs, latestMs),
    generatorUrl: /^https?:\/\//i.test(record.generatorUrl) ? record.generatorUrl : '',
  }
}

/** An alert that is posted again: the same occurrence when the two overlap, else a new one. Its sender stays the first. */
export function mergeExternal(known: ExternalAlertRecord | undefined, next: ExternalAlertRecord): ExternalAlertRecord {
  if (known === undefined) return next
  const overlaps =
    (next.endsAtMs > known.startsAtMs && next.endsAtMs < known.endsAtMs) ||
    (next.startsAtMs > known.startsAtMs && next.startsAtMs < known.endsAtMs)
  const isSameRun = overlaps || next.startsAtMs === known.startsAtMs
  const receivedAtMs = isSameRun ? known.receivedAtMs : next.receivedAtMs
  const { sender } = known
  if (!overlaps) return { ...next, receivedAtMs, sender }
  return {
    ...next,
    receivedAtMs,
    sender,
    startsAtMs: Math.min(known.startsAtMs, next.startsAtMs),
    endsAtMs: mergedEnd(known, next),
  }
}

function mergedEnd(known: ExternalAlertRecord, next: ExternalAlertRecord): number {
  const nowMs = next.updatedAtMs
  if (known.endsAtMs <= next.endsAtMs) return next.endsAtMs
  const isNextResolved = next.endsAtMs <= nowMs
  // The latest end that a sender specified counts; one that follows from the timeout does not.
  if (isNextResolved) return known.endsAtMs <= nowMs ? known.endsAtMs : next.endsAtMs
  return known.isTimeout ? next.endsAtMs : known.endsAtMs
}

/** An external alert in the form of the rules' alerts. */
export interface ExternalAlert extends NotifiableAlert {
  readonly external: Pick<ExternalAlertRecord, 'generatorUrl' | 'updatedAtMs' | 'endsAtMs' | 'receivedAtMs'>
  readonly rule: typeof NO_RULE
}

/** No rule here evaluates it. The interval is that in which a Prometheus repeats firing alerts. */
const NO_RULE = {
  group: '',
  file: '',
  name: '',
  expr: '',
  forMs: 0,
  keepFiringForMs: 0,
  intervalMs: 60_000,
} as const

export function externalAlertOf(record: ExternalAlertRecord, nowMs: number): ExternalAlert {
  const { fingerprint, labels, annotations, startsAtMs, endsAtMs, updatedAtMs, receivedAtMs, generatorUrl } = record
  const isResolved = endsAtMs <= nowMs
  return {
    fingerprint,
    labels,
    annotations,
    state: isResolved ? 'resolved' : 'firing',
    activeAtMs: startsAtMs,
    firedAtMs: startsAtMs,
    ...(isResolved ? { resolvedAtMs: endsAtMs } : {}),
    lastHeldAtMs: updatedAtMs,
    value: NaN,
    rule: NO_RULE,
    external: { generatorUrl, updatedAtMs, endsAtMs, receivedAtMs },
  }
}

export function isExternal(alert: object): alert is ExternalAlert {
  return 'external' in alert
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/
/** The limits of series, such as `ingest.labels-max`, but longer values for annotations. */
const LABELS_MAX = 64
const NAME_CHARS_MAX = 1024
const VALUE_CHARS_MAX = 16_384
/** Of all names and values of one alert: 10,000 alerts take at most some 600 MB. */
const ALERT_CHARS_MAX = 32_768

function shapeFault(labels: Labels, posted: PostedAlert, startsAtMs: number, endsAtMs: number): string | undefined {
  if (endsAtMs < startsAtMs) return 'start time must be before end time'
  if (labels.size === 0) return 'at least one label pair required'
  const labelFault = pairsFault(labels.toObject())
  if (labelFault !== undefined) return `invalid label set: ${labelFault}`
  const annotationFault = pairsFault(posted.annotations)
  if (annotationFault !== undefined) return `invalid annotations: ${annotationFault}`
  const chars = charsOf(posted.labels) + charsOf(posted.annotations) + posted.generatorUrl.length
  return chars > ALERT_CHARS_MAX ? `the alert has ${chars} characters, want at most ${ALERT_CHARS_MAX}` : undefined
}

function charsOf(pairs: Readonly<Record<string, string>>): number {
  return Object.entries(pairs).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
}

function pairsFault(pairs: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(pairs).sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length > LABELS_MAX) return `got ${entries.length} pairs, want at most ${LABELS_MAX}`
  for (const [name, { length }] of entries) {
    if (name.length > NAME_CHARS_MAX) return `a name of ${name.length} characters, want at most ${NAME_CHARS_MAX}`
    if (!NAME.test(name)) return `invalid name ${JSON.stringify(name)}`
    if (length > VALUE_CHARS_MAX) return `${name} has ${length} characters, want at most ${VALUE_CHARS_MAX}`
  }
  return undefined
}
