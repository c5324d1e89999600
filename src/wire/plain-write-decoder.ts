import type { WriteRequestLimits } from './remote-write.ts'
import { WriteBatch } from './write-batch.ts'
import { WRITE_DECODER_BASE64 } from './write-decoder-wasm.ts'

/**
 * The fast path for a remote write 1.0 body: snappy, decoding and label hashes in WebAssembly
 * (`assembly/write-decoder.ts`). It accepts only the form that stock senders write: `SnappyDecoder` and
 * `WriteRequestDecoder` handle everything else, including malformed bodies and bodies beyond a limit, and report the
 * errors.
 *
 * ```
 * memory    | key | body ... | slack | decoded ... | slack | columns: 4 x int32, hashes, times, values |
 * ```
 */

/** What `assembly/write-decoder.ts` exports. Addresses and lengths in bytes. */
interface DecoderExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  decodeSnappy(from: number, end: number, to: number, length: number): number
  walkRequest(
    start: number,
    length: number,
    seriesMax: number,
    samplesMax: number,
    sampleEnd: number,
    labelStart: number,
    labelBytes: number,
    hashes: number,
    timesMs: number,
    values: number,
    key: number,
  ): number
}

/** The part of the global `WebAssembly` that is used here; Node's types omit it. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object
    readonly Instance: new (module: object) => { readonly exports: unknown }
  }
}

const NO_ROOM = -2
const PAGE_BYTES = 65_536
const KEY_AT = 16
const BODY_AT = 64
/** Bytes are moved sixteen at a time, up to three times past the end. */
const SLACK_BYTES = 64
/** As in snappy.ts: what announces more can never fill it. */
const EXPANSION_MAX = 64 / 3
/** sampleEnd, labelStart, labelBytes, four words of hash. */
const BYTES_PER_SERIES = 28
/** Time and value. */
const BYTES_PER_SAMPLE = 16

export class PlainWriteDecoder {
  readonly #limits: WriteRequestLimits
  readonly #decodedBytesMax: number
  readonly #wasm: DecoderExports
  readonly #batch = new WriteBatch()
  #bodyRoom = 128 * 1024
  #decodedRoom = 1024 * 1024
  #seriesRoom = 4096
  #samplesRoom = 4096
  #bytes = new Uint8Array(0)
  #key = new Int32Array(0)
  #view = new DataView(new ArrayBuffer(0))

  /** @param decodedBytesMax inclusive */
  constructor(limits: WriteRequestLimits, decodedBytesMax: number) {
    this.#limits = limits
    this.#decodedBytesMax = decodedBytesMax
    const module = new WebAssembly.Module(Buffer.from(WRITE_DECODER_BASE64, 'base64'))
    this.#wasm = new WebAssembly.Instance(module).exports as DecoderExports
    this.#layOut()
  }

  /**
   * The request as columns, hashed under `key` (four words): owned by this decoder, valid until the next call.
   * `undefined`: the body needs the other decoders, and may be valid or not.
   */
  decode(body: Uint8Array, key: Int32Array): WriteBatch | undefined {
    const length = plainLength(body)
    if (length === undefined || length > this.#decodedBytesMax || length > body.length * EXPANSION_MAX) return undefined
    this.#reserve(body.length, length)
    this.#key.set(key)
    this.#bytes.set(body, BODY_AT)
    const start = BODY_AT + varintBytes(length)
    if (this.#wasm.decodeSnappy(start, BODY_AT + body.length, this.#decodedAt, length) !== 0) return undefined
    let seriesCount = this.#walk(length)
    // The decoded bytes stay where they are when the columns behind them grow.
    while (seriesCount === NO_ROOM && this.#growColumns()) seriesCount = this.#walk(length)
    return seriesCount < 0 ? undefined : this.#filled(seriesCount)
  }

  #walk(length: number): number {
    const { sampleEnd, labelStart, labelBytes, hashes, timesMs, values } = this.#batch
    return this.#wasm.walkRequest(
      this.#decodedAt,
      length,
      Math.min(this.#seriesRoom, this.#limits.seriesMax),
      Math.min(this.#samplesRoom, this.#limits.samplesMax),
      sampleEnd.byteOffset,
      labelStart.byteOffset,
      labelBytes.byteOffset,
      hashes.byteOffset,
      timesMs.byteOffset,
      values.byteOffset,
      KEY_AT,
    )
  }

  #filled(seriesCount: number): WriteBatch {
    const batch = this.#batch
    batch.reset(this.#view)
    batch.seriesCount = seriesCount
    batch.sampleCount = seriesCount === 0 ? 0 : batch.sampleEnd[seriesCount - 1]!
    return batch
  }

  get #decodedAt(): number {
    return BODY_AT + this.#bodyRoom + SLACK_BYTES
  }

  #reserve(bodyBytes: number, decodedBytes: number): void {
    if (bodyBytes <= this.#bodyRoom && decodedBytes <= this.#decodedRoom) return
    while (this.#bodyRoom < bodyBytes) this.#bodyRoom *= 2
    while (this.#decodedRoom < decodedBytes) this.#decodedRoom *= 2
    this.#layOut()
  }

  /** False when they are as long as a request may need already. */
  #growColumns(): boolean {
    const { seriesMax, samplesMax } = this.#limits
    if (this.#seriesRoom >= seriesMax && this.#samplesRoom >= samplesMax) return false
    if (this.#seriesRoom < seriesMax) this.#seriesRoom *= 2
    if (this.#samplesRoom < samplesMax) this.#samplesRoom *= 2
    this.#layOut()
    return true
  }

  /** Makes the memory large enough, and the columns views of it. */
  #layOut(): void {
    const { memory } = this.#wasm
    const columnsAt = this.#decodedAt + this.#decodedRoom + SLACK_BYTES
    const bytes = columnsAt + this.#seriesRoom * BYTES_PER_SERIES + this.#samplesRoom * BYTES_PER_SAMPLE
    if (bytes > memory.buffer.byteLength) memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES))
    const { buffer } = memory
    this.#bytes = new Uint8Array(buffer)
    this.#key = new Int32Array(buffer, KEY_AT, 4)
    this.#view = new DataView(buffer, this.#decodedAt)
    const batch = this.#batch
    let at = columnsAt
    const words = (count: number): Int32Array<ArrayBuffer> => {
      const column = new Int32Array(buffer, at, count)
      at += column.byteLength
      return column
    }
    const floats = (count: number): Float64Array<ArrayBuffer> => {
      const column = new Float64Array(buffer, at, count)
      at += column.byteLength
      return column
    }
    batch.timesMs = floats(this.#samplesRoom)
    batch.values = floats(this.#samplesRoom)
    batch.valueBits = new Uint32Array(buffer, batch.values.byteOffset, this.#samplesRoom * 2)
    batch.hashes = words(this.#seriesRoom * 4)
    batch.sampleEnd = words(this.#seriesRoom)
    batch.labelStart = words(this.#seriesRoom)
    batch.labelBytes = words(this.#seriesRoom)
  }
}

/** The decoded length as a block announces it; `undefined` when that is not a varint of up to 28 bits. */
function plainLength(body: Uint8Array): number | undefined {
  let length = 0
  for (let i = 0; i < 4 && i < body.length; i++) {
    length |= (body[i]! & 0x7f) << (7 * i)
    if (body[i]! < 0x80) return varintBytes(length) === i + 1 ? length : undefined
  }
  return undefined
}

/** The number of bytes of a number below 2^28. */
function varintBytes(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : 4
}
