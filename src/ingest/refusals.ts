import { REFUSAL_REASONS, type Refusal, type RefusalReason } from '../model/refusal.ts'
import { LimitError, type DecodeError, type DecodeLimit } from '../wire/decode-error.ts'
import { clipText, clipTextBytes } from './clip-text.ts'

/** Refusals of one request: counted, explained to the sender, and recorded for `/debug/ingest`. */

/** Why all samples of one label set are refused, whatever their times and values. */
export interface RefusedSeries {
  readonly reason: RefusalReason
  /** Got and want, in one sentence. */
  readonly example: string
  /** The cluster, if known. */
  readonly cluster?: string
}

const EXAMPLE_CHARS_MAX = 300

const NO_REFUSALS: readonly Refusal[] = []

/** Counts the refusals of one request by reason, with the first example of each. */
export class RefusalTally {
  readonly #counts = new Map<RefusalReason, number>()
  readonly #examples = new Map<RefusalReason, string>()

  get total(): number {
    let total = 0
    for (const count of this.#counts.values()) total += count
    return total
  }

  /** True when the reason has no example yet: then the caller makes one, and only then. */
  count(reason: RefusalReason, count: number): boolean {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count)
    return !this.#examples.has(reason)
  }

  /** @param example got and want, in one sentence; cut when long */
  explain(reason: RefusalReason, example: string): void {
    this.#examples.set(reason, clipText(example, EXAMPLE_CHARS_MAX))
  }

  /** In the order of `REFUSAL_REASONS`. HOT: once per request, and mostly there are none. */
  refusals(): readonly Refusal[] {
    if (this.#counts.size === 0) return NO_REFUSALS
    return REFUSAL_REASONS.flatMap((reason) => {
      const count = this.#counts.get(reason)
      return count === undefined ? [] : [{ reason, count, example: this.#examples.get(reason) ?? '' }]
    })
  }
}

/** The options that set the limits of the decoders. */
const OPTION_OF: Readonly<Record<DecodeLimit, string>> = {
  decodedBytes: 'ingest.decompressed-bytes-max',
  samples: 'ingest.request-samples-max',
  series: 'ingest.request-series-max',
  attributes: 'otlp.request-attributes-max',
  spans: 'ingest.request-spans-max',
  logRecords: 'ingest.request-log-records-max',
}

/** One refusal for a body that cannot be decoded (its number of samples is unknown), and the message of the response. */
export function refusedBody(error: DecodeError): { readonly message: string; readonly refusals: readonly Refusal[] } {
  const isLimit = error instanceof LimitError
  const why = isLimit ? `${error.message}, the value of ${OPTION_OF[error.limit]}` : error.message
  const example = clipText(why, EXAMPLE_CHARS_MAX)
  const reason = isLimit ? 'request_too_large' : 'bad_encoding'
  return { message: clipTextBytes(why, MESSAGE_BYTES_MAX), refusals: [{ reason, count: 1, example }] }
}

/** Stock senders log this much of an answer and cut the rest. */
const MESSAGE_BYTES_MAX = 1024

/** `head`, then `out_of_order (1): ...; bad_labels (1): ...`, one line; examples share the remaining space. */
export function refusalMessage(head: string, refusals: readonly Refusal[]): string {
  const titles = refusals.map(({ reason, count }) => `${reason} (${count}): `)
  const fixedBytes = head.length + titles.join('; ').length
  const exampleBytes = Math.floor((MESSAGE_BYTES_MAX - fixedBytes) / refusals.length)
  return head + refusals.map(({ example }, i) => titles[i]! + clipTextBytes(example, exampleBytes)).join('; ')
}

/** The last refusals of each reason, to investigate missing samples. Bounded: a few examples per reason. */
const EXAMPLES_MAX = 5

interface RefusalExample {
  readonly timeMs: number
  /** The cluster that the sender's token is bound to; absent when it is not bound. */
  readonly boundCluster?: string
  /** Samples that the request had refused for this reason. */
  readonly count: number
  readonly text: string
}

export interface ReasonReport {
  readonly reason: RefusalReason
  readonly count: number
  readonly requests: number
  readonly lastMs: number
  /** The last first. */
  readonly examples: readonly RefusalExample[]
}

export class RefusalJournal {
  readonly #byReason = new Map<RefusalReason, ReasonReport>()

  /** Records the refusals of one request. */
  record(refusals: readonly Refusal[], boundCluster: string | undefined, nowMs: number): void {
    const bound = boundCluster === undefined ? {} : { boundCluster }
    for (const { reason, count, example } of refusals) {
      const before = this.#byReason.get(reason)
      const latest = { timeMs: nowMs, ...bound, count, text: example }
      this.#byReason.set(reason, {
        reason,
        count: (before?.count ?? 0) + count,
        requests: (before?.requests ?? 0) + 1,
        lastMs: nowMs,
        examples: [latest, ...(before?.examples ?? []).slice(0, EXAMPLES_MAX - 1)],
      })
    }
  }

  /** In the order of `REFUSAL_REASONS`; reasons that never occurred are left out. */
  report(): ReasonReport[] {
    return REFUSAL_REASONS.flatMap((reason) => this.#byReason.get(reason) ?? [])
  }
}
