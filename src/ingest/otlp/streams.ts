import { Labels } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import { admit } from '../admission.ts'
import type { Intake } from '../intake.ts'
import { isCovered, seriesOf, type StreamShape } from './points.ts'
import type { RefusedSeries } from '../refusals.ts'

/** The series of one stream: of one resource, metric and attribute list. */
export interface Stream {
  readonly kind: 'stream'
  readonly shape: StreamShape
  /** In the order of `seriesOf`. */
  readonly refs: readonly SeriesRef[]
  /** Who sends it (`Intake.senderOf`). */
  readonly sender: number
}

interface RefusedStream extends RefusedSeries {
  readonly kind: 'refused'
}

/**
 * From the key of a stream to its series, or to the reason why it is refused: what makes labels be put together once
 * and not with every point. Nothing is lost by forgetting: the same labels are resolved to the same series.
 */
export class StreamTable {
  readonly #intake: Intake
  readonly #known: TwoGenerations<Stream | RefusedStream>
  /** Streams without a cluster that were made since this was last set to 0. */
  newUnidentified = 0

  constructor(intake: Intake, streamsMax: number) {
    this.#intake = intake
    this.#known = new TwoGenerations(streamsMax)
    intake.onClaimsForgotten(() => {
      this.#known.clear()
    })
  }

  /** HOT: once per point. The cached stream, whatever its shape. */
  get(key: string): Stream | RefusedStream | undefined {
    return this.#known.get(key)
  }

  /** HOT. The stream, with series for this shape; calls `labels` only for a new stream or a changed shape. */
  find(
    key: string,
    shape: StreamShape,
    cluster: string | undefined,
    labels: () => ReadonlyMap<string, string>,
  ): Stream | RefusedStream {
    const known = this.#known.get(key)
    if (known !== undefined && (known.kind === 'refused' || isCovered(shape, known.shape))) return known
    return this.#make(key, shape, cluster, labels(), known === undefined)
  }

  #make(
    key: string,
    shape: StreamShape,
    cluster: string | undefined,
    pairs: ReadonlyMap<string, string>,
    isNew: boolean,
  ): Stream | RefusedStream {
    const raw = [...pairs].map(([name, value]) => {
      return { name, value, nameBytes: Buffer.byteLength(name), valueBytes: Buffer.byteLength(value) }
    })
    const sent = admit(raw, cluster, this.#intake.options)
    if (sent.kind === 'refused') {
      this.#known.set(key, sent)
      return sent
    }
    const admission = this.#intake.identify(sent)
    if (admission.kind === 'refused') {
      // Others are not remembered: the cluster may be free later.
      if (admission.reason === 'privacy_dropped') this.#known.set(key, admission)
      return admission
    }
    const refs = this.#intake.resolveAll(seriesOf(admission.labels, shape), admission.dropped)
    // Not remembered: there may be room for it later.
    if ('reason' in refs) return { kind: 'refused', ...refs }
    if (!admission.isIdentified && isNew) this.newUnidentified++
    const stream: Stream = { kind: 'stream', shape, refs, sender: this.#intake.senderOf(admission) }
    this.#known.set(key, stream)
    return stream
  }
}

/** A label set as PromQL writes it. Cold: once per reason and request. */
export function textOfLabels(pairs: ReadonlyMap<string, string>): string {
  return Labels.fromPairs(pairs).toString()
}

/**
 * Short ids for long keys: a resource takes some 500 characters and is part of the key of each of its metrics. Ids are
 * not reused, so eviction costs a new id and never confuses two resources.
 */
export class StreamIds {
  readonly #ids = new Map<string, number>()
  #last = 0

  /** Limit for resources, scopes and metrics with an id. */
  static readonly IDS_MAX = 200_000

  of(key: string): number {
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    if (this.#ids.size === StreamIds.IDS_MAX) this.#ids.clear()
    this.#ids.set(key, ++this.#last)
    return this.#last
  }
}

/**
 * A bounded cache of recently used values: each time it is half full, values unused since the previous time are
 * evicted. An approximate LRU that costs one more lookup for aged values. Callers must be able to recompute every
 * value.
 */
class TwoGenerations<T> {
  readonly #generationMax: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()

  /** @param entriesMax the most entries; at least 2 */
  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2))
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** HOT. A lookup counts as use. */
  get(key: string): T | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old === undefined) return undefined
    this.#old.delete(key)
    this.set(key, old)
    return old
  }

  set(key: string, value: T): void {
    this.#young.set(key, value)
    if (this.#young.size < this.#generationMax) return
    this.#old = this.#young
    this.#young = new Map()
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
