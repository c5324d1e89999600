import type Database from 'better-sqlite3'
import type { RunColumns } from '../../model/run-columns.ts'
import type { SeriesRef } from '../../model/series.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { readable } from '../database.ts'
import { readRuns } from '../packs/chunk-reader.ts'
import { chunkAt, decodeDirectory, inflatePayload, type Directory } from '../packs/pack-codec.ts'
import { BucketList } from '../rollups/bucket-list.ts'
import { decodeBuckets } from '../rollups/rollup-codec.ts'
import { decodeEdges, partAt, type RollupEdges } from '../rollups/rollup-pack.ts'
import { pushBuckets } from '../rollups/rollup-samples.ts'
import { hasTier, RAW_BIT, ROLLUP_TIERS, type RollupTier } from '../rollups/tiers.ts'
import { Statements } from '../statements.ts'

/** A block, as far as its samples are read: by rising `position` its series have their samples in order. */
export interface StoredBlock {
  readonly id: number
  /** 0: as flushed. */
  readonly level: number
  /** Up to when the memory was flushed. */
  readonly cutMs: number
  readonly fromMs: number
  readonly toMs: number
  readonly tiers: number
  readonly isOpen: number
}

/** A row of packs or of rollups. */
interface RowHead {
  readonly id: number
  readonly firstRef: SeriesRef
  readonly lastRef: SeriesRef
}

type Decoded =
  | { readonly kind: 'samples'; readonly directory: Directory; readonly payload: Uint8Array }
  | { readonly kind: 'buckets'; readonly edges: RollupEdges; readonly widthMs: number }
  | { readonly kind: 'damaged' }

/** Block, tier or nothing, metric, last ref, first ref. */
interface TableStatements {
  readonly metricAfter: Database.Statement<[number, number], number | null>
  readonly heads: Database.Statement<[number, number, number, number], RowHead>
  readonly firstFrom: Database.Statement<[number, number, number], RowHead>
}

const NO_PARTS = { extremes: false, sums: false }
const NONE = new Uint8Array(0)
const DECODED_MAX = 64

/**
 * The samples of blocks, row by row. Of a block whose samples are removed: the first and the last sample of each bucket of its
 * narrowest rollups, as queries have them. Rows that are damaged are left out and counted. Call its methods in a transaction.
 */
export class StoredChunks extends Statements {
  /** Rows that were damaged. */
  damagedCount = 0
  readonly #packs = this.#statementsOf('pack', '')
  readonly #rollups = new Map(ROLLUP_TIERS.map(({ bit }) => [bit, this.#statementsOf('rollup', `AND tier = ${bit}`)]))
  readonly #pack = this.db.prepare<
    [number],
    { fromMs: number; toMs: number; directory: Uint8Array; payload: Uint8Array }
  >('SELECT from_ms AS fromMs, to_ms AS toMs, directory, payload FROM pack WHERE id = ?')
  readonly #edges = this.db.prepare<[number], Uint8Array>('SELECT edges FROM rollup WHERE id = ?').pluck()
  readonly #decoded = new Map<string, Decoded>()
  readonly #list = new BucketList(1)

  /** The least metric above one that a block has. */
  metricAfter(block: StoredBlock, metric: number): number | undefined {
    return this.#of(block)?.metricAfter.get(block.id, metric) ?? undefined
  }

  /** The last ref of the first row of a metric with a ref at or above one. */
  lastRefFrom(block: StoredBlock, metric: number, ref: SeriesRef): SeriesRef | undefined {
    return this.#of(block)?.firstFrom.get(block.id, metric, ref)?.lastRef
  }

