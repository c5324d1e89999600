import type Database from 'better-sqlite3'
import { BucketList } from './bucket-list.ts'
import type { BlockRow, BlockRows, StoredPack } from '../packs/blocks.ts'
import { readChunk } from '../packs/pack-reader.ts'
import { RollupFiller, type RollupPack } from './rollup-pack.ts'
import type { RollupRows } from './rollup-rows.ts'
import { RunList } from '../head/run-list.ts'
import { hasTier, RAW_BIT, ROLLUP_TIERS } from './tiers.ts'
import { inTransaction } from '../database.ts'

/**
 * Makes the rollups of one block from its packs, some packs per transaction. A block's rollups cover only the block's
 * own samples, so they never change: late samples are in a later block, and partial buckets are joined on read or
 * compaction. Readers use them only when all are complete (`tiers` of the block). After a crash, the work continues
 * after the newest row.
 */

/** Work of one transaction: about ten milliseconds. A run costs as much as a sample, however long it is. */
const RUNS_PER_STEP = 50_000

interface MetricRollup {
  readonly tier: number
  readonly metric: number
  readonly pack: RollupPack
}

/** Blocks to roll up, oldest first: no flush adds to them, and no compaction in progress includes them. */
export function blocksToRollUp(blocks: readonly BlockRow[]): readonly BlockRow[] {
  const targets = new Set(blocks.map((block) => block.intoBlock))
  return blocks.filter(
    (block) => block.isRolled === 0 && block.isOpen === 0 && block.intoBlock === null && !targets.has(block.id),
  )
}

export class RollUp {
  readonly #db: Database.Database
  readonly #blocks: BlockRows
  readonly #rollups: RollupRows
  readonly #block: BlockRow
  /** The tiers that are made. */
  readonly #tiers: number
  readonly #runs = new RunList()
  readonly #lists = ROLLUP_TIERS.map((tier) => new BucketList(tier.widthMs))
  #metric = -1
  /** The newest ref of that metric that is done. */
  #ref = 0

  /** @param wanted the tiers whose retention has not passed */
  constructor(
    db: Database.Database,
    parts: { blocks: BlockRows; rollups: RollupRows },
    block: BlockRow,
    wanted: number,
  ) {
    this.#db = db
    this.#blocks = parts.blocks
    this.#rollups = parts.rollups
    this.#block = block
    const begun = block.stored & ~RAW_BIT
    this.#tiers = begun === 0 ? wanted & ~RAW_BIT : begun
    if (begun === 0) parts.blocks.setTiers(block.id, { ...block, stored: block.stored | this.#tiers })
    const newest = begun === 0 ? undefined : parts.rollups.newest(block.id, begun & -begun)
    if (newest !== undefined) {
      this.#metric = newest.metric
      this.#ref = newest.lastRef
    }
  }

  /** Rolls up the next packs; false when the block is done. Start again with a new instance after a failure. */
  step(): boolean {
    const made: MetricRollup[] = []
    let runs = 0
    let isMore = this.#tiers !== 0
    while (isMore && runs < RUNS_PER_STEP) {
      const pack = this.#nextPack()
      isMore = pack !== undefined
      if (pack !== undefined) runs += this.#roll(pack, made)
    }
    const { id } = this.#block
    inTransaction(this.#db, () => {
      for (const { tier, metric, pack } of made) this.#rollups.insert(id, tier, metric, pack)
      if (isMore) return
      const tiers = RAW_BIT | this.#tiers
      this.#blocks.setTiers(id, { tiers, stored: tiers, isRolled: 1 })
    })
    return isMore
  }

  #nextPack(): StoredPack | undefined {
    let pack = this.#metric < 0 ? undefined : this.#blocks.packAfter(this.#block.id, this.#metric, this.#ref)
    while (pack === undefined) {
      const metric = this.#blocks.metricAfter([this.#block], this.#metric)
      if (metric === undefined) return undefined
      this.#metric = metric
      pack = this.#blocks.packAfter(this.#block.id, metric, 0)
    }
    const { refs, count } = pack.directory
    this.#ref = refs[count - 1]!
    return pack
  }

  /** Turns each pack into one row per tier. Returns its number of runs. */
  #roll(pack: StoredPack, made: MetricRollup[]): number {
    const { directory } = pack
    const fillers = ROLLUP_TIERS.map(() => new RollupFiller())
    let runs = 0
    for (let i = 0; i < directory.count; i++) {
      readChunk(pack, i, this.#runs)
      runs += this.#runs.count
      this.#lists.forEach((list, tier) => {
        list.clear()
        if (tier === 0) list.pushRuns(this.#runs)
        else list.pushAll(this.#lists[tier - 1]!)
        if (hasTier(this.#tiers, ROLLUP_TIERS[tier]!.bit)) fillers[tier]!.push(directory.refs[i]!, list)
      })
    }
    fillers.forEach((filler, tier) => {
      if (filler.count > 0) made.push({ tier: ROLLUP_TIERS[tier]!.bit, metric: this.#metric, pack: filler.take() })
    })
    return runs
  }
}
