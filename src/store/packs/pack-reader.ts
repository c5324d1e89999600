import { FleetError } from '../../base/errors.ts'
import type { ReadTally } from '../../model/read-tally.ts'
import { RunColumns } from '../../model/run-columns.ts'
import type { SeriesRef } from '../../model/series.ts'
import { MalformedBytesError } from '../bytes.ts'
import { decodeChunk, readRuns } from './chunk-reader.ts'
import { PackCache, type CachedPack } from './pack-cache.ts'
import { chunkAt, decodeDirectory, inflatePayload, PACK_SERIES, type Directory } from './pack-codec.ts'
import type { RunList } from '../head/run-list.ts'
import { Statements } from '../statements.ts'

/** Flushed samples, as readers see them: the packs of one metric in each block that a range touches. */

/** Where the chunk at entry `entry` of a pack is. It is there until the next read. */
export interface PlacedChunk {
  readonly place: number
  readonly pack: CachedPack
  readonly entry: number
}

interface PackHead {
  readonly id: number
  readonly firstRef: number
  readonly fromMs: number
  readonly toMs: number
}

interface PackDirectory {
  readonly id: number
  readonly fromMs: number
  readonly toMs: number
  readonly directory: Uint8Array
}

/** The requested refs of one metric, and their indexes in the request. */
export interface MetricRefs {
  readonly metric: number
  readonly refs: number[]
  readonly places: number[]
}

/** Block, metric, last ref, first ref, from, to. */
type PackRange = [number, number, number, number, number, number]

const OVERLAPPING = 'SELECT id FROM block WHERE to_ms >= ? AND from_ms <= ? AND tiers & 1 != 0 ORDER BY position'
const IN_RANGE = `FROM pack WHERE block = ? AND metric = ? AND first_ref <= ? AND last_ref >= ?
  AND to_ms >= ? AND from_ms <= ? ORDER BY first_ref`

export class PackReader extends Statements {
  readonly #overlapping = this.db.prepare<[number, number], number>(OVERLAPPING).pluck()
  // Without the blobs: a cached pack is not read again.
  readonly #heads = this.db.prepare<PackRange, PackHead>(
    `SELECT id, first_ref AS firstRef, from_ms AS fromMs, to_ms AS toMs ${IN_RANGE}`,
  )
  readonly #directories = this.db.prepare<PackRange, PackDirectory>(
    `SELECT id, from_ms AS fromMs, to_ms AS toMs, directory ${IN_RANGE}`,
  )
  readonly #directory = this.db.prepare<[number], Uint8Array>('SELECT directory FROM pack WHERE id = ?').pluck()
  readonly #payload = this.db.prepare<[number], Uint8Array>('SELECT payload FROM pack WHERE id = ?').pluck()
  readonly #cache = new PackCache()

  /**
   * The chunks of `refs` (sorted) that overlap `[fromMs, toMs]`, from cached packs where possible. Chunks of one series
   * come oldest first, those of different series in any order.
   */
  chunksOf(
    refs: Uint32Array,
    metricOf: (ref: SeriesRef) => number,
    fromMs: number,
    toMs: number,
    tally?: ReadTally,
  ): readonly PlacedChunk[] {
    const found: PlacedChunk[] = []
    this.#eachRange(refs, metricOf, fromMs, toMs, (block, group) => {
      this.placeChunks(block, group, fromMs, toMs, found, tally)
    })
    return found
  }

  /** HOT: once per series and block. Adds the chunks of one metric in one block. Call in a transaction. */
  placeChunks(
    block: number,
    group: MetricRefs,
    fromMs: number,
    toMs: number,
    found: PlacedChunk[],
    tally?: ReadTally,
  ): void {
    for (const head of this.#heads.all(...rangeOf(block, group, fromMs, toMs))) {
      const pack = this.#cached(block, head, tally)
      const { count, fromsMs, tosMs } = pack.directory
      const places = placesIn(pack.directory.refs, group)
      for (let entry = 0; entry < count; entry++) {
        const place = places[entry]!
        if (place >= 0 && tosMs[entry]! >= fromMs && fromsMs[entry]! <= toMs) found.push({ place, pack, entry })
      }
    }
  }

  #cached(block: number, { id, firstRef, fromMs, toMs }: PackHead, tally: ReadTally | undefined): CachedPack {
    const key = { id, block, firstRef }
    const known = this.#cache.get(key)
    if (tally !== undefined) {
      tally.packs++
      if (known !== undefined) tally.packsKept++
    }
    if (known !== undefined) return known
    return readPack(id, () => {
      const stored = this.#directory.get(id)!
      const payload = this.#payload.get(id)!
      if (tally !== undefined) tally.packBytes += stored.byteLength + payload.byteLength
      return this.#cache.add(key, decodeDirectory(stored, fromMs, toMs), payload)
    })
  }

  /**
   * Finds which of `refs` (sorted) have a flushed sample in `[fromMs, toMs]`. Reads the payload only of chunks that
   * begin before the range and end after it.
   */
  withSample(
    refs: Uint32Array,
    metricOf: (ref: SeriesRef) => number,
    fromMs: number,
    toMs: number,
    found: (ref: SeriesRef) => void,
  ): void {
    const left = new Set<number>(refs)
    this.#eachRange(refs, metricOf, fromMs, toMs, (block, group) => {
      if (left.size === 0) return
      for (const row of this.#directories.all(...rangeOf(block, group, fromMs, toMs))) {
        readPack(row.id, () => {
          this.#findIn(row, left, fromMs, toMs, found)
        })
      }
    })
  }

  /**
   * Counts the runs of those chunks of `refs` (sorted) that are completely inside `[fromMs, toMs]`. Reads only
   * directories.
   */
  runsWithin(refs: Uint32Array, metricOf: (ref: SeriesRef) => number, fromMs: number, toMs: number): number {
    let count = 0
    this.#eachRange(refs, metricOf, fromMs, toMs, (block, group) => {
      for (const row of this.#directories.iterate(...rangeOf(block, group, fromMs, toMs))) {
        const { refs: packed, fromsMs, tosMs, runs } = readPack(row.id, () => directoryOf(row))
        const places = placesIn(packed, group)
        for (let entry = 0; entry < packed.length; entry++) {
          if (places[entry]! >= 0 && fromsMs[entry]! >= fromMs && tosMs[entry]! <= toMs) count += runs[entry]!
        }
      }
    })
    return count
  }

  /**
   * Visits the blocks that overlap `[fromMs, toMs]`, oldest first, metric by metric, in one snapshot: retention and
   * compaction go on meanwhile.
   */
  #eachRange(
    refs: Uint32Array,
    metricOf: (ref: SeriesRef) => number,
    fromMs: number,
    toMs: number,
    visit: (block: number, group: MetricRefs) => void,
  ): void {
    if (refs.length === 0) return
    this.atomically(() => {
      const blocks = this.#overlapping.all(fromMs, toMs)
      if (blocks.length === 0) return
      const groups = groupByMetric(refs, metricOf)
      for (const block of blocks) for (const group of groups) visit(block, group)
    })
  }

  #findIn(row: PackDirectory, left: Set<number>, fromMs: number, toMs: number, found: (ref: SeriesRef) => void): void {
    const directory = directoryOf(row)
    let payload: Uint8Array | undefined
    for (let i = 0; i < directory.count; i++) {
      const ref = directory.refs[i]!
      const chunkFromMs = directory.fromsMs[i]!
      const chunkToMs = directory.tosMs[i]!
      if (!left.has(ref) || chunkFromMs > toMs || chunkToMs < fromMs) continue
      if (chunkFromMs < fromMs && chunkToMs > toMs) {
        payload ??= inflatePayload(this.#payload.get(row.id)!, directory)
        if (!hasSample(chunkAt(payload, directory, i), chunkFromMs, fromMs, toMs)) continue
      }
      left.delete(ref)
      found(ref)
    }
  }
}

