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
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: posted.annotations,
    startsAtMs,
    endsAtMs,
    updatedAtMs: nowMs,
    receivedAtMs: nowMs,
    isTimeout,
    generatorUrl: posted.generatorUrl,
  }
}

/** An alert that is posted again: the same occurrence when the two overlap, else a new one. */
export function mergeExternal(known: ExternalAlertRecord | undefined, next: ExternalAlertRecord): ExternalAlertRecord {
  if (known === undefined) return next
  const overlaps =
    (next.endsAtMs > known.startsAtMs && next.endsAtMs < known.endsAtMs) ||
    (next.startsAtMs > known.startsAtMs && next.startsAtMs < known.endsAtMs)
  const isSameRun = overlaps || next.startsAtMs === known.startsAtMs
  const receivedAtMs = isSameRun ? known.receivedAtMs : next.receivedAtMs
  if (!overlaps) return { ...next, receivedAtMs }
  return {
    ...next,
    receivedAtMs,
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

function shapeFault(labels: Labels, posted: PostedAlert, startsAtMs: number, endsAtMs: number): string | undefined {
  if (endsAtMs < startsAtMs) return 'start time must be before end time'
  if (labels.size === 0) return 'at least one label pair required'
  const labelFault = pairsFault(labels.toObject())
  if (labelFault !== undefined) return `invalid label set: ${labelFault}`
  const annotationFault = pairsFault(posted.annotations)
  return annotationFault === undefined ? undefined : `invalid annotations: ${annotationFault}`
}

function pairsFault(pairs: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(pairs).sort()
  if (names.length > LABELS_MAX) return `got ${names.length} pairs, want at most ${LABELS_MAX}`
  for (const name of names) {
    if (name.length > NAME_CHARS_MAX) return `a name of ${name.length} characters, want at most ${NAME_CHARS_MAX}`
    if (!NAME.test(name)) return `invalid name ${JSON.stringify(name)}`
    const { length } = pairs[name] ?? ''
    if (length > VALUE_CHARS_MAX) return `${name} has ${length} characters, want at most ${VALUE_CHARS_MAX}`
  }
  return undefined
}
