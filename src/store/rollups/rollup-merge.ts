import type { SeriesRef } from '../../model/series.ts'
import { BucketList } from './bucket-list.ts'
import { readPack } from '../packs/pack-reader.ts'
import { decodeBuckets } from './rollup-codec.ts'
import {
  decodeEdges,
  decodeParts,
  partAt,
  RollupFiller,
  type PackParts,
  type RollupEdges,
  type RollupPack,
} from './rollup-pack.ts'
import type { RollupRows } from './rollup-rows.ts'
import type { RollupTier } from './tiers.ts'

/** Merges the rollups of one metric in several blocks into those of one block: for compaction. */

const BUCKETS_PER_STEP = 50_000
const ALL_PARTS = { extremes: true, sums: true }

export class RollupMerge {
  /** Completed packs. */
  readonly packs: RollupPack[] = []
  readonly #sources: readonly SourceRollups[]
  readonly #list: BucketList
  readonly #filler = new RollupFiller()

  /** @param blocks by rising position */
  constructor(rollups: RollupRows, blocks: readonly number[], tier: RollupTier, metric: number) {
    this.#sources = blocks.map((block) => new SourceRollups(rollups, block, tier.bit, metric))
    this.#list = new BucketList(tier.widthMs)
  }

  /** Packs some series; false when all are packed. */
  step(): boolean {
    let buckets = 0
    while (buckets < BUCKETS_PER_STEP) {
      let ref = Infinity
      for (const source of this.#sources) ref = Math.min(ref, source.ref)
      if (ref !== Infinity) buckets += this.#join(ref)
      if (this.#filler.count > 0 && (this.#filler.isFull || ref === Infinity)) this.packs.push(this.#filler.take())
      if (ref === Infinity) return false
    }
    return true
  }

  #join(ref: SeriesRef): number {
    this.#list.clear()
    for (const source of this.#sources) {
      if (source.ref !== ref) continue
      source.decode(this.#list)
      source.next()
    }
    this.#filler.push(ref, this.#list)
    return this.#list.count
  }
}

/** The series of one metric in one block, one after the other by rising ref; one row in memory at a time. */
class SourceRollups {
  /** The series that `decode` reads; Infinity when there are no more. */
  ref: SeriesRef = Infinity
  readonly #rollups: RollupRows
  readonly #block: number
  readonly #tier: number
  readonly #metric: number
  #row:
    | { readonly id: number; readonly edges: RollupEdges; readonly extremes: PackParts; readonly sums: PackParts }
    | undefined
  #at = 0

  constructor(rollups: RollupRows, block: number, tier: number, metric: number) {
    this.#rollups = rollups
    this.#block = block
    this.#tier = tier
    this.#metric = metric
    this.#load(0)
  }

  /** A damaged row is FleetError `storage_failed`. */
  decode(into: BucketList): void {
    const { id, edges, extremes, sums } = this.#row!
    const at = this.#at
    readPack(id, () => {
      const chunk = { edges: partAt(edges.chunks, at), extremes: partAt(extremes, at), sums: partAt(sums, at) }
      decodeBuckets(chunk, edges.base, ALL_PARTS, into)
    })
  }

  next(): void {
    const { refs, count } = this.#row!.edges
    this.#at++
    if (this.#at < count) this.ref = refs[this.#at]!
    else this.#load(refs[count - 1]!)
  }

  #load(afterRef: SeriesRef): void {
    const row = this.#rollups.packAfter(this.#block, this.#tier, this.#metric, afterRef)
    this.#at = 0
    this.#row =
      row &&
      readPack(row.id, () => {
        const edges = decodeEdges(row.edges)
        const extremes = decodeParts(row.extremes, edges.count)
        return { id: row.id, edges, extremes, sums: decodeParts(row.sums, edges.count) }
      })
    this.ref = this.#row?.edges.refs[0] ?? Infinity
  }
}
