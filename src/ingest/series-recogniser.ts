import { invariant } from '../base/invariant.ts'
import type { SeriesRef } from '../model/series.ts'
import { DecodeError } from '../wire/decode-error.ts'
import { readLabelFields, type LabelLimits } from '../wire/label-fields.ts'
import { LabelMemo } from '../wire/label-memo.ts'
import type { WriteBatch } from '../wire/write-batch.ts'
import { admit, type Admission } from './admission.ts'
import { IdentityTable, type IdentityScope } from './identity-table.ts'
import type { Intake } from './intake.ts'
import type { IngestOptions } from './options.ts'
import type { RefusedSeries } from './refusals.ts'

/**
 * Recognises the series of each batch, or the reasons why they are refused. Remembers the series of earlier batches.
 */
export class SeriesRecogniser {
  /** Per series of the batch: its ref, or 0: without samples, or refused (`refusalOf`). */
  refs = new Int32Array(256)
  /** Per series with a ref, who sent it (`Intake.senderOf`). */
  senders = new Int32Array(256)
  #repeats: (readonly [series: number, first: number])[] = []
  readonly #refused = new Map<number, RefusedSeries>()
  readonly #intake: Intake
  readonly #options: IngestOptions
  readonly #identities: IdentityTable
  readonly #memo: LabelMemo

  constructor(intake: Intake, drawKey: (() => Int32Array) | undefined) {
    this.#intake = intake
    this.#options = intake.options
    this.#identities = new IdentityTable(intake.options.identityEntriesMax, drawKey)
    this.#memo = new LabelMemo(labelLimits(intake.options))
    intake.onClaimsForgotten(() => {
      this.#identities.clear()
    })
  }

  /** The key under which the labels of a sender are hashed. */
  scope(cluster: string | undefined): IdentityScope {
    return this.#identities.scope(cluster)
  }

