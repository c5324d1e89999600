import { FleetError } from '../base/errors.ts'

/** A sender as admission knows it: the cluster of a token, a token, a person, or an address. */
export interface HeadOwner {
  readonly kind: string
  readonly name: string
}

interface Share {
  /** Halved every `halfLifeMs` since `atMs`. */
  samples: number
  atMs: number
}

interface HeadSharesOptions {
  /** `store.head-bytes-max`. */
  readonly bytesMax: number
  /** After it half of the samples that a sender sent have left the head. */
  readonly halfLifeMs: number
}

/** Below this share of its limit the head has room for everybody. */
const PRESSURE = 0.75
/** Clusters differ in size: so many times an equal part is fair. */
const EQUAL_PARTS = 1.5
/** Addresses can be many; further ones share one entry. */
const OWNERS_MAX = 20_000
const OTHERS: HeadOwner = { kind: 'address', name: 'others' }

/**
 * Who filled the head. Samples remain there for as long as late ones are accepted, so a sender that sends far more than the
 * others fills it, and then the data of all are refused. Above `PRESSURE` the samples of a sender are refused while its
 * samples take more than `EQUAL_PARTS` equal parts of the limit; the rest of the head remains for the others.
 */
export class HeadShares {
  readonly #options: HeadSharesOptions
  readonly #owners = new Map<string, Share>()
  readonly #total: Share = { samples: 0, atMs: 0 }
  #usedBytes = 0

  constructor(options: HeadSharesOptions) {
    this.#options = options
  }

  /** Call every second or so. @param usedBytes of the head */
  see(usedBytes: number, nowMs: number): void {
    this.#usedBytes = usedBytes
    for (const [key, share] of this.#owners) if (this.#samplesAt(share, nowMs) < 1) this.#owners.delete(key)
  }

  /** HOT: once per request. Why the samples of a sender are refused now: `overloaded`. */
  refusal(owner: HeadOwner, nowMs: number): FleetError | undefined {
    const { bytesMax } = this.#options
    if (this.#usedBytes <= bytesMax * PRESSURE) return undefined
    const share = this.#owners.get(keyOf(owner))
    if (share === undefined) return undefined
    const ownBytes = (this.#usedBytes * this.#samplesAt(share, nowMs)) / this.#samplesAt(this.#total, nowMs)
    if (ownBytes <= (bytesMax * EQUAL_PARTS) / this.#owners.size) return undefined
    const megabytes = Math.round(ownBytes / 1e6)
    return new FleetError(
      'overloaded',
      `samples of this ${owner.kind} take about ${megabytes} MB of store.head-bytes-max, more than its share`,
    )
  }

  /** HOT: once per request. Samples of a sender were appended. */
  add(owner: HeadOwner, samples: number, nowMs: number): void {
    if (samples === 0) return
    let key = keyOf(owner)
    if (!this.#owners.has(key) && this.#owners.size >= OWNERS_MAX) key = keyOf(OTHERS)
    let share = this.#owners.get(key)
    if (share === undefined) this.#owners.set(key, (share = { samples: 0, atMs: nowMs }))
    for (const one of [share, this.#total]) {
      one.samples = this.#samplesAt(one, nowMs) + samples
      one.atMs = nowMs
    }
  }

  #samplesAt({ samples, atMs }: Share, nowMs: number): number {
    return samples * 2 ** -(Math.max(0, nowMs - atMs) / this.#options.halfLifeMs)
  }
}

function keyOf({ kind, name }: HeadOwner): string {
  return `${kind} ${name}`
}
