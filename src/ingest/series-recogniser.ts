import { invariant } from '../base/invariant.ts'
import type { SeriesRef } from '../model/series.ts'
import { readLabelFields } from '../wire/label-fields.ts'
import type { LabelLimits } from '../wire/label-fields.ts'
import type { WriteBatch } from '../wire/write-batch.ts'
import { admit } from './admission.ts'
import type { Admission } from './admission.ts'
import { IdentityTable } from './identity-table.ts'
import type { IdentityScope } from './identity-table.ts'
import type { Intake } from './intake.ts'
import type { IngestOptions } from './options.ts'
import type { RefusedSeries } from './refused-series.ts'

/** Says of each series in a batch which one it is, or why it is refused. Knows what it saw in earlier batches. */
export class SeriesRecogniser {
  /** Per series of the batch: its ref, or 0: no samples, or `refusalOf` says why not. */
  refs = new Int32Array(256)
  /** Per series with a ref, who sent it (`Intake.senderOf`). */
  senders = new Int32Array(256)
  readonly #refused = new Map<number, RefusedSeries>()
  readonly #intake: Intake
  readonly #options: IngestOptions
  readonly #identities: IdentityTable

  constructor(intake: Intake, drawKey: (() => Int32Array) | undefined) {
    this.#intake = intake
    this.#options = intake.options
    this.#identities = new IdentityTable(intake.options.identityEntriesMax, drawKey)
    intake.onClaimsForgotten(() => {
      this.#identities.clear()
    })
  }

  /** The key under which the labels of a sender are hashed. */
  scope(cluster: string | undefined): IdentityScope {
    return this.#identities.scope(cluster)
  }

  /**
   * Fills `refs` for the batch, hashed under the scope of `cluster`, and answers how many series were seen first and
   * name no cluster. Series without samples are passed over: they are not made, and their labels may say anything.
   * HOT: the first loop, after which all series are known but a few.
   * @throws DecodeError when the labels of a new series cannot be read; then no series was made
   */
  recognise(batch: WriteBatch, cluster: string | undefined, nowMs: number): number {
    const identities = this.#identities
    identities.tell(nowMs)
    if (this.refs.length < batch.seriesCount) {
      this.refs = new Int32Array(batch.sampleEnd.length)
      this.senders = new Int32Array(batch.sampleEnd.length)
    }
    this.#refused.clear()
    const newcomers: number[] = []
    for (let series = 0; series < batch.seriesCount; series++) {
      if (batch.sampleStart(series) === batch.sampleEnd[series]) continue
      const found = identities.find(batch.hashes, series, batch.labelBytes[series]!)
      this.refs[series] = found > 0 ? found : 0
      this.senders[series] = identities.foundSender
      if (found < 0) this.#refused.set(series, identities.refusal(found))
      else if (found === 0) newcomers.push(series)
    }
    if (newcomers.length === 0) return 0
    // All of them are read before the first is resolved: one that breaks the body must leave no series behind.
    const limits = labelLimits(this.#options)
    const admissions = newcomers.map((series) => admit(rawLabels(batch, series, limits), cluster, this.#options))
    return newcomers.filter((series, i) => this.#settle(batch, series, admissions[i]!)).length
  }

  /** Why a series of the batch is refused whole; only for one whose ref is 0 and which has samples. */
  refusalOf(series: number): RefusedSeries {
    const refused = this.#refused.get(series)
    invariant(refused !== undefined, 'a series with samples and without a ref was refused with a reason')
    return refused
  }

  forget(refs: ReadonlySet<SeriesRef>): void {
    this.#identities.forget(refs)
  }

  /** Resolves and remembers a newcomer; true when it is a series without a cluster that was not known. */
  #settle(batch: WriteBatch, series: number, admission: Admission): boolean {
    const identities = this.#identities
    const { hashes } = batch
    const length = batch.labelBytes[series]!
    // Stock senders repeat the labels with each sample, so a new series may stand in a request more than once.
    const known = identities.find(hashes, series, length)
    if (admission.kind === 'refused') {
      this.#refused.set(series, admission)
      if (known === 0) identities.rememberRefusal(hashes, series, length, admission)
      return false
    }
    if (known > 0) {
      this.refs[series] = known
      this.senders[series] = identities.foundSender
      return false
    }
    const ref = this.#intake.resolve(admission.labels)
    if (typeof ref !== 'number') {
      // Not remembered: there may be room for it later.
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

/** How much of a label set is worth reading: what goes beyond is refused. */
export function labelLimits(options: IngestOptions): LabelLimits {
  const { labelsPerSeriesMax, labelNameBytesMax, labelValueBytesMax } = options
  return { labelsMax: labelsPerSeriesMax, textBytesMax: Math.max(labelNameBytesMax, labelValueBytesMax) }
}

/** The labels of one series of a batch as they were sent. @throws DecodeError when they cannot be read */
export function rawLabels(batch: WriteBatch, series: number, limits: LabelLimits): ReturnType<typeof readLabelFields> {
  return readLabelFields(batch.labelView(series), batch.labelOffset(series), batch.labelBytes[series]!, limits)
}
