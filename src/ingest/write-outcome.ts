import { isIntended, type Refusal } from '../model/refusal.ts'
import type { DecodeError } from '../wire/decode-error.ts'
import { refusalMessage, refusedBody } from './refusals.ts'

/**
 * The outcome of one write request, for the response. A 400 means that a retry cannot succeed; the valid samples of the
 * request are stored. A failure of the store is thrown instead, and becomes a 5xx.
 */
export interface WriteOutcome {
  readonly status: 204 | 400
  /** Refusals and their reasons, one line of limited length; empty when there are none. */
  readonly message: string
  readonly samplesIn: number
  /** Includes repeats: a repeated request is accepted completely. */
  readonly samplesTaken: number
  /**
   * From standby HA replicas, because the elected one delivers the same, and what a rule of privacy.config drops. Dropped,
   * but accepted from the sender's perspective.
   */
  readonly samplesDuplicate: number
  /** Samples and native histograms by reason. A body that cannot be decoded is one `bad_encoding` or `request_too_large`. */
  readonly refusals: readonly Refusal[]
  readonly histogramsIn: number
  /** As `samplesTaken`; a stale marker sent as a histogram is one. */
  readonly histogramsTaken: number
  readonly histogramsDuplicate: number
  /** Includes repeats and those of standby replicas. */
  readonly exemplarsTaken: number
  /** Received but not stored: too long, out of order, of a refused series. Not an error of the request. */
  readonly exemplarsIgnored: number
  readonly metadataIgnored: number
  /** Series without a cluster that this process had not seen before, or had forgotten. */
  readonly newUnidentifiedSeries: number
}

/** The format of a body. The content type distinguishes the two, not the bytes. */
export type WriteProtocol = '1.0' | '2.0'

/** Of a body that was decoded. The duplicates of a standby replica, and what is not to be stored, are no fault at all. */
export function outcomeOf(counts: Omit<WriteOutcome, 'status' | 'message'>): WriteOutcome {
  if (counts.refusals.length === 0) return { status: 204, message: '', ...counts }
  const isBad = counts.refusals.some(({ reason }) => !isIntended(reason))
  return { status: isBad ? 400 : 204, message: messageOf(counts), ...counts }
}

/** The counts of a request of which nothing was accepted. */
export const NOTHING_TAKEN: Omit<WriteOutcome, 'status' | 'message'> = {
  samplesIn: 0,
  samplesTaken: 0,
  samplesDuplicate: 0,
  refusals: [],
  histogramsIn: 0,
  histogramsTaken: 0,
  histogramsDuplicate: 0,
  exemplarsTaken: 0,
  exemplarsIgnored: 0,
  metadataIgnored: 0,
  newUnidentifiedSeries: 0,
}

/** For a body that cannot be decoded: nothing was accepted. */
export function badBody(error: DecodeError): WriteOutcome {
  return { status: 400, ...NOTHING_TAKEN, ...refusedBody(error) }
}

/** `took 3 of 5 samples; refused 2: out_of_order (1): ...; bad_labels (1): ...`; examples share the remaining space. */
function messageOf(counts: Omit<WriteOutcome, 'status' | 'message'>): string {
  const { samplesIn, samplesTaken, histogramsIn, histogramsTaken, refusals } = counts
  const histograms = histogramsIn === 0 ? '' : ` and ${histogramsTaken} of ${histogramsIn} histograms`
  const refused = refusals.reduce((sum, { count }) => sum + count, 0)
  return refusalMessage(`took ${samplesTaken} of ${samplesIn} samples${histograms}; refused ${refused}: `, refusals)
}