  /**
   * Reads the labels of those of the series `[from, to)` that are new, and changes nothing.
   * @throws DecodeError when they cannot be read
   */
  check(batch: WriteBatch, from: number, to: number): void {
    for (let series = from; series < to; series++) {
      if (!hasSamples(batch, series)) continue
      if (this.#identities.find(batch.hashes, series, batch.labelBytes[series]!) !== 0) continue
      this.#memo.read(batch.labelView(series), batch.labelOffset(series), batch.labelBytes[series]!)
    }
  }

  /**
   * Fills `refs` for the series `[from, to)` of the batch, hashed under the scope of `cluster`, and returns the number of
   * new series without a cluster. Skips series without samples and histograms: they are not created, and their labels are not validated.
   * HOT: the first loop, after which only a few series are unknown.
   * @throws DecodeError when the labels of a new series cannot be read; then no series was created
   */
  recognise(batch: WriteBatch, cluster: string | undefined, nowMs: number, from = 0, to = batch.seriesCount): number {
    const identities = this.#identities
    identities.setTime(nowMs)
    if (this.refs.length < batch.seriesCount) {
      this.refs = new Int32Array(batch.sampleEnd.length)
      this.senders = new Int32Array(batch.sampleEnd.length)
    }
    this.#refused.clear()
    const newcomers: number[] = []
    // A backlog repeats its label sets in one order: the series behind the last match is tried before the table.
    let likely = from
    for (let series = from; series < to; series++) {
      if (!hasSamples(batch, series)) {
        this.refs[series] = 0
        continue
      }
      if (likely < series && this.refs[likely]! > 0 && isSameLabelSet(batch, likely, series)) {
        this.refs[series] = this.refs[likely]!
        this.senders[series] = this.senders[likely]!
        likely++
        continue
      }
      likely = from
      const found = identities.find(batch.hashes, series, batch.labelBytes[series]!)
      this.refs[series] = found > 0 ? found : 0
      this.senders[series] = identities.foundSender
      if (found < 0) this.#refused.set(series, identities.refusal(found))
      else if (found === 0) newcomers.push(series)
    }
    if (newcomers.length === 0) return 0
    const firsts = this.#withoutRepeats(batch, newcomers)
    // All of them are read before the first is resolved: one that breaks the body must leave no series behind.
    const admissions = firsts.map((series) => {
      const raw = this.#memo.read(batch.labelView(series), batch.labelOffset(series), batch.labelBytes[series]!)
      return admit(raw, cluster, this.#options)
    })
    const unidentified = firsts.filter((series, i) => this.#settle(batch, series, admissions[i]!)).length
    for (const [series, first] of this.#repeats) {
      this.refs[series] = this.refs[first]!
      this.senders[series] = this.senders[first]!
      if (this.refs[first] === 0) this.#refused.set(series, this.refusalOf(first))
    }
    return unidentified
  }

  /** Stock senders repeat the labels with each sample: each label set once, and the others in `#repeats`. */
  #withoutRepeats(batch: WriteBatch, newcomers: readonly number[]): readonly number[] {
    this.#repeats = []
    const byWord = new Map<number, number>()
    return newcomers.filter((series) => {
      const word = batch.hashes[series * 4]!
      const first = byWord.get(word)
      if (first === undefined) {
        byWord.set(word, series)
        return true
      }
      // When only this word is equal, both are treated as new.
      if (!isSameLabelSet(batch, first, series)) return true
      this.#repeats.push([series, first])
      return false
    })
  }

  /** Why a series of the batch is refused; only for one with samples and ref 0. */
  refusalOf(series: number): RefusedSeries {
    const refused = this.#refused.get(series)
    invariant(refused !== undefined, 'a series with samples and without a ref was refused with a reason')
    return refused
  }

  /**
   * The series of a batch entry that may have no samples: created if limits allow, because its samples may come in
   * another, later request. Undefined when its labels cannot be read or are refused.
   */
  resolveBeside(
    batch: WriteBatch,
    series: number,
    cluster: string | undefined,
  ): { readonly ref: SeriesRef; readonly sender: number } | undefined {
    const identities = this.#identities
    const known = identities.find(batch.hashes, series, batch.labelBytes[series]!)
    if (known > 0) return { ref: known, sender: identities.foundSender }
    if (known < 0) return undefined
    const sent = this.#admission(batch, series, cluster)
    if (sent?.kind !== 'admitted') return undefined
    const admission = this.#intake.identify(sent)
    if (admission.kind !== 'admitted') return undefined
    const ref = this.#intake.resolve(admission)
    if (typeof ref !== 'number') return undefined
    const sender = this.#intake.senderOf(admission)
    identities.remember(batch.hashes, series, batch.labelBytes[series]!, ref, sender)
    return { ref, sender }
  }

  #admission(batch: WriteBatch, series: number, cluster: string | undefined): Admission | undefined {
    try {
      const raw = this.#memo.read(batch.labelView(series), batch.labelOffset(series), batch.labelBytes[series]!)
      return admit(raw, cluster, this.#options)
    } catch (error) {
      if (error instanceof DecodeError) return undefined
      throw error
    }
  }

  forget(refs: ReadonlySet<SeriesRef>): void {
    this.#identities.forget(refs)
  }

  /** Resolves and remembers a new series; true for a new series without a cluster. */
  #settle(batch: WriteBatch, series: number, sent: Admission): boolean {
    const identities = this.#identities
    const { hashes } = batch
    const length = batch.labelBytes[series]!
    // Rarely: an earlier one of this request may have been the same after all.
    const known = identities.find(hashes, series, length)
    if (sent.kind === 'refused') {
      this.#refused.set(series, sent)
      if (known === 0) identities.rememberRefusal(hashes, series, length, sent)
      return false
    }
    if (known > 0) {
      this.refs[series] = known
      this.senders[series] = identities.foundSender
      return false
    }
    const admission = this.#intake.identify(sent)
    if (admission.kind === 'refused') {
      this.#refused.set(series, admission)
      // Others are not remembered: the cluster may be free later, and there may be room later.
      if (admission.reason === 'privacy_dropped') identities.rememberRefusal(hashes, series, length, admission)
      return false
    }
    const ref = this.#intake.resolve(admission)
    if (typeof ref !== 'number') {
      this.#refused.set(series, ref)
      return false
    }
    const sender = this.#intake.senderOf(admission)
    this.refs[series] = ref
    this.senders[series] = sender
    identities.remember(hashes, series, length, ref, sender)
    return !admission.isIdentified
  }
}

/** HOT. Samples or histograms; without histograms their column is not filled. */
function hasSamples(batch: WriteBatch, series: number): boolean {
  if (batch.sampleStart(series) !== batch.sampleEnd[series]) return true
  return batch.histogramCount > 0 && batch.histograms[series]! > 0
}

/** HOT. */
function isSameLabelSet(batch: WriteBatch, a: number, b: number): boolean {
  const { hashes, labelBytes } = batch
  for (let word = 0; word < 4; word++) if (hashes[a * 4 + word] !== hashes[b * 4 + word]) return false
  return labelBytes[a] === labelBytes[b]
}

/** Limits for reading a label set: longer ones are refused. */
export function labelLimits(options: IngestOptions): LabelLimits {
  const { labelsPerSeriesMax, labelNameBytesMax, labelValueBytesMax } = options
  return { labelsMax: labelsPerSeriesMax, textBytesMax: Math.max(labelNameBytesMax, labelValueBytesMax) }
}

/** The labels of one series of a batch as they were sent. @throws DecodeError when they cannot be read */
export function rawLabels(batch: WriteBatch, series: number, limits: LabelLimits): ReturnType<typeof readLabelFields> {
  return readLabelFields(batch.labelView(series), batch.labelOffset(series), batch.labelBytes[series]!, limits)
}
