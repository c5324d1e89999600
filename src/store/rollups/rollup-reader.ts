import type Database from 'better-sqlite3'
import { FleetError } from '../../base/errors.ts'
import { addBuckets } from '../../model/read-tally.ts'
import type { RollupColumns, RollupParts, RollupRequest, RollupSelection } from '../../model/rollup.ts'
import { RunColumns } from '../../model/run-columns.ts'
import type { SeriesRef } from '../../model/series.ts'
import { BucketList } from './bucket-list.ts'
import { decodeChunk } from '../packs/chunk-codec.ts'
import { chunkAt, decodeDirectory, inflatePayload } from '../packs/pack-codec.ts'
import { readPack } from '../packs/pack-reader.ts'
import { decodeBuckets, type RollupChunk } from './rollup-codec.ts'
import { decodeEdges, decodeParts, partAt } from './rollup-pack.ts'
import { RunList } from '../head/run-list.ts'
import type { RunSources } from '../index/run-selection.ts'
import type { SelectedRows } from '../index/selected-rows.ts'
import { hasTier, RAW_BIT, ROLLUP_TIERS, type RollupTier } from './tiers.ts'

/**
 * Buckets for a query: of each block its widest rollups that the query can do with, of a block that is not rolled up yet
 * the samples, and then the head. Blocks by rising position have the samples of a series in order, so their buckets are
 * joined one after the other, exactly.
 */

interface PlannedBlock {
  readonly id: number
  /** Undefined: its samples. */
  readonly tier: RollupTier | undefined
}

interface BlockTiers {
  readonly id: number
  readonly tiers: number
}

/** Block, tier, metric, last ref, first ref. */
type RollupRange = [number, number, number, number, number]

interface RollupRow {
  readonly id: number
  readonly edges: Uint8Array
  readonly extremes?: Uint8Array
  readonly sums?: Uint8Array
}

interface PackRow {
  readonly id: number
  readonly fromMs: number
  readonly toMs: number
  readonly directory: Uint8Array
  readonly payload: Uint8Array
}

/** Encoded buckets of a series. */
type Found =
  | {
      readonly kind: 'rollup'
      readonly id: number
      readonly tier: RollupTier
      readonly base: number
      readonly chunk: RollupChunk
    }
  | {
      readonly kind: 'samples'
      readonly id: number
      readonly fromMs: number
      readonly toMs: number
      readonly payload: Uint8Array
    }

const NONE = new Uint8Array(0)

export class RollupReader {
  readonly #blocks: Database.Statement<[number, number], BlockTiers>
  readonly #rows: ReadonlyMap<string, Database.Statement<RollupRange, RollupRow>>
  readonly #packs: Database.Statement<[number, number, number, number], PackRow>
  readonly #atomically: (work: () => void) => void

