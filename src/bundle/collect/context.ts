import type { Attributes } from '../../model/attribute.ts'
import type { Cancellation } from '../../base/cancellation.ts'
import { FleetError } from '../../base/errors.ts'
import type { ChangesRange } from '../../model/fleet-facts.ts'
import type { Labels } from '../../model/labels.ts'
import type { LogReader } from '../../model/log-record.ts'
import type { ObjectTransition } from '../../model/observation.ts'
import type { TraceReader } from '../../model/span.ts'
import { valueText } from '../../model/attribute-text.ts'
import type { BundleCut, BundleSubject } from '../content.ts'
import { shortened, type BundleLimits } from '../limits.ts'

/** A range query: its series with points, oldest first. Points of native histograms are left out. */
export type ReadRange = (
  query: { readonly expr: string; readonly startMs: number; readonly endMs: number; readonly stepMs: number },
  signal?: Cancellation,
) => Promise<{
  readonly series: readonly { readonly labels: Labels; readonly timesMs: Float64Array; readonly values: Float64Array }[]
  readonly warnings: readonly string[]
}>

/** What bundles read, of the clusters of the request alone. */
export interface BundleSources {
  readonly objects: (cluster: string, range: ChangesRange) => Promise<readonly ObjectTransition[]>
  readonly range: ReadRange
  readonly trace: TraceReader['trace']
  readonly logs: LogReader['logs']
}

/** One kind of data, and what was left out of it. */
export interface Part<T> {
  readonly items: readonly T[]
  readonly cuts: readonly BundleCut[]
}

/** What each part of a bundle is read for. */
export interface ReadContext {
  readonly subject: BundleSubject
  /** Those of the subject, within the limit. */
  readonly clusters: readonly string[]
  readonly limits: BundleLimits
  readonly signal: Cancellation | undefined
}

/** Rejects when nobody waits for the bundle any more. */
export function checkWaiting({ signal }: ReadContext): void {
  if (signal?.aborted === true) throw new FleetError('query_canceled', 'the client left before the bundle was ready')
}

/** The last value of a repeated key. */
export function attributeTexts(attributes: Attributes, charsMax: number): ReadonlyMap<string, string> {
  return new Map(attributes.map(({ key, value }) => [key, shortened(valueText(value), charsMax)]))
}

/** Of what senders choose. */
export function sizeOf(texts: ReadonlyMap<string, string>): number {
  let size = 0
  for (const [key, value] of texts) size += key.length + value.length
  return size
}
