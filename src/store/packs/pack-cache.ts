import { inflatePayload, type Directory } from './pack-codec.ts'

/**
 * Inflated packs of earlier reads: the next refresh of a dashboard reads the same packs, and a query that reads series
 * in portions reads a pack twice. Evicts the least recently used pack.
 */

/** Limit for the bytes of directories and inflated payloads. */
const BYTES_MAX = 64 * 1024 * 1024
/** Bytes of a directory per series, and of an entry itself. */
const ENTRY_BYTES = 20
const PACK_BYTES = 500

/** Identifies a pack: SQLite reuses a row's id after the row is removed, but never a block's. */
interface PackKey {
  readonly id: number
  readonly block: number
  readonly metric: number
  readonly firstRef: number
}

export interface CachedPack extends PackKey {
  readonly directory: Directory
  readonly payload: Uint8Array
  readonly bytes: number
}

export class PackCache {
  readonly #packs = new Map<number, CachedPack>()
  #bytes = 0

  /** Marks the pack as most recently used. */
  get({ id, block, firstRef }: Omit<PackKey, 'metric'>): CachedPack | undefined {
    const pack = this.#packs.get(id)
    if (pack === undefined) return undefined
    this.#packs.delete(id)
    if (pack.block !== block || pack.firstRef !== firstRef) {
      this.#bytes -= pack.bytes
      return undefined
    }
    this.#packs.set(id, pack)
    return pack
  }

  /** Throws `MalformedBytesError`. */
  add({ id, block, metric, firstRef }: PackKey, directory: Directory, deflated: Uint8Array): CachedPack {
    const payload = inflatePayload(deflated, directory)
    const bytes = payload.byteLength + directory.count * ENTRY_BYTES + PACK_BYTES
    const pack: CachedPack = { id, block, metric, firstRef, directory, payload, bytes }
    this.#packs.set(id, pack)
    this.#bytes += bytes
    for (const [oldest, old] of this.#packs) {
      if (this.#bytes <= BYTES_MAX) break
      this.#packs.delete(oldest)
      this.#bytes -= old.bytes
    }
    return pack
  }
}
