import type { Clock } from '../base/clock.ts'
import { formatMatchers } from '../model/matcher-text.ts'
import type { BatchEncoder, BatchPart } from './batch-encoder.ts'
import type { Delivery, Refusal } from './delivery.ts'
import type { RefusalExample } from './forward-status.ts'
import type { LabelBytes } from './label-bytes.ts'
import { REFUSAL_REASONS, type RefusalReason } from './remote-answer.ts'
import type { SampleBatch } from './sample-batch.ts'
import { splitRefused, type SplitBudget } from './split.ts'

/** Sends whole batches: what is refused is split down to the samples that the remote side refuses, and those are counted. */
export class BatchDelivery {
  readonly refused = Object.fromEntries(REFUSAL_REASONS.map((reason) => [reason, 0])) as Record<RefusalReason, number>
  /** The last one of each reason. */
  readonly examples = new Map<RefusalReason, RefusalExample>()
  acceptedSamples = 0
  repeatedSamples = 0
  readonly #parts: BatchDeliveryParts

  constructor(parts: BatchDeliveryParts) {
    this.#parts = parts
  }

  /** @param isRepeat the remote side may have stored samples of the batch before. Rejects with `Stopped`. */
  async deliver(batch: SampleBatch, isRepeat: boolean): Promise<void> {
    const { encoder, delivery } = this.#parts
    let mayBeStored = isRepeat
    let refusedSamples = 0
    const send = (part: BatchPart): Promise<Refusal | undefined> =>
      delivery.send(
        ({ protocol }) => ({ protocol, body: protocol === '2.0' ? encoder.v2(batch, part) : encoder.v1(batch, part) }),
        () => {
          mayBeStored = true
        },
      )
    const refuse = (series: number, samples: number, refusal: Refusal): void => {
      refusedSamples += samples
      const isStored = refusal.reason === 'out_of_order' || refusal.reason === 'duplicate'
      if (mayBeStored && isStored) this.repeatedSamples += samples
      else this.#note(batch, series, samples, refusal)
    }
    const refusal = await send(ALL(batch))
    if (refusal !== undefined) {
      const written = refusal.written ?? 0
      // The receiver has stored the others, and counted them.
      if (written > 0) refuse(0, Math.max(0, batch.sampleCount - written), refusal)
      else await this.#split(batch, refusal, send, refuse)
    }
    this.acceptedSamples += batch.sampleCount - refusedSamples
  }

  async #split(
    batch: SampleBatch,
    refusal: Refusal,
    send: (part: BatchPart) => Promise<Refusal | undefined>,
    refuse: (series: number, samples: number, refusal: Refusal) => void,
  ): Promise<void> {
    const budget: SplitBudget = { requests: 0 }
    const ofSeries = (series: number, refused: Refusal): Promise<void> =>
      splitRefused(
        batch.counts[series]!,
        (fromSample, toSample) => send({ fromSeries: series, toSeries: series + 1, fromSample, toSample }),
        (_, last) => {
          refuse(series, 1, last)
        },
        refused,
        budget,
      )
    await splitRefused(
      batch.seriesCount,
      (fromSeries, toSeries) => send({ fromSeries, toSeries, fromSample: 0, toSample: Infinity }),
      ofSeries,
      refusal,
      budget,
    )
  }

  #note(batch: SampleBatch, series: number, samples: number, { reason, text }: Refusal): void {
    this.refused[reason] += samples
    const selector = selectorOf(this.#parts.labels.flatOf(batch.refs[series]!))
    const example = { reason, atMs: this.#parts.clock.nowMs(), series: selector, text }
    this.examples.set(reason, example)
    this.#parts.onRefused(example)
  }
}

interface BatchDeliveryParts {
  readonly encoder: BatchEncoder
  readonly delivery: Delivery
  readonly labels: LabelBytes
  readonly clock: Clock
  readonly onRefused: (example: RefusalExample) => void
}

const ALL = ({ seriesCount }: SampleBatch): BatchPart => {
  return { fromSeries: 0, toSeries: seriesCount, fromSample: 0, toSample: Infinity }
}

const SELECTOR_LENGTH_MAX = 500

function selectorOf(flat: readonly string[]): string {
  const matchers = flat.flatMap((name, i) => (i % 2 === 0 ? [{ name, op: '=' as const, value: flat[i + 1]! }] : []))
  return formatMatchers(matchers).slice(0, SELECTOR_LENGTH_MAX)
}
