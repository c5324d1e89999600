import { FleetError } from '../../base/errors.ts'
import { REPAIR_HINT } from '../database.ts'
import { firstAtLeast } from '../index/sorted-refs.ts'
import type { DamagedPlace, DamagedRanges } from '../integrity/damaged-ranges.ts'
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
  readonly lastRef: number
  readonly fromMs: number
  readonly toMs: number
}

interface PackDirectory {
  readonly id: number
  readonly firstRef: number
  readonly lastRef: number
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
    `SELECT id, first_ref AS firstRef, last_ref AS lastRef, from_ms AS fromMs, to_ms AS toMs ${IN_RANGE}`,
  )
  readonly #directories = this.db.prepare<PackRange, PackDirectory>(
    `SELECT id, first_ref AS firstRef, last_ref AS lastRef, from_ms AS fromMs, to_ms AS toMs, directory ${IN_RANGE}`,
  )
  readonly #directory = this.db.prepare<[number], Uint8Array>('SELECT directory FROM pack WHERE id = ?').pluck()
  readonly #payload = this.db.prepare<[number], Uint8Array>('SELECT payload FROM pack WHERE id = ?').pluck()
  readonly #cache = new PackCache()
  readonly #damaged: DamagedRanges

  constructor(db: Statements['db'], damaged: DamagedRanges) {
    super(db)
    this.#damaged = damaged
  }

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
    const heads = this.#damaged.around(placeOf(block, group), () =>
      this.#heads.all(...rangeOf(block, group, fromMs, toMs)),
    )
    for (const head of heads ?? []) {
      const pack = this.#cached(block, group.metric, head, tally)
      if (pack === undefined) continue
      const { count, fromsMs, tosMs } = pack.directory
      const places = placesIn(pack.directory.refs, group)
      for (let entry = 0; entry < count; entry++) {
        const place = places[entry]!
        if (place >= 0 && tosMs[entry]! >= fromMs && fromsMs[entry]! <= toMs) found.push({ place, pack, entry })
      }
    }
  }

  /** Runs `read` on a chunk of the pack; when that is damaged, the pack counts as damaged, and the result is undefined. */
  readChunk<T>({ id, block, metric, firstRef, directory }: CachedPack, read: () => T): T | undefined {
    const lastRef = directory.refs[directory.count - 1]!
    return this.#damaged.around({ kind: 'pack', id, block, metric, firstRef, lastRef }, read)
  }

  #cached(
    block: number,
    metric: number,
    { id, firstRef, lastRef, fromMs, toMs }: PackHead,
    tally: ReadTally | undefined,
  ): CachedPack | undefined {
    const key = { id, block, metric, firstRef }
    const known = this.#cache.get(key)
    if (tally !== undefined) {
      tally.packs++
      if (known !== undefined) tally.packsKept++
    }
    if (known !== undefined) return known
    return this.#damaged.around({ kind: 'pack', ...key, lastRef }, () => {
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
      this.#eachDirectory(block, group, fromMs, toMs, (row, directory) => {
        this.#findIn(row.id, directory, left, fromMs, toMs, found)
      })
    })
  }

  /**
   * Counts the runs of those chunks of `refs` (sorted) that are completely inside `[fromMs, toMs]`. Reads only
   * directories.
   */
  runsWithin(refs: Uint32Array, metricOf: (ref: SeriesRef) => number, fromMs: number, toMs: number): number {
    let count = 0
    this.#eachRange(refs, metricOf, fromMs, toMs, (block, group) => {
      this.#eachDirectory(block, group, fromMs, toMs, (_row, { refs: packed, fromsMs, tosMs, runs }) => {
        const places = placesIn(packed, group)
        for (let entry = 0; entry < packed.length; entry++) {
          if (places[entry]! >= 0 && fromsMs[entry]! >= fromMs && tosMs[entry]! <= toMs) count += runs[entry]!
        }
      })
    })
    return count
  }

  /** Visits the readable directories of one metric in one block. */
  #eachDirectory(
    block: number,
    group: MetricRefs,
    fromMs: number,
    toMs: number,
    visit: (row: PackDirectory, directory: Directory) => void,
  ): void {
    this.#damaged.around(placeOf(block, group), () => {
      for (const row of this.#directories.iterate(...rangeOf(block, group, fromMs, toMs))) {
        const place = { ...placeOf(block, group), id: row.id, firstRef: row.firstRef, lastRef: row.lastRef }
        this.#damaged.around(place, () => {
          visit(row, decodeDirectory(row.directory, row.fromMs, row.toMs))
        })
      }
    })
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

  #findIn(
    id: number,
    directory: Directory,
    left: Set<number>,
    fromMs: number,
    toMs: number,
    found: (ref: SeriesRef) => void,
  ): void {
    let payload: Uint8Array | undefined
    for (let i = 0; i < directory.count; i++) {
      const ref = directory.refs[i]!
      const chunkFromMs = directory.fromsMs[i]!
      const chunkToMs = directory.tosMs[i]!
      if (!left.has(ref) || chunkFromMs > toMs || chunkToMs < fromMs) continue
      if (chunkFromMs < fromMs && chunkToMs > toMs) {
        payload ??= inflatePayload(this.#payload.get(id)!, directory)
        if (!hasSample(chunkAt(payload, directory, i), chunkFromMs, fromMs, toMs)) continue
      }
      left.delete(ref)
      found(ref)
    }
  }
}

/** Runs `read`; malformed bytes are FleetError `storage_failed`, which names pack `id`. */
export function readPack<T>(id: number, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (!(thrown instanceof MalformedBytesError)) throw thrown
    throw new FleetError('storage_failed', `pack ${id} is damaged: ${thrown.message}`, {
      hint: REPAIR_HINT,
      cause: thrown,
    })
  }
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

/** All of a metric in a block, as far as it is requested. */
function placeOf(block: number, { metric, refs }: MetricRefs): DamagedPlace {
  return { kind: 'pack', id: 0, block, metric, firstRef: refs[0]!, lastRef: refs.at(-1)! }
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