  constructor(db: Database.Database) {
    this.#blocks = db.prepare('SELECT id, tiers FROM block WHERE to_ms > ? AND from_ms <= ? ORDER BY position')
    const columns = ['', ', extremes', ', sums', ', extremes, sums']
    this.#rows = new Map(
      columns.map((more) => [
        more,
        db.prepare(
          `SELECT id, edges${more} FROM rollup
           WHERE block = ? AND tier = ? AND metric = ? AND first_ref <= ? AND last_ref >= ? ORDER BY first_ref`,
        ),
      ]),
    )
    this.#packs = db.prepare(
      `SELECT id, from_ms AS fromMs, to_ms AS toMs, directory, payload FROM pack
       WHERE block = ? AND metric = ? AND first_ref <= ? AND last_ref >= ? ORDER BY first_ref`,
    )
    // One snapshot for all blocks of a read: retention and compaction go on meanwhile.
    this.#atomically = db.transaction((work: () => void) => {
      work()
    })
  }

  /** How a range would be read; undefined when there are no rollups that help, or when buckets would be too wide. */
  plan(request: RollupRequest): { readonly tier: RollupTier; readonly hasSamples: boolean } | undefined {
    const tier = ROLLUP_TIERS.findLast(({ widthMs }) => request.alignMs % widthMs === 0)
    if (tier === undefined) return undefined
    const blocks = this.#blocks.all(request.fromMs, request.toMs)
    const planned = blocks.map((block) => planOf(block, tier))
    if (planned.includes(undefined) || planned.every((block) => block?.tier === undefined)) return undefined
    return { tier, hasSamples: blocks.every(({ tiers }) => hasTier(tiers, RAW_BIT)) }
  }

  /**
   * The flushed buckets of some series, by their index in `refs`, oldest first. Omits a block that lost its narrow
   * rollups after the plan was made: it is past their retention.
   */
  find(
    refs: Uint32Array,
    metricOf: (ref: SeriesRef) => number,
    { fromMs, toMs, parts }: RollupRequest,
    tier: RollupTier,
  ): readonly (readonly Found[] | undefined)[] {
    const found: (Found[] | undefined)[] = new Array<Found[] | undefined>(refs.length)
    const put = (place: number, one: Found): void => {
      const known = found[place]
      if (known === undefined) found[place] = [one]
      else known.push(one)
    }
    this.#atomically(() => {
      const metrics = placesByMetric(refs, metricOf)
      for (const block of this.#blocks.all(fromMs, toMs)) {
        const planned = planOf(block, tier)
        if (planned === undefined) continue
        for (const [metric, places] of metrics) {
          if (planned.tier === undefined) this.#findSamples(planned.id, metric, refs, places, put)
          else this.#findRollups(planned.id, planned.tier, metric, refs, places, parts, put)
        }
      }
    })
    return found
  }

  /** HOT: once per series and block. Both lists of refs rise, so they are walked side by side. */
  #findRollups(
    block: number,
    tier: RollupTier,
    metric: number,
    refs: Uint32Array,
    places: readonly number[],
    parts: RollupParts,
    put: (place: number, one: Found) => void,
  ): void {
    const statement = this.#rows.get((parts.extremes ? ', extremes' : '') + (parts.sums ? ', sums' : ''))!
    const [first, last] = endsOf(refs, places)
    let at = 0
    for (const row of statement.iterate(block, tier.bit, metric, last, first)) {
      readPack(row.id, () => {
        const { count, refs: packed, base, chunks } = decodeEdges(row.edges)
        const extremes = row.extremes === undefined ? undefined : decodeParts(row.extremes, count)
        const sums = row.sums === undefined ? undefined : decodeParts(row.sums, count)
        for (let i = 0; i < count && at < places.length; i++) {
          const ref = packed[i]!
          while (at < places.length && refs[places[at]!]! < ref) at++
          if (at === places.length || refs[places[at]!] !== ref) continue
          const chunk = {
            edges: partAt(chunks, i),
            extremes: extremes === undefined ? NONE : partAt(extremes, i),
            sums: sums === undefined ? NONE : partAt(sums, i),
          }
          put(places[at]!, { kind: 'rollup', id: row.id, tier, base, chunk })
        }
      })
    }
  }

  #findSamples(
    block: number,
    metric: number,
    refs: Uint32Array,
    places: readonly number[],
    put: (place: number, one: Found) => void,
  ): void {
    const [first, last] = endsOf(refs, places)
    let at = 0
    for (const row of this.#packs.iterate(block, metric, last, first)) {
      readPack(row.id, () => {
        const directory = decodeDirectory(row.directory, row.fromMs, row.toMs)
        let payload: Uint8Array | undefined
        for (let i = 0; i < directory.count && at < places.length; i++) {
          const ref = directory.refs[i]!
          while (at < places.length && refs[places[at]!]! < ref) at++
          if (at === places.length || refs[places[at]!] !== ref) continue
          payload ??= inflatePayload(row.payload, directory)
          put(places[at]!, {
            kind: 'samples',
            id: row.id,
            fromMs: directory.fromsMs[i]!,
            toMs: directory.tosMs[i]!,
            payload: chunkAt(payload, directory, i),
          })
        }
      })
    }
  }
}

/** Runs of the head while rollups are read. */
const inHead = new RunColumns()
const runs = new RunList()

/**
 * The buckets of one selector, in portions: first from the head, then from blocks, in the order in which a flush moves
 * samples.
 */
export class StoreRollupSelection implements RollupSelection {
  readonly rows: SelectedRows
  readonly widthMs: number
  readonly hasSamples: boolean
  readonly #request: RollupRequest
  readonly #tier: RollupTier
  readonly #reader: RollupReader
  readonly #sources: RunSources
  readonly #list: BucketList
  readonly #narrow = new BucketList(1)

  constructor(
    rows: SelectedRows,
    request: RollupRequest,
    plan: { readonly tier: RollupTier; readonly hasSamples: boolean },
    reader: RollupReader,
    sources: RunSources,
  ) {
    this.rows = rows
    this.widthMs = plan.tier.widthMs
    this.hasSamples = plan.hasSamples
    this.#request = request
    this.#tier = plan.tier
    this.#reader = reader
    this.#sources = sources
    this.#list = new BucketList(plan.tier.widthMs)
  }

