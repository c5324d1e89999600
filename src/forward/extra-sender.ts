import { Stopped, type Delivery } from './delivery.ts'
import { encodeExemplars, encodeMetadata } from './extras.ts'
import type { LabelBytes } from './label-bytes.ts'
import type { SampleSource } from './sample-source.ts'
import { splitRefused } from './split.ts'

/** Of one request. */
const ITEMS_MAX = 500
/** While samples lag behind, exemplars are not held back for longer: the buffer has a limited number of them. */
const WAITS_MS_MAX = 10_000

type ExtraSource = Pick<SampleSource, 'exemplarsAfter' | 'metadataAfter'>

/** Sends exemplars and metadata, where the remote side accepts them: after the samples, so that their series are there. */
export class ExtraSender {
  sentExemplars = 0
  sentMetadata = 0
  /** Through which all are acknowledged. */
  exemplar: number
  metadata: number
  readonly #source: ExtraSource
  readonly #delivery: Delivery
  readonly #labels: LabelBytes
  #isSending = false
  #sentMs = -Infinity

  constructor(
    source: ExtraSource,
    delivery: Delivery,
    labels: LabelBytes,
    { exemplar, metadata }: { readonly exemplar: number; readonly metadata: number },
  ) {
    this.#source = source
    this.#delivery = delivery
    this.#labels = labels
    this.exemplar = exemplar
    this.metadata = metadata
  }

  /** @param isIdle all samples are acknowledged */
  sendSome(isIdle: boolean, nowMs: number): void {
    if (this.#isSending || (!isIdle && nowMs - this.#sentMs < WAITS_MS_MAX)) return
    this.#sentMs = nowMs
    this.#isSending = true
    void this.sendAll()
      .catch((thrown: unknown) => {
        if (!(thrown instanceof Stopped)) this.#delivery.lastError = { atMs: nowMs, text: String(thrown) }
      })
      .finally(() => (this.#isSending = false))
  }

  /** Rejects with `Stopped`. */
  async sendAll(): Promise<void> {
    const { facts } = this.#delivery
    for (;;) {
      const exemplars = facts?.acceptsExemplars === true ? this.#source.exemplarsAfter(this.exemplar, ITEMS_MAX) : []
      if (exemplars.length > 0) {
        this.sentExemplars += await this.#send(exemplars, (some) => encodeExemplars(this.#labels, some))
        this.exemplar = exemplars.at(-1)!.seq
      }
      const families = facts?.acceptsMetadata === true ? this.#source.metadataAfter(this.metadata, ITEMS_MAX) : []
      if (families.length > 0) {
        this.sentMetadata += await this.#send(families, encodeMetadata)
        this.metadata = families.at(-1)!.seq
      }
      if (exemplars.length + families.length === 0) return
    }
  }

  /** How many were accepted. */
  async #send<T>(items: readonly T[], encode: (items: readonly T[]) => Uint8Array): Promise<number> {
    let accepted = items.length
    const send = (from: number, to: number) =>
      this.#delivery.send(() => ({ protocol: '1.0', body: encode(items.slice(from, to)) }))
    const refused = await send(0, items.length)
    if (refused === undefined) return accepted
    const refuse = (): void => {
      accepted--
    }
    await splitRefused(items.length, send, refuse, refused, { requests: 0 })
    return accepted
  }
}
