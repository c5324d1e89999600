import type { SeriesRef } from '../../model/series.ts'
import { ByteReader, ByteWriter, deflate, inflate, INFLATED_BYTES_MAX, MalformedBytesError } from '../bytes.ts'
import type { BucketList } from './bucket-list.ts'
import { PACK_SERIES } from '../packs/pack-codec.ts'
import { encodeBuckets, type RollupChunk } from './rollup-codec.ts'

/**
 * The rollups of up to `PACK_SERIES` series of one metric, by rising ref, as three deflated payloads: edges, extremes,
 * sums. Each has the sizes of its parts at its beginning; that of the edges has the refs too. Drawn in README.md.
 */

/** What a row of `rollup` has beside its block, tier and metric. */
export interface RollupPack {
  readonly firstRef: SeriesRef
  readonly lastRef: SeriesRef
  readonly edges: Uint8Array
  readonly extremes: Uint8Array
  readonly sums: Uint8Array
}

/** Inflated edges: columns of `count` entries, by rising ref. */
export interface RollupEdges {
  readonly count: number
  readonly refs: Uint32Array
  /** What the numbers of the first buckets are written against. */
  readonly base: number
  readonly chunks: PackParts
}

/** The parts of one payload. */
export interface PackParts {
  readonly bytes: Uint8Array
  /** Part i is `[starts[i], starts[i + 1])` of the bytes. */
  readonly starts: Uint32Array
}

const VERSION = 1
/** As for packs: higher levels take many times as long for a few hundredths. */
const DEFLATE = { level: 3 }

/** Collects the series of one pack, and encodes them. */
export class RollupFiller {
  readonly #refs: SeriesRef[] = []
  readonly #chunks: RollupChunk[] = []
  #base = 0

  get count(): number {
    return this.#refs.length
  }

  get isFull(): boolean {
    return this.#refs.length >= PACK_SERIES
  }

  /** Refs must rise. The list may be used again; an empty one is left out. */
  push(ref: SeriesRef, list: BucketList): void {
    if (list.count === 0) return
    if (this.#refs.length === 0) this.#base = list.numbers[0]!
    this.#refs.push(ref)
    this.#chunks.push(encodeBuckets(list, this.#base))
  }

  /** A series as it is encoded against `base`, which is that of all chunks of the pack. */
  pushChunk(ref: SeriesRef, chunk: RollupChunk, base: number): void {
    this.#base = base
    this.#refs.push(ref)
    this.#chunks.push(chunk)
  }

  /** Returns the pushed series as a pack; the filler is empty afterwards. */
  take(): RollupPack {
    const refs = this.#refs.splice(0)
    const chunks = this.#chunks.splice(0)
    const pack = {
      firstRef: refs[0]!,
      lastRef: refs[refs.length - 1]!,
      edges: deflate(edgesOf(refs, this.#base, chunks), DEFLATE),
      extremes: deflate(partsOf(chunks.map((chunk) => chunk.extremes)), DEFLATE),
      sums: deflate(partsOf(chunks.map((chunk) => chunk.sums)), DEFLATE),
    }
    return pack
  }
}

const bytes = new ByteWriter()

function edgesOf(refs: readonly SeriesRef[], base: number, chunks: readonly RollupChunk[]): Uint8Array {
  bytes.clear()
  bytes.reserve(32 + refs.length * 10)
  bytes.byte(VERSION)
  bytes.unsigned(refs.length)
  bytes.signed(base)
  let before = 0
  for (const ref of refs) {
    bytes.unsigned(ref - before)
    before = ref
  }
  putParts(chunks.map((chunk) => chunk.edges))
  return bytes.take()
}

function partsOf(parts: readonly Uint8Array[]): Uint8Array {
  bytes.clear()
  putParts(parts)
  return bytes.take()
}

/** All sizes, then all parts. */
function putParts(parts: readonly Uint8Array[]): void {
  let size = 0
  for (const part of parts) size += part.length
  bytes.reserve(parts.length * 5 + size)
  for (const part of parts) bytes.unsigned(part.length)
  for (const part of parts) {
    bytes.bytes.set(part, bytes.length)
    bytes.length += part.length
  }
}

/**
 * A pack without some series; `same`: it has none of them; `undefined`: it has no others. Throws `MalformedBytesError`.
 * @param rest the other two payloads, which are needed only when it has some
 */
export function rollupWithout(
  edges: Uint8Array,
  rest: () => Pick<RollupPack, 'extremes' | 'sums'>,
  erased: ReadonlySet<SeriesRef>,
): RollupPack | 'same' | undefined {
  const { count, refs, base, chunks } = decodeEdges(edges)
  const left = Array.from(refs.keys()).filter((i) => !erased.has(refs[i]!))
  if (left.length === count) return 'same'
  if (left.length === 0) return undefined
  const { extremes, sums } = rest()
  const [ofExtremes, ofSums] = [decodeParts(extremes, count), decodeParts(sums, count)]
  const filler = new RollupFiller()
  for (const i of left) {
    const chunk = { edges: partAt(chunks, i), extremes: partAt(ofExtremes, i), sums: partAt(ofSums, i) }
    filler.pushChunk(refs[i]!, chunk, base)
  }
  return filler.take()
}

/** Throws `MalformedBytesError`. */
export function decodeEdges(deflated: Uint8Array): RollupEdges {
  const inflated = inflate(deflated)
  const reader = new ByteReader(inflated)
  const version = reader.byte()
  if (version !== VERSION) throw new MalformedBytesError(`rollup version ${version}, want ${VERSION}`)
  const count = reader.unsigned()
  if (count === 0 || count > PACK_SERIES) throw new MalformedBytesError(`rollup of ${count} series`)
  const base = reader.signed()
  const refs = new Uint32Array(count)
  let ref = 0
  for (let i = 0; i < count; i++) {
    const step = reader.unsigned()
    ref += step
    if (step === 0 || ref > 0xffffffff) throw new MalformedBytesError(`refs of a rollup do not rise at entry ${i}`)
    refs[i] = ref
  }
  return { count, refs, base, chunks: readParts(inflated, reader, count) }
}

/** The extremes or the sums of a pack of `count` series. Throws `MalformedBytesError`. */
export function decodeParts(deflated: Uint8Array, count: number): PackParts {
  const inflated = inflate(deflated)
  return readParts(inflated, new ByteReader(inflated), count)
}

function readParts(inflated: Uint8Array, reader: ByteReader, count: number): PackParts {
  const starts = new Uint32Array(count + 1)
  let size = 0
  for (let i = 0; i < count; i++) {
    starts[i] = size
    size += reader.unsigned()
    if (size > INFLATED_BYTES_MAX) throw new MalformedBytesError(`rollup of more than ${INFLATED_BYTES_MAX} bytes`)
  }
  starts[count] = size
  const from = reader.at
  if (inflated.length !== from + size) {
    throw new MalformedBytesError(`payload of ${inflated.length - from} bytes, want ${size}`)
  }
  return { bytes: inflated.subarray(from), starts }
}

/** One series' part, as a view. */
export function partAt({ bytes: all, starts }: PackParts, index: number): Uint8Array {
  return all.subarray(starts[index], starts[index + 1])
}
