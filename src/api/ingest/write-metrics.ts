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
    count(metrics, format, countsOf(outcome), outcome.refusals)
    return outcome
  } catch (thrown) {
    countFailure(metrics, format)
    throw thrown
  }
}

/** Counts the outcome of a remote write request. */
export async function countedWrite(
  metrics: OwnMetrics,
  format: string,
  writing: Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  const outcome = await counted(metrics, format, writing, countsOfWrite)
  countIgnored(metrics, outcome)
  return outcome
}

/**
 * Counts outcomes of remote write 1.0 requests, those of one round of the event loop together: each metric costs a lookup
 * by its labels. HOT.
 */
export class WriteTally {
  readonly #metrics: OwnMetrics
  readonly #route: string
  #requests = 0
  #samplesIn = 0
  #samplesTaken = 0
  #answered = 0

  constructor(metrics: OwnMetrics, route: string) {
    this.#metrics = metrics
    this.#route = route
  }

  written(outcome: WriteOutcome): void {
    if (outcome.refusals.length === 0) {
      this.#collect()
      this.#requests++
      this.#samplesIn += outcome.samplesIn + outcome.histogramsIn
      this.#samplesTaken += outcome.samplesTaken + outcome.histogramsTaken
    } else count(this.#metrics, FORMATS['1.0'], countsOfWrite(outcome), outcome.refusals)
    countIgnored(this.#metrics, outcome)
  }

  failed(): void {
    countFailure(this.#metrics, FORMATS['1.0'])
  }

  answered(status: number, seconds: number): void {
    const { httpRequests, httpSeconds } = this.#metrics
    httpSeconds.observe({ route: this.#route }, seconds)
    if (status === 204) {
      this.#collect()
      this.#answered++
    } else httpRequests.inc({ route: this.#route, method: 'POST', status: String(status) })
  }

  #collect(): void {
    if (this.#requests + this.#answered === 0) setImmediate(this.#passOn)
  }

  readonly #passOn = (): void => {
    const { httpRequests, ingestRequests, ingestSamplesIn, ingestSamplesOut } = this.#metrics
    const format = FORMATS['1.0']
    ingestRequests.inc({ format, outcome: 'taken' }, this.#requests)
    ingestSamplesIn.inc({ format }, this.#samplesIn)
    ingestSamplesOut.inc({ format }, this.#samplesTaken)
    httpRequests.inc({ route: this.#route, method: 'POST', status: '204' }, this.#answered)
    this.#requests = 0
    this.#samplesIn = 0
    this.#samplesTaken = 0
    this.#answered = 0
  }
}

function count(
  metrics: OwnMetrics,
  format: string,
  { isRefused, itemsIn, itemsTaken }: WriteCounts,
  refusals: readonly Refusal[],
): void {
  metrics.ingestRequests.inc({ format, outcome: isRefused ? 'refused' : 'taken' })
  metrics.ingestSamplesIn.inc({ format }, itemsIn)
  metrics.ingestSamplesOut.inc({ format }, itemsTaken)
  for (const { reason, count: refused } of refusals) metrics.ingestRefused.inc({ format, reason }, refused)
}

function countFailure(metrics: OwnMetrics, format: string): void {
  metrics.ingestRequests.inc({ format, outcome: 'failed' })
}

function countsOfWrite({ status, samplesIn, histogramsIn, samplesTaken, histogramsTaken }: WriteOutcome): WriteCounts {
  return { isRefused: status !== 204, itemsIn: samplesIn + histogramsIn, itemsTaken: samplesTaken + histogramsTaken }
}

/** Mostly 0, and each call costs a lookup. */
function countIgnored(metrics: OwnMetrics, outcome: WriteOutcome): void {
  if (outcome.exemplarsIgnored > 0) metrics.ingestExemplarsIgnored.inc(outcome.exemplarsIgnored)
  if (outcome.metadataIgnored > 0) metrics.ingestMetadataIgnored.inc(outcome.metadataIgnored)
  if (outcome.newUnidentifiedSeries > 0) metrics.ingestUnidentifiedSeries.inc(outcome.newUnidentifiedSeries)
}