  /** Calls `visit` with the samples of each series of a metric between two refs (inclusive) with times in `range` (inclusive). */
  read(
    block: StoredBlock,
    metric: number,
    [firstRef, lastRef]: readonly [SeriesRef, SeriesRef],
    { fromMs, toMs }: TimeRange,
    visit: (ref: SeriesRef, runs: RunColumns) => void,
    into: RunColumns,
  ): void {
    const tier = tierOf(block)
    for (const head of this.#of(block)?.heads.all(block.id, metric, lastRef, firstRef) ?? []) {
      const key = `${block.id} ${metric} ${head.firstRef}`
      const decoded = this.#decode(key, head, tier)
      if (decoded.kind === 'damaged') continue
      const refs = decoded.kind === 'samples' ? decoded.directory.refs : decoded.edges.refs
      for (const [i, ref] of refs.entries()) {
        if (ref < firstRef || ref > lastRef) continue
        into.clear(Infinity)
        const isRead = readable(() => {
          this.#readOne(decoded, i, fromMs, toMs, into)
          return true
        })
        if (isRead === undefined) this.damagedCount++
        else if (into.count > 0) visit(ref, into)
      }
    }
  }

  /** Rows may be rewritten, to erase series. */
  forget(): void {
    this.#decoded.clear()
  }

  #readOne(
    decoded: Exclude<Decoded, { kind: 'damaged' }>,
    i: number,
    fromMs: number,
    toMs: number,
    into: RunColumns,
  ): void {
    if (decoded.kind === 'samples') {
      const { directory, payload } = decoded
      if (directory.fromsMs[i]! > toMs || directory.tosMs[i]! < fromMs) return
      const chunk = chunkAt(payload, directory, i)
      readRuns(chunk, 0, chunk.length, directory.fromsMs[i]!, fromMs, toMs, into)
      return
    }
    const { edges, widthMs } = decoded
    const list = this.#list
    list.clear()
    list.widthMs = widthMs
    const chunk = { edges: partAt(edges.chunks, i), extremes: NONE, sums: NONE }
    decodeBuckets(chunk, edges.base, NO_PARTS, list)
    pushBuckets(list, { fromMs, toMs }, into)
  }

  #decode(key: string, { id }: RowHead, tier: RollupTier | undefined): Decoded {
    const known = this.#decoded.get(key)
    if (known !== undefined) return known
    const decoded = readable<Decoded>(() => {
      if (tier !== undefined)
        return { kind: 'buckets', edges: decodeEdges(this.#edges.get(id)!), widthMs: tier.widthMs }
      const row = this.#pack.get(id)!
      const directory = decodeDirectory(row.directory, row.fromMs, row.toMs)
      return { kind: 'samples', directory, payload: inflatePayload(row.payload, directory) }
    })
    if (decoded === undefined) this.damagedCount++
    if (this.#decoded.size >= DECODED_MAX) this.#decoded.delete(this.#decoded.keys().next().value!)
    const result = decoded ?? { kind: 'damaged' }
    this.#decoded.set(key, result)
    return result
  }

  #of(block: StoredBlock): TableStatements | undefined {
    if (hasTier(block.tiers, RAW_BIT)) return this.#packs
    const tier = tierOf(block)
    return tier === undefined ? undefined : this.#rollups.get(tier.bit)
  }

  #statementsOf(table: 'pack' | 'rollup', more: string): TableStatements {
    const columns = 'id, first_ref AS firstRef, last_ref AS lastRef'
    const of = `FROM ${table} WHERE block = ? ${more}`
    return {
      metricAfter: this.db.prepare<[number, number], number | null>(`SELECT min(metric) ${of} AND metric > ?`).pluck(),
      heads: this.db.prepare(
        `SELECT ${columns} ${of} AND metric = ? AND first_ref <= ? AND last_ref >= ? ORDER BY first_ref`,
      ),
      firstFrom: this.db.prepare(`SELECT ${columns} ${of} AND metric = ? AND last_ref >= ? ORDER BY first_ref LIMIT 1`),
    }
  }
}

/** The narrowest rollups of a block without samples; undefined: it has samples, or neither. */
function tierOf({ tiers }: StoredBlock): RollupTier | undefined {
  return hasTier(tiers, RAW_BIT) ? undefined : ROLLUP_TIERS.find(({ bit }) => hasTier(tiers, bit))
}
