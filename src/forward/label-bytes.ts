import { grown } from '../base/grown.ts'
import type { SeriesRef } from '../model/series.ts'
import type { SeriesSource } from './sample-source.ts'

/**
 * The labels of series as fields of a remote write message. A label pair is encoded once, and a series is a list of places
 * of pairs: some 60 bytes a series. Loaded when a series is needed first, with all that were stored beside it; when the
 * limit is reached everything is dropped and loaded anew, which also forgets series that are gone.
 *
 * ```
 * pairs   | bytes of the field (4) | 0x0a length | 0x0a length name | 0x12 length value |
 * series  | pairs | bytes of all fields | place of a pair ... |
 * ```
 */

/** Of both arenas: some two million series. */
const BYTES_MAX = 256 * 1024 * 1024
const PAGE_BITS = 12
const PAGE_MASK = (1 << PAGE_BITS) - 1

export class LabelBytes {
  readonly #source: SeriesSource
  readonly #bytesMax: number
  readonly #encoder = new TextEncoder()
  #pairs = new Uint8Array(64 * 1024)
  #pairsView = new DataView(this.#pairs.buffer)
  #pairsEnd = 0
  #pairPlaces = new Map<number, number>()
  #series = new Int32Array(64 * 1024)
  #seriesEnd = 1
  /** Places of series by ref; 0: not loaded. */
  #pages: (Int32Array | undefined)[] = []

  constructor(source: SeriesSource, bytesMax = BYTES_MAX) {
    this.#source = source
    this.#bytesMax = bytesMax
  }

  /** HOT: once per sample. Bytes of the label fields of a series; 0: it was removed. */
  byteLength(ref: SeriesRef): number {
    const place = this.#placeOf(ref)
    return place === 0 ? 0 : this.#series[place + 1]!
  }

  /** HOT: once per series of a request. Writes the label fields to `target`, which has room, and returns their end. */
  write(ref: SeriesRef, target: DataView, start: number): number {
    const place = this.#placeOf(ref)
    if (place === 0) return start
    const series = this.#series
    const pairs = this.#pairsView
    let to = start
    const end = place + 2 + series[place]!
    for (let i = place + 2; i < end; i++) {
      let from = series[i]! + 4
      const pairEnd = from + pairs.getInt32(from - 4, true)
      // Word by word: labels are short, and a call for each costs more.
      for (const lastWord = pairEnd - 4; from <= lastWord; from += 4, to += 4) {
        target.setInt32(to, pairs.getInt32(from, true), true)
      }
      for (; from < pairEnd; from++, to++) target.setUint8(to, pairs.getUint8(from))
    }
    return to
  }

  /** The label fields of a series; a new array that the caller owns. */
  fieldsOf(ref: SeriesRef): Uint8Array {
    const fields = new Uint8Array(this.byteLength(ref))
    this.write(ref, new DataView(fields.buffer), 0)
    return fields
  }

  /** Names and values, alternating. */
  flatOf(ref: SeriesRef): readonly string[] {
    return flatOfFields(this.fieldsOf(ref))
  }

  #placeOf(ref: SeriesRef): number {
    const place = this.#pages[ref >>> PAGE_BITS]?.[ref & PAGE_MASK] ?? 0
    return place === 0 ? this.#load(ref) : place
  }

  #load(ref: SeriesRef): number {
    if (this.#pairsEnd + this.#seriesEnd * 4 > this.#bytesMax) this.#drop()
    this.#source.eachSeriesNear(ref, (near, pairIds) => {
      if ((this.#pages[near >>> PAGE_BITS]?.[near & PAGE_MASK] ?? 0) === 0) this.#addPairs(near, pairIds)
    })
    const place = this.#pages[ref >>> PAGE_BITS]?.[ref & PAGE_MASK] ?? 0
    if (place !== 0) return place
    const flat = this.#source.coldLabelsOf(ref)
    if (flat === undefined) return 0
    const places: number[] = []
    for (let i = 0; i < flat.length; i += 2) places.push(this.#encode(flat[i]!, flat[i + 1]!))
    return this.#add(ref, places)
  }

  #addPairs(ref: SeriesRef, pairIds: readonly number[]): void {
    const places: number[] = []
    for (const id of pairIds) {
      let place = this.#pairPlaces.get(id)
      if (place === undefined) {
        const pair = this.#source.pairOf(id)
        // The series is being erased.
        if (pair === undefined) return
        place = this.#encode(pair[0], pair[1])
        this.#pairPlaces.set(id, place)
      }
      places.push(place)
    }
    this.#add(ref, places)
  }

  #add(ref: SeriesRef, places: readonly number[]): number {
    const place = this.#seriesEnd
    const needed = place + 2 + places.length
    if (needed > this.#series.length) this.#series = grown(this.#series, Math.max(this.#series.length * 2, needed))
    let bytes = 0
    places.forEach((at, i) => {
      this.#series[place + 2 + i] = at
      bytes += this.#pairs[at]! | (this.#pairs[at + 1]! << 8) | (this.#pairs[at + 2]! << 16)
    })
    this.#series[place] = places.length
    this.#series[place + 1] = bytes
    this.#seriesEnd = needed
    const page = (this.#pages[ref >>> PAGE_BITS] ??= new Int32Array(1 << PAGE_BITS))
    page[ref & PAGE_MASK] = place
    return place
  }

  #encode(name: string, value: string): number {
    const [nameBytes, valueBytes] = [this.#encoder.encode(name), this.#encoder.encode(value)]
    const content = sizeOfText(nameBytes.length) + sizeOfText(valueBytes.length)
    const length = sizeOfText(content)
    const place = this.#pairsEnd
    const needed = place + 4 + length
    if (needed > this.#pairs.length) {
      this.#pairs = grown(this.#pairs, Math.max(this.#pairs.length * 2, needed))
      this.#pairsView = new DataView(this.#pairs.buffer)
    }
    const pairs = this.#pairs
    for (let i = 0; i < 4; i++) pairs[place + i] = length >>> (8 * i)
    let at = writeHead(pairs, place + 4, 0x0a, content)
    at = writeHead(pairs, at, 0x0a, nameBytes.length)
    pairs.set(nameBytes, at)
    at = writeHead(pairs, at + nameBytes.length, 0x12, valueBytes.length)
    pairs.set(valueBytes, at)
    this.#pairsEnd = needed
    return place
  }

  #drop(): void {
    this.#pairsEnd = 0
    this.#pairPlaces = new Map()
    this.#seriesEnd = 1
    this.#pages = []
  }
}

/** Bytes of a tag, a length and as many bytes. */
function sizeOfText(bytes: number): number {
  let size = 2 + bytes
  for (let left = bytes; left >= 0x80; left >>>= 7) size++
  return size
}

/** A tag and a length; returns their end. */
function writeHead(target: Uint8Array, start: number, tag: number, length: number): number {
  let at = start
  target[at++] = tag
  let left = length
  for (; left >= 0x80; left >>>= 7) target[at++] = (left & 0x7f) | 0x80
  target[at++] = left
  return at
}

/** The inverse of `write`: names and values, alternating. */
function flatOfFields(fields: Uint8Array): readonly string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const flat: string[] = []
  let at = 0
  const length = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = fields[at++]!
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < fields.length) {
    at++
    length()
    for (let text = 0; text < 2; text++) {
      at++
      const end = length() + at
      flat.push(decoder.decode(fields.subarray(at, end)))
      at = end
    }
  }
  return flat
}