/** Runs `read`; reports malformed bytes as damage of pack `id`. */
export function readPack<T>(id: number, read: () => T): T {
  return orDamaged(`pack ${id}`, read)
}

/** Replaces the content of `into` by the runs of one chunk of a pack; damage is FleetError `storage_failed`. */
export function readChunk(
  { id, directory, payload }: Pick<CachedPack, 'id' | 'directory' | 'payload'>,
  entry: number,
  into: RunList,
): void {
  into.clear()
  readPack(id, () => {
    decodeChunk(chunkAt(payload, directory, entry), directory.fromsMs[entry]!, into)
  })
}

export function orDamaged<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    throwDamage(what, thrown)
  }
}

/** Malformed bytes are FleetError `storage_failed`; everything else is thrown again. */
export function throwDamage(what: string, thrown: unknown): never {
  if (!(thrown instanceof MalformedBytesError)) throw thrown
  throw new FleetError('storage_failed', `${what} is damaged: ${thrown.message}`, {
    hint: 'restore the data directory from a backup',
    cause: thrown,
  })
}

function directoryOf({ directory, fromMs, toMs }: PackDirectory): Directory {
  return decodeDirectory(directory, fromMs, toMs)
}

const placesOfEntries = new Int32Array(PACK_SERIES)

/**
 * HOT: once per series and block. The place of each entry of a pack in the request, -1 for other series. Both lists of
 * refs rise, so they are walked side by side. Valid until the next call.
 */
export function placesIn(packed: Uint32Array, { refs, places }: MetricRefs): Int32Array {
  let at = firstAtLeast(refs, packed[0]!)
  for (let entry = 0; entry < packed.length; entry++) {
    const ref = packed[entry]!
    while (at < refs.length && refs[at]! < ref) at++
    placesOfEntries[entry] = refs[at] === ref ? places[at]! : -1
  }
  return placesOfEntries
}

function firstAtLeast(refs: readonly number[], ref: number): number {
  let low = 0
  let high = refs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (refs[middle]! < ref) low = middle + 1
    else high = middle
  }
  return low
}

function rangeOf(block: number, { metric, refs }: MetricRefs, fromMs: number, toMs: number): PackRange {
  return [block, metric, refs.at(-1)!, refs[0]!, fromMs, toMs]
}

/** Refs rise in each group when they rise in `refs`. */
export function groupByMetric(refs: Uint32Array, metricOf: (ref: SeriesRef) => number): readonly MetricRefs[] {
  const byMetric = new Map<number, MetricRefs>()
  for (let place = 0; place < refs.length; place++) {
    const ref = refs[place]!
    const metric = metricOf(ref)
    let group = byMetric.get(metric)
    if (group === undefined) byMetric.set(metric, (group = { metric, refs: [], places: [] }))
    group.refs.push(ref)
    group.places.push(place)
  }
  return [...byMetric.values()]
}

const inRange = new RunColumns()

function hasSample(payload: Uint8Array, chunkFromMs: number, fromMs: number, toMs: number): boolean {
  inRange.clear(Infinity)
  readRuns(payload, 0, payload.length, chunkFromMs, fromMs, toMs, inRange)
  return inRange.count > 0
}
