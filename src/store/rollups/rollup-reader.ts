import type Database from 'better-sqlite3'
import { FleetError } from '../../base/errors.ts'
import { addBuckets } from '../../model/read-tally.ts'
import type { RollupColumns, RollupParts, RollupRequest, RollupSelection } from '../../model/rollup.ts'
import { RunColumns } from '../../model/run-columns.ts'
import type { SeriesRef } from '../../model/series.ts'
import { BucketList } from './bucket-list.ts'
import {
  groupByMetric,
  placesIn,
  readChunk,
  type MetricRefs,
  type PackReader,
  type PlacedChunk,
} from '../packs/pack-reader.ts'
import { decodeBuckets, type RollupChunk } from './rollup-codec.ts'
import { decodeEdges, decodeParts, partAt } from './rollup-pack.ts'
import { RunList } from '../head/run-list.ts'
import type { RunSources } from '../index/run-selection.ts'
import type { SelectedRows } from '../index/selected-rows.ts'
import type { DamagedPlace, DamagedRanges } from '../integrity/damaged-ranges.ts'
import { Statements } from '../statements.ts'
import { hasTier, RAW_BIT, ROLLUP_TIERS, type RollupTier } from './tiers.ts'

/**
 * Buckets for a query: of each block its widest rollups that the query can do with, of a block that is not rolled up yet
 * the samples, and then the head. Blocks by rising position have the samples of a series in order, so their buckets are
 * joined one after the other, exactly.
 */

interface BlockTiers {
  readonly id: number
  readonly tiers: number
}

/** Block, tier, metric, last ref, first ref. */
type RollupRange = [number, number, number, number, number]

interface RollupRow {
  readonly id: number
  readonly firstRef: SeriesRef
  readonly lastRef: SeriesRef
  readonly edges: Uint8Array
  readonly extremes?: Uint8Array
  readonly sums?: Uint8Array
}

/** Encoded buckets of a series. */
export interface FoundBuckets {
  readonly kind: 'rollup'
  readonly place: DamagedPlace
  readonly tier: RollupTier
  readonly base: number
  readonly chunk: RollupChunk
}

/** What a block has of a series: buckets, or the samples themselves. */
type Found = FoundBuckets | { readonly kind: 'samples'; readonly placed: PlacedChunk }

const NONE = new Uint8Array(0)

