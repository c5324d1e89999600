import type { SeriesRef } from '../../model/series.ts'
import { BucketList } from './bucket-list.ts'
import { readPack } from '../packs/pack-reader.ts'
import { SourceSeries } from '../packs/source-series.ts'
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

/** A row of rollups, inflated. */
interface SourceRollup {
  readonly id: number
  readonly directory: RollupEdges
  readonly extremes: PackParts
  readonly sums: PackParts
}

export class RollupMerge {
  /** Completed packs. */
  readonly packs: RollupPack[] = []
  readonly #sources: readonly SourceSeries<SourceRollup>[]
  readonly #list: BucketList
  readonly #filler = new RollupFiller()

  /** @param blocks by rising position */
  constructor(rollups: RollupRows, blocks: readonly number[], tier: RollupTier, metric: number) {
    this.#sources = blocks.map((block) => new SourceSeries((ref) => rollupAfter(rollups, block, tier.bit, metric, ref)))
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
      decodeSeries(source, this.#list)
      source.next()
    }
    this.#filler.push(ref, this.#list)
    return this.#list.count
  }
}

/** Adds the buckets of the present series. A damaged row is FleetError `storage_failed`. */
function decodeSeries({ entry, row }: SourceSeries<SourceRollup>, into: BucketList): void {
  const { id, directory, extremes, sums } = row
  readPack(id, () => {
    const chunk = {
      edges: partAt(directory.chunks, entry),
      extremes: partAt(extremes, entry),
      sums: partAt(sums, entry),
    }
    decodeBuckets(chunk, directory.base, ALL_PARTS, into)
  })
}

function rollupAfter(
  rollups: RollupRows,
  block: number,
  tier: number,
  metric: number,
  ref: SeriesRef,
): SourceRollup | undefined {
  return rollups.packAfter(block, tier, metric, ref, (row) => {
    const directory = decodeEdges(row.edges)
    const extremes = decodeParts(row.extremes, directory.count)
    return { id: row.id, directory, extremes, sums: decodeParts(row.sums, directory.count) }
  })
}
