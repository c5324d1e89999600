/**
 * What an evidence bundle is about, and what it has. Plain data: subjects cross threads. Keys that senders or users choose
 * are keys of Maps, keys of objects are the program's own: redaction depends on it.
 */
import type { TimeRange } from '../model/time-range.ts'

/** A value as JSON has it. */
export type Tree =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Tree[]
  | ReadonlyMap<string, Tree>
  | { readonly [field: string]: Tree }

export const BUNDLE_KINDS = ['upgrade', 'alert', 'rollout'] as const
export type BundleKind = (typeof BUNDLE_KINDS)[number]

/** What a bundle is about. A new kind of bundle is a function that makes one of these. */
export interface BundleSubject {
  readonly kind: BundleKind
  readonly id: string
  /** One line. */
  readonly title: string
  /** Names under which data is read: those of the cluster and its aliases, or of all clusters of a rollout. */
  readonly clusters: readonly string[]
  readonly window: TimeRange
  /** The moment of the evidence: the end of the window, or now while the subject is not over. */
  readonly asOfMs: number
  /** As the API has it; see `opaque`. */
  readonly record: Tree
  /** The first table of the page. */
  readonly facts: readonly BundleFact[]
  readonly phases: readonly BundlePhase[]
  readonly queries: readonly BundleQuery[]
  readonly traceIds: readonly string[]
  readonly alerts: readonly BundleAlert[]
  readonly rules: readonly BundleRule[]
  readonly runbooks: readonly BundleRunbook[]
  /** Where the same is read in the server. */
  readonly requests: readonly BundleRequest[]
  /** What the subject itself leaves out. */
  readonly cuts: readonly BundleCut[]
}

export interface BundleFact {
  readonly name: string
  readonly value: string
}

export interface BundlePhase {
  readonly name: string
  readonly state: string
  /** Absent: unknown, or not started. */
  readonly fromMs?: number
  /** Absent: unknown, or not ended. */
  readonly toMs?: number
}

export interface BundleQuery {
  /** The rule or panel of the query. */
  readonly title: string
  /** PromQL, limited to the clusters of the subject. */
  readonly expr: string
}

export interface BundleAlert {
  readonly fingerprint: string
  readonly alertname: string
  readonly labels: ReadonlyMap<string, string>
  readonly annotations: ReadonlyMap<string, string>
  readonly activeAtMs: number
  readonly firedAtMs?: number
  readonly resolvedAtMs?: number
  readonly acknowledgedBy?: string
  readonly acknowledgedNote?: string
}

export interface BundleRule {
  readonly name: string
  readonly group: string
  readonly file: string
  readonly expr: string
  readonly forMs: number
  readonly keepFiringForMs: number
  readonly labels: ReadonlyMap<string, string>
  readonly annotations: ReadonlyMap<string, string>
  /** SHA-256 of the rule. */
  readonly revision: string
}

export interface BundleRunbook {
  readonly name: string
  /** With the names of its placeholders: `<cluster>`. */
  readonly markdown: string
  /** What they are for the alert. */
  readonly values: readonly BundleFact[]
  /** SHA-256 of the file. */
  readonly revision: string
}

export interface BundleRequest {
  readonly title: string
  readonly url: string
}

/** Something that is not whole. */
export interface BundleCut {
  /** `log records`. */
  readonly what: string
  readonly shown: number
  readonly of: number
  /** There are more than `of`: they were not counted. */
  readonly isMore: boolean
}

export interface BundleVersions {
  readonly daytwo: string
  /** Of the stored data. */
  readonly schema: number
  /** Of the members of a bundle. */
  readonly bundle: number
}

/** Rises when a member changes its form. */
export const BUNDLE_VERSION = 1

/** A subject with everything that was read for it. */
export interface BundleContent extends BundleSubject {
  readonly versions: BundleVersions
  /** Oldest first. */
  readonly objects: readonly ObjectState[]
  readonly samples: readonly QuerySamples[]
  /** By start. */
  readonly spans: readonly BundleSpan[]
  /** Oldest first. */
  readonly logs: readonly BundleLog[]
  /** Sentences: what could not be read. */
  readonly faults: readonly string[]
}

/** A state of an object, and the one before it. */
export interface ObjectState {
  readonly at: string
  readonly cluster: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly change: string
  /** The last manager that wrote to the object; `null`: not reported. */
  readonly manager: string | null
  readonly fields: readonly { readonly field: string; readonly before: Tree; readonly after: Tree }[]
  /** `null`: the history of the object starts here. */
  readonly before: Tree
  readonly after: Tree
}

export interface QuerySamples extends BundleQuery {
  readonly stepSeconds: number
  readonly series: readonly {
    readonly labels: ReadonlyMap<string, string>
    /** Seconds, and the value as Prometheus writes it. */
    readonly points: readonly (readonly [seconds: number, value: string])[]
  }[]
  readonly warnings: readonly string[]
}

export interface BundleSpan {
  readonly traceId: string
  readonly spanId: string
  /** `null`: a root. */
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: string
  readonly service: string
  readonly cluster: string
  readonly startMs: number
  readonly durationMs: number
  readonly status: string
  readonly message: string
  readonly attributes: ReadonlyMap<string, string>
  readonly resource: ReadonlyMap<string, string>
  readonly events: readonly {
    readonly atMs: number
    readonly name: string
    readonly attributes: ReadonlyMap<string, string>
  }[]
}

export interface BundleLog {
  readonly at: string
  readonly cluster: string
  readonly service: string
  readonly severity: number
  readonly severityText: string
  readonly body: string
  readonly attributes: ReadonlyMap<string, string>
  readonly traceId: string
  readonly spanId: string
}

/** The parts of a subject that a kind does not have. */
export const NOTHING: Pick<
  BundleSubject,
  'phases' | 'queries' | 'traceIds' | 'alerts' | 'rules' | 'runbooks' | 'requests' | 'cuts'
> = { phases: [], queries: [], traceIds: [], alerts: [], rules: [], runbooks: [], requests: [], cuts: [] }

/** Any data as JSON has it. All keys count as foreign. */
export function opaque(value: unknown): Tree {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(opaque)
  if (value instanceof Map)
    return new Map(Array.from(value as Map<string, unknown>, ([key, one]) => [key, opaque(one)]))
  if (typeof value !== 'object' || value === null) return null
  return new Map(
    Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, opaque(one)] as const])),
  )
}

/** As JSON text, one item of a list per line. Equal trees have equal texts. */
export function* jsonLines(items: readonly Tree[]): Generator<string> {
  yield '[\n'
  for (const [i, item] of items.entries()) yield `${json(item)}${i + 1 < items.length ? ',' : ''}\n`
  yield ']\n'
}

/** @param indent of nested values */
export function json(value: Tree, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, one: unknown) => (one instanceof Map ? Object.fromEntries(one as Map<string, unknown>) : one),
    indent,
  )
}
