import type { OwnMetrics } from '../../base/metrics.ts'
import type { WriteOutcome, WriteProtocol } from '../../ingest/write-outcome.ts'
import type { Refusal } from '../../model/refusal.ts'

/** The label `format` of the server's own metrics about remote write. */
export const FORMATS: Readonly<Record<WriteProtocol, string>> = { '1.0': 'remote_write', '2.0': 'remote_write_2' }

export interface WriteCounts {
  readonly isRefused: boolean
  readonly itemsIn: number
  readonly itemsTaken: number
}

/** Counts the outcome of a write request of any format. */
export async function counted<O extends { readonly refusals: readonly Refusal[] }>(
  metrics: OwnMetrics,
  format: string,
  writing: Promise<O>,
  countsOf: (outcome: O) => WriteCounts,
): Promise<O> {
  try {
    const outcome = await writing
    const { isRefused, itemsIn, itemsTaken } = countsOf(outcome)
    metrics.ingestRequests.inc({ format, outcome: isRefused ? 'refused' : 'taken' })
    metrics.ingestSamplesIn.inc({ format }, itemsIn)
    metrics.ingestSamplesOut.inc({ format }, itemsTaken)
    for (const { reason, count } of outcome.refusals) metrics.ingestRefused.inc({ format, reason }, count)
    return outcome
  } catch (thrown) {
    metrics.ingestRequests.inc({ format, outcome: 'failed' })
    throw thrown
  }
}

/** Counts the outcome of a remote write request. */
export async function countedWrite(
  metrics: OwnMetrics,
  format: string,
  writing: Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  const outcome = await counted(metrics, format, writing, (written) => ({
    isRefused: written.status !== 204,
    itemsIn: written.samplesIn + written.histogramsIn,
    itemsTaken: written.samplesTaken + written.histogramsTaken,
  }))
  // Mostly 0, and each call costs a lookup.
  if (outcome.exemplarsIgnored > 0) metrics.ingestExemplarsIgnored.inc(outcome.exemplarsIgnored)
  if (outcome.metadataIgnored > 0) metrics.ingestMetadataIgnored.inc(outcome.metadataIgnored)
  if (outcome.newUnidentifiedSeries > 0) metrics.ingestUnidentifiedSeries.inc(outcome.newUnidentifiedSeries)
  return outcome
}
