import type { Refusal } from '../model/refusal.ts'
import type { DecodeError } from '../wire/decode-error.ts'
import { refusalOfBody } from './body-refusal.ts'
import { clipTextBytes } from './clip-text.ts'

/**
 * What became of one write request, and what its sender is told. A 400 says that sending the same again cannot help;
 * whatever was good in the request is kept. A failure of the store is not here: it is thrown, and becomes a 5xx.
 */
export interface WriteOutcome {
  readonly status: 204 | 400
  /** What was refused and why, at most `MESSAGE_BYTES_MAX` bytes, one line; empty when nothing was. */
  readonly message: string
  readonly samplesIn: number
  /** With those that were there before: a repeated request takes all of its samples again. */
  readonly samplesTaken: number
  /** Of HA replicas that stand by: the elected one delivers the same. Dropped, and as good as taken to their sender. */
  readonly samplesDuplicate: number
  /** Samples and native histograms by reason. A body that cannot be decoded is one `bad_encoding` or `request_too_large`. */
  readonly refusals: readonly Refusal[]
  readonly histogramsIn: number
  /** As `samplesTaken`; a stale marker sent as a histogram is one. */
  readonly histogramsTaken: number
  readonly histogramsDuplicate: number
  /** With those that were there before, and those of a standby replica. */
  readonly exemplarsTaken: number
  /** Received and not kept: too long, out of order, of a series that is refused. No fault of the request. */
  readonly exemplarsIgnored: number
  readonly metadataIgnored: number
  /** Series without a cluster that this process had not seen before, or had forgotten. */
  readonly newUnidentifiedSeries: number
}

/** Stock senders log this much of an answer and cut the rest. */
export const MESSAGE_BYTES_MAX = 1024

/** What a body is written in. The two are told apart by the content type, not by the bytes. */
export type WriteProtocol = '1.0' | '2.0'

/** Of a body that was decoded. The duplicates of a standby replica are no fault at all. */
export function outcomeOf(counts: Omit<WriteOutcome, 'status' | 'message'>): WriteOutcome {
  if (counts.refusals.length === 0) return { status: 204, message: '', ...counts }
  const isBad = counts.refusals.some(({ reason }) => reason !== 'ha_duplicate')
  return { status: isBad ? 400 : 204, message: messageOf(counts), ...counts }
}

/** Of a body that was not: nothing of it is taken. */
export function badBody(error: DecodeError): WriteOutcome {
  const refusal = refusalOfBody(error)
  return {
    status: 400,
    message: clipTextBytes(refusal.example, MESSAGE_BYTES_MAX),
    samplesIn: 0,
    samplesTaken: 0,
    samplesDuplicate: 0,
    refusals: [refusal],
    histogramsIn: 0,
    histogramsTaken: 0,
    histogramsDuplicate: 0,
    exemplarsTaken: 0,
    exemplarsIgnored: 0,
    metadataIgnored: 0,
    newUnidentifiedSeries: 0,
  }
}

/** `took 3 of 5 samples; refused 2: out_of_order (1): ...; bad_labels (1): ...`; examples share what room there is. */
function messageOf(counts: Omit<WriteOutcome, 'status' | 'message'>): string {
  const { samplesIn, samplesTaken, histogramsIn, histogramsTaken, refusals } = counts
  const histograms = histogramsIn === 0 ? '' : ` and ${histogramsTaken} of ${histogramsIn} histograms`
  const refused = refusals.reduce((sum, { count }) => sum + count, 0)
  const head = `took ${samplesTaken} of ${samplesIn} samples${histograms}; refused ${refused}: `
  const titles = refusals.map(({ reason, count }) => `${reason} (${count}): `)
  const fixedBytes = head.length + titles.join('; ').length
  const exampleBytes = Math.floor((MESSAGE_BYTES_MAX - fixedBytes) / refusals.length)
  return head + refusals.map(({ example }, i) => titles[i]! + clipTextBytes(example, exampleBytes)).join('; ')
}