export class RollupReader extends Statements {
  readonly #blocks = this.db.prepare<[number, number], BlockTiers>(
    'SELECT id, tiers FROM block WHERE to_ms > ? AND from_ms <= ? ORDER BY position',
  )
  readonly #rows: ReadonlyMap<string, Database.Statement<RollupRange, RollupRow>>
  readonly #packs: PackReader
  readonly #damaged: DamagedRanges

  constructor(db: Database.Database, packs: PackReader, damaged: DamagedRanges) {
    super(db)
    this.#packs = packs
    this.#damaged = damaged
    const columns = ['', ', extremes', ', sums', ', extremes, sums']
    this.#rows = new Map(
      columns.map((more) => [
        more,
        db.prepare(
          `SELECT id, first_ref AS firstRef, last_ref AS lastRef, edges${more} FROM rollup
           WHERE block = ? AND tier = ? AND metric = ? AND first_ref <= ? AND last_ref >= ? ORDER BY first_ref`,
        ),
      ]),
    )
  }

  /** How a range would be read; undefined when there are no rollups that help, or when buckets would be too wide. */
  plan(request: RollupRequest): { readonly tier: RollupTier; readonly hasSamples: boolean } | undefined {
    const tier = ROLLUP_TIERS.findLast(({ widthMs }) => request.alignMs % widthMs === 0)
    if (tier === undefined) return undefined
    const blocks = this.#blocks.all(request.fromMs, request.toMs)
    const planned = blocks.map((block) => planOf(block, tier))
    if (planned.includes(undefined) || planned.every((one) => one === 'samples')) return undefined
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
    // One snapshot for all blocks of a read: retention and compaction go on meanwhile.
    this.atomically(() => {
      const groups = groupByMetric(refs, metricOf)
      for (const block of this.#blocks.all(fromMs, toMs)) {
        const planned = planOf(block, tier)
        if (planned === undefined) continue
        for (const group of groups) {
          if (planned === 'samples') {
            const chunks: PlacedChunk[] = []
            this.#packs.placeChunks(block.id, group, -Infinity, Infinity, chunks)
            for (const placed of chunks) put(placed.place, { kind: 'samples', placed })
          } else this.eachChunk(block.id, planned, group, parts, put)
        }
      }
    })
    return found
  }

  /** HOT: once per series and block. Visits the rollups of one metric in one block. Call in a transaction. */
  eachChunk(
    block: number,
    tier: RollupTier,
    group: MetricRefs,
    parts: RollupParts,
    visit: (place: number, one: FoundBuckets) => void,
  ): void {
    const statement = this.#rows.get((parts.extremes ? ', extremes' : '') + (parts.sums ? ', sums' : ''))!
    const { metric, refs: wanted } = group
    const all = { kind: 'rollup', id: 0, block, metric, firstRef: wanted[0]!, lastRef: wanted.at(-1)! } as const
    this.#damaged.around(all, () => {
      for (const row of statement.iterate(block, tier.bit, metric, all.lastRef, all.firstRef)) {
        const place = { ...all, id: row.id, firstRef: row.firstRef, lastRef: row.lastRef }
        this.#damaged.around(place, () => {
          const { count, refs, base, chunks } = decodeEdges(row.edges)
          const extremes = row.extremes === undefined ? undefined : decodeParts(row.extremes, count)
          const sums = row.sums === undefined ? undefined : decodeParts(row.sums, count)
          const places = placesIn(refs, group)
          for (let i = 0; i < count; i++) {
            if (places[i]! < 0) continue
            const chunk = {
              edges: partAt(chunks, i),
              extremes: extremes === undefined ? NONE : partAt(extremes, i),
              sums: sums === undefined ? NONE : partAt(sums, i),
            }
            visit(places[i]!, { kind: 'rollup', place, tier, base, chunk })
          }
        })
      }
    })
  }

  /** Decodes buckets, or the samples of a chunk; undefined when they are damaged, which is recorded. */
  decode<T>(found: Found, read: () => T): T | undefined {
    return found.kind === 'samples'
      ? this.#packs.readChunk(found.placed.pack, read)
      : this.#damaged.around(found.place, read)
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
      this.#reader.find(refs, this.rows.metricOf, this.#request, this.#tier),
    )
    const list = this.#list
    let buckets = 0
    for (let place = 0; place < refs.length; place++) {
      list.clear()
      let flushedUntilMs = -Infinity
      for (const one of found[place] ?? []) {
        const before = list.count
        flushedUntilMs = this.#reader.decode(one, () => this.#add(one)) ?? flushedUntilMs
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
    this.#sources.reportMissing(this.rows, refs, { fromMs: fromMs + 1, toMs }, this.#request.missing)
  }

  /** Returns the time of its newest sample; a stale marker after it counts as the same time. Throws `MalformedBytesError`. */
  #add(one: Found): number {
    const list = this.#list
    if (one.kind === 'samples') {
      const { pack, entry } = one.placed
      readChunk(pack, entry, runs)
      list.pushRuns(runs)
      return pack.directory.tosMs[entry]!
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
function planOf({ tiers }: BlockTiers, { widthMs }: RollupTier): RollupTier | 'samples' | undefined {
  const tier = ROLLUP_TIERS.findLast((one) => one.widthMs <= widthMs && hasTier(tiers, one.bit))
  return tier ?? (hasTier(tiers, RAW_BIT) ? 'samples' : undefined)
}
