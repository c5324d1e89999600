import { inflatePayload, type Directory } from './pack-codec.ts'

/**
 * Packs that were read before, inflated: the next turn of a dashboard reads the same ones, and a query that takes series
 * in portions meets a pack twice. What was not asked for the longest time goes first.
 */

/** Bytes of directories and inflated payloads that are kept. */
const BYTES_MAX = 64 * 1024 * 1024
/** What a directory takes per series, and what an entry takes beside. */
const ENTRY_BYTES = 20
const PACK_BYTES = 500

/** What names a pack: a row's number is used again after the row is gone, a block's never. */
export interface PackKey {
  readonly id: number
  readonly block: number
  readonly firstRef: number
}

export interface CachedPack {
  readonly block: number
  readonly firstRef: number
  readonly directory: Directory
  readonly payload: Uint8Array
  readonly bytes: number
}

export class PackCache {
  readonly #packs = new Map<number, CachedPack>()
  #bytes = 0

  /** Moves it to the end of those that go. */
  get({ id, block, firstRef }: PackKey): CachedPack | undefined {
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
  add({ id, block, firstRef }: PackKey, directory: Directory, deflated: Uint8Array): CachedPack {
    const payload = inflatePayload(deflated, directory)
    const bytes = payload.byteLength + directory.count * ENTRY_BYTES + PACK_BYTES
    const pack: CachedPack = { block, firstRef, directory, payload, bytes }
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
