import type { OwnMetrics } from '../../base/metrics.ts'
import type { WriteOutcome, WriteProtocol } from '../../ingest/write-outcome.ts'

/** The label `format` of the server's own metrics about remote write. */
export const FORMATS: Readonly<Record<WriteProtocol, string>> = { '1.0': 'remote_write', '2.0': 'remote_write_2' }

/** Counts the outcome of a request. */
export async function counted(
  metrics: OwnMetrics,
  format: string,
  answering: Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  try {
    const answer = await answering
    metrics.ingestRequests.inc({ format, outcome: answer.status === 204 ? 'taken' : 'refused' })
    metrics.ingestSamplesIn.inc({ format }, answer.samplesIn + answer.histogramsIn)
    metrics.ingestSamplesOut.inc({ format }, answer.samplesTaken + answer.histogramsTaken)
    for (const { reason, count } of answer.refusals) metrics.ingestRefused.inc({ format, reason }, count)
    // Mostly 0, and each call costs a lookup.
    if (answer.exemplarsIgnored > 0) metrics.ingestExemplarsIgnored.inc(answer.exemplarsIgnored)
    if (answer.metadataIgnored > 0) metrics.ingestMetadataIgnored.inc(answer.metadataIgnored)
    if (answer.newUnidentifiedSeries > 0) metrics.ingestUnidentifiedSeries.inc(answer.newUnidentifiedSeries)
    return answer
  } catch (thrown) {
    metrics.ingestRequests.inc({ format, outcome: 'failed' })
    throw thrown
  }
}
