import type { SeriesRef } from '../../model/series.ts'
import { ByteReader, ByteWriter, deflate, inflate, INFLATED_BYTES_MAX, MalformedBytesError } from '../bytes.ts'

/**
 * A pack: the chunks of up to `PACK_SERIES` series of one metric, by rising ref, deflated together. Its directory lists
 * the series, their time ranges and the offsets of their chunks, so that a reader inflates only the packs it needs.
 * Drawn in README.md.
 */

/** Enough to make one inflate worth its while, few enough that reading one series stays cheap. */
export const PACK_SERIES = 128
/** A pack above this size takes no further chunk, so that one read does not inflate megabytes for a few floats. */
const PACK_BYTES = 512 * 1024

const VERSION = 2
/** Times are stored in full, because their distance to the pack's own time is not exact. */
const IS_WIDE = 128
/**
 * Measured on 128 series of 240 samples: for noisy counters and gauges the sizes of levels 1 to 9 differ by at most 5 %
 * (0.62 and 1.8 bytes per sample); for regular series level 6 saves a seventh compared with level 3 but takes many
 * times as long.
 */
const DEFLATE = { level: 3 }

/** A chunk with the times of its first and last sample, both inclusive. */
export interface Chunk {
  readonly ref: SeriesRef
  readonly fromMs: number
  readonly toMs: number
  /** How many runs it has. */
  readonly runs: number
  readonly payload: Uint8Array
}

/** What a row of `pack` has beside its block and metric. */
export interface Pack {
  readonly firstRef: SeriesRef
  readonly lastRef: SeriesRef
  readonly fromMs: number
  readonly toMs: number
  readonly directory: Uint8Array
  readonly payload: Uint8Array
}

/** Where in a pack each series is: columns of `count` entries, by rising ref. */
export interface Directory {
  readonly count: number
  readonly refs: Uint32Array
  readonly fromsMs: Float64Array
  readonly tosMs: Float64Array
  /** The chunk of entry i is `[ends[i - 1] or 0, ends[i])` of the inflated payload. */
  readonly ends: Uint32Array
  /** Runs of each chunk, so that a query that would read too many is refused early. */
  readonly runs: Uint32Array
}

/** Collects the chunks of one pack. */
export class PackFiller {
  readonly chunks: Chunk[] = []
  #bytes = 0

  get isFull(): boolean {
    return this.chunks.length >= PACK_SERIES || this.#bytes >= PACK_BYTES
  }

  /** Refs must rise. */
  push(chunk: Chunk): void {
    this.chunks.push(chunk)
    this.#bytes += chunk.payload.length
  }
}

const bytes = new ByteWriter()

/** At least one chunk, refs rising. */
export function encodePack(chunks: readonly Chunk[]): Pack {
  let fromMs = Infinity
  let toMs = -Infinity
  let payloadBytes = 0
  for (const chunk of chunks) {
    fromMs = Math.min(fromMs, chunk.fromMs)
    toMs = Math.max(toMs, chunk.toMs)
    payloadBytes += chunk.payload.length
  }
  const payload = new Uint8Array(payloadBytes)
  let at = 0
  for (const chunk of chunks) {
    payload.set(chunk.payload, at)
    at += chunk.payload.length
  }
  return {
    firstRef: chunks[0]!.ref,
    lastRef: chunks.at(-1)!.ref,
    fromMs,
    toMs,
    directory: deflate(encodeDirectory(chunks, fromMs, toMs), DEFLATE),
    payload: deflate(payload, DEFLATE),
  }
}

function encodeDirectory(chunks: readonly Chunk[], fromMs: number, toMs: number): Uint8Array {
  const isWide = !Number.isSafeInteger(toMs - fromMs)
  bytes.clear()
  bytes.reserve(10 + chunks.length * 40)
  bytes.byte(VERSION | (isWide ? IS_WIDE : 0))
  bytes.unsigned(chunks.length)
  let ref = 0
  for (const chunk of chunks) {
    bytes.unsigned(chunk.ref - ref)
    ref = chunk.ref
  }
  for (const chunk of chunks) bytes.signed(isWide ? chunk.fromMs : chunk.fromMs - fromMs)
  for (const chunk of chunks) bytes.signed(isWide ? chunk.toMs : chunk.toMs - toMs)
  for (const chunk of chunks) bytes.unsigned(chunk.payload.length)
  for (const chunk of chunks) bytes.unsigned(chunk.runs)
  return bytes.take()
}

/** Throws `MalformedBytesError`. `fromMs` and `toMs` are the pack's. */
export function decodeDirectory(deflated: Uint8Array, fromMs: number, toMs: number): Directory {
  const reader = new ByteReader(inflate(deflated))
  const head = reader.byte()
  const version = head & ~IS_WIDE
  if (version !== VERSION) throw new MalformedBytesError(`pack version ${version}, want ${VERSION}`)
  const isWide = (head & IS_WIDE) !== 0
  const count = reader.unsigned()
  if (count === 0 || count > PACK_SERIES) throw new MalformedBytesError(`pack of ${count} series`)
  const refs = new Uint32Array(count)
  const fromsMs = new Float64Array(count)
  const tosMs = new Float64Array(count)
  const ends = new Uint32Array(count)
  let ref = 0
  for (let i = 0; i < count; i++) {
    const step = reader.unsigned()
    ref += step
    if (step === 0 || ref > 0xffffffff) throw new MalformedBytesError(`refs of a pack do not rise at entry ${i}`)
    refs[i] = ref
  }
  for (let i = 0; i < count; i++) fromsMs[i] = reader.signed() + (isWide ? 0 : fromMs)
  for (let i = 0; i < count; i++) tosMs[i] = reader.signed() + (isWide ? 0 : toMs)
  let end = 0
  for (let i = 0; i < count; i++) {
    end += reader.unsigned()
    if (end > INFLATED_BYTES_MAX) throw new MalformedBytesError(`pack of more than ${INFLATED_BYTES_MAX} bytes`)
    ends[i] = end
  }
  const runs = new Uint32Array(count)
  for (let i = 0; i < count; i++) runs[i] = reader.unsigned()
  if (!reader.isAtEnd) throw new MalformedBytesError('bytes after the directory')
  return { count, refs, fromsMs, tosMs, ends, runs }
}

/** All chunks of a pack, one after the other. Throws `MalformedBytesError`. */
export function inflatePayload(deflated: Uint8Array, directory: Directory): Uint8Array {
  const wanted = directory.ends[directory.count - 1]!
  const payload = inflate(deflated, wanted)
  if (payload.length !== wanted) throw new MalformedBytesError(`payload of ${payload.length} bytes, want ${wanted}`)
  return payload
}

/** One entry's part of the result of `inflatePayload`, as a view. */
export function chunkAt(payload: Uint8Array, directory: Directory, index: number): Uint8Array {
  return payload.subarray(index === 0 ? 0 : directory.ends[index - 1], directory.ends[index])
}