  readBuckets(from: number, to: number, visit: (row: number, buckets: RollupColumns) => void): void {
    const { fromMs, toMs, bucketsMax, tally } = this.#request
    inHead.clear(bucketsMax)
    this.#sources.pinned(() => {
      for (let row = from; row < to; row++) {
        const slot = this.rows.slotAt(row)
        if (slot >= 0) this.#sources.head.readRuns(slot, fromMs + 1, toMs, inHead)
        inHead.endRow()
      }
    })
    const refs = this.rows.refs.subarray(from, to)
    const found = this.#sources.readingPacks(() =>
      this.#reader.find(refs, this.#sources.metricOf, this.#request, this.#tier),
    )
    const list = this.#list
    let buckets = 0
    for (let place = 0; place < refs.length; place++) {
      list.clear()
      let flushedUntilMs = -Infinity
      for (const one of found[place] ?? []) {
        const before = list.count
        flushedUntilMs = this.#add(one)
        if (tally !== undefined) addBuckets(tally, one.kind === 'rollup' ? one.tier.widthMs : 0, list.count - before)
      }
      const flushedCount = list.count
      this.#addHead(place, flushedUntilMs)
      if (tally !== undefined) addBuckets(tally, 0, list.count - flushedCount)
      if (list.count === 0) continue
      buckets += list.count
      if (buckets > bucketsMax) {
        throw new FleetError('query_limit', `the query reads more than ${bucketsMax} samples`, {
          hint: 'select fewer series or a shorter range',
        })
      }
      visit(from + place, list)
    }
  }

  /** Returns the time of its newest sample; a stale marker after it counts as the same time. */
  #add(one: Found): number {
    const list = this.#list
    return readPack(one.id, () => {
      if (one.kind === 'samples') {
        runs.clear()
        decodeChunk(one.payload, one.fromMs, runs)
        list.pushRuns(runs)
        return one.toMs
      }
      const { parts } = this.#request
      if (one.tier === this.#tier) decodeBuckets(one.chunk, one.base, parts, list)
      else {
        const narrow = this.#narrow
        narrow.clear()
        narrow.widthMs = one.tier.widthMs
        decodeBuckets(one.chunk, one.base, parts, narrow)
        list.pushAll(narrow)
      }
      let last = list.count - 1
      while (last >= 0 && list.counts[last] === 0) last--
      return last < 0 ? -Infinity : list.lastsMs[last]!
    })
  }

  /** What of the head is not in a block yet. */
  #addHead(place: number, flushedUntilMs: number): void {
    const { startsMs, deltasMs, counts, words, ends } = inHead
    for (let run = place === 0 ? 0 : ends[place - 1]!; run < ends[place]!; run++) {
      const count = counts[run]!
      const deltaMs = count === 1 ? 1 : deltasMs[run]!
      const startMs = startsMs[run]!
      const skip = startMs > flushedUntilMs ? 0 : Math.floor((flushedUntilMs - startMs) / deltaMs) + 1
      if (skip >= count) continue
      this.#list.pushRun(startMs + deltaMs * skip, deltaMs, count - skip, words[run * 2]!, words[run * 2 + 1]!)
    }
  }
}

/** The widest rollups of a block that make buckets of `tier`, or its samples; undefined when it has neither. */
function planOf({ id, tiers }: BlockTiers, { widthMs }: RollupTier): PlannedBlock | undefined {
  const tier = ROLLUP_TIERS.findLast((one) => one.widthMs <= widthMs && hasTier(tiers, one.bit))
  return tier === undefined && !hasTier(tiers, RAW_BIT) ? undefined : { id, tier }
}

function endsOf(refs: Uint32Array, places: readonly number[]): readonly [number, number] {
  return [refs[places[0]!]!, refs[places[places.length - 1]!]!]
}

function placesByMetric(
  refs: Uint32Array,
  metricOf: (ref: SeriesRef) => number,
): ReadonlyMap<number, readonly number[]> {
  const byMetric = new Map<number, number[]>()
  for (let place = 0; place < refs.length; place++) {
    const metric = metricOf(refs[place]!)
    const places = byMetric.get(metric)
    if (places === undefined) byMetric.set(metric, [place])
    else places.push(place)
  }
  return byMetric
}
