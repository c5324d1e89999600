import type Database from 'better-sqlite3'
import type { BlockRow, BlockRows, StoredPack } from './blocks.ts'
import { encodeChunk } from './chunk-codec.ts'
import { encodePack, PackFiller, type Pack } from './pack-codec.ts'
import { readChunk } from './pack-reader.ts'
import type { StoreOptions } from '../options.ts'
import { retentionsOf } from './retention.ts'
import { RollupMerge } from '../rollups/rollup-merge.ts'
import type { RollupRows } from '../rollups/rollup-rows.ts'
import { RunList } from '../head/run-list.ts'
import { SourceSeries } from './source-series.ts'
import { hasTier, RAW_BIT, ROLLUP_TIERS, TIER_BITS, type RollupTier } from '../rollups/tiers.ts'
import { inTransaction } from '../database.ts'

/**
 * Merges the blocks of a day into one, and later of eight days (`compactToMs`), so that a long range reads few packs.
 * One transaction moves one metric, its samples and its rollups: at any moment each sample is in exactly one block.
 * Packs are built one by one between transactions. After a crash, compaction continues with the block in progress
 * (`intoBlock`).
 */

/**
 * A window is used only when the shortest retention of the block's tiers is at least this many windows: tiers are
 * removed by whole blocks, so they outlive their retention by up to one window. A block without samples may be wide
 * when its rollups have a long retention.
 */
const WINDOWS_IN_RETENTION = 3

/** Blocks that follow each other and are to become one. */
export interface CompactionGroup {
  readonly level: number
  readonly sources: readonly BlockRow[]
  /** The block that was begun already. */
  readonly target: number | undefined
}

/**
 * Complete groups: no flush will add to them, they are rolled up, and their tiers are equal. Groups in progress come
 * first, then by level and age.
 */
export function groupsToCompact(
  blocks: readonly BlockRow[],
  options: Pick<StoreOptions, 'compactToMs' | 'retentionRawMs' | 'retention5mMs' | 'retention1hMs' | 'retention1dMs'>,
): readonly CompactionGroup[] {
  const begun = begunGroups(blocks)
  const busy = new Set(begun.flatMap(({ target, sources }) => [target, ...sources.map((source) => source.id)]))
  const newestCutMs = blocks.reduce((newest, block) => Math.max(newest, block.cutMs), -Infinity)
  const groups = [...begun]
  options.compactToMs.forEach((windowMs, levelBelow) => {
    const uneven = unevenWindows(blocks, levelBelow, windowMs)
    let sources: BlockRow[] = []
    const end = (): void => {
      if (sources.length > 0) groups.push({ level: levelBelow + 1, sources, target: undefined })
      sources = []
    }
    for (const block of blocks) {
      const window = windowOf(block, windowMs)
      if (sources.length > 0 && windowOf(sources[0]!, windowMs) !== window) end()
      // Only neighbours: a chunk between two that are joined would be out of order.
      const isFree = block.isRolled === 1 && block.tiers !== 0 && !busy.has(block.id)
      const isNarrow = windowMs * WINDOWS_IN_RETENTION <= shortestRetentionMs(block.tiers, options)
      const isComplete = isNarrow && !uneven.has(window) && newestCutMs >= (window + 1) * windowMs
      if (block.level === levelBelow && isFree && isComplete) sources.push(block)
      else end()
    }
    end()
  })
  return groups
}

/** Windows in which some blocks have lost a tier and others not yet: they are compacted when all have. */
function unevenWindows(blocks: readonly BlockRow[], level: number, windowMs: number): ReadonlySet<number> {
  const tiers = new Map<number, number>()
  const uneven = new Set<number>()
  for (const block of blocks) {
    if (block.level !== level || block.isRolled === 0 || block.tiers === 0) continue
    const window = windowOf(block, windowMs)
    if ((tiers.get(window) ?? block.tiers) !== block.tiers) uneven.add(window)
    tiers.set(window, block.tiers)
  }
  return uneven
}

function begunGroups(blocks: readonly BlockRow[]): readonly CompactionGroup[] {
  const bySource = new Map<number, BlockRow[]>()
  for (const block of blocks) {
    if (block.intoBlock !== null && block.tiers !== 0)
      bySource.set(block.intoBlock, [...(bySource.get(block.intoBlock) ?? []), block])
  }
  // A target that retention has removed already leaves sources that are past the retention too.
  return blocks.flatMap(({ id, level }) => {
    const sources = bySource.get(id)
    return sources === undefined ? [] : [{ level, sources, target: id }]
  })
}

function shortestRetentionMs(tiers: number, options: Parameters<typeof retentionsOf>[0]): number {
  const retentions = retentionsOf(options)
  return Math.min(...TIER_BITS.filter((bit) => hasTier(tiers, bit)).map((bit) => retentions.get(bit)!))
}

/** A flush up to midnight is the last of its day. */
function windowOf(block: BlockRow, windowMs: number): number {
  return Math.floor((block.cutMs - 1) / windowMs)
}

/** Work per step: about ten milliseconds. */
const SAMPLES_PER_STEP = 50_000

interface OpenMetric {
  readonly sources: readonly SourceSeries<StoredPack>[]
  readonly packs: Pack[]
  readonly rollups: readonly { readonly tier: RollupTier; readonly merge: RollupMerge }[]
}

/** One group becoming one block. */
export class Compaction {
  readonly #db: Database.Database
  readonly #blocks: BlockRows
  readonly #rollups: RollupRows
  readonly #sources: readonly BlockRow[]
  readonly #target: number
  readonly #hasSamples: boolean
  readonly #tiers: readonly RollupTier[]
  /** Widths that may have rows in the sources, including those of removed tiers, which are not copied. */
  readonly #stored: readonly RollupTier[]
  readonly #runs = new RunList()
  readonly #one = new RunList()
  #metric = -1
  /** The metric in progress: what remains of it in the sources, and the packs built so far. */
  #open: OpenMetric | undefined
  #filler = new PackFiller()

  /** Creates the target unless it exists. */
  constructor(db: Database.Database, parts: { blocks: BlockRows; rollups: RollupRows }, group: CompactionGroup) {
    this.#db = db
    this.#blocks = parts.blocks
    this.#rollups = parts.rollups
    this.#sources = group.sources
    this.#target = group.target ?? parts.blocks.beginCompacted(group.sources, group.level)
    const { tiers } = group.sources[0]!
    const stored = group.sources.reduce((bits, block) => bits | block.stored, 0)
    this.#hasSamples = hasTier(tiers, RAW_BIT)
    this.#tiers = ROLLUP_TIERS.filter((tier) => hasTier(tiers, tier.bit))
    this.#stored = ROLLUP_TIERS.filter((tier) => hasTier(stored, tier.bit))
  }

  /** Nothing is in memory that a later one would have to do again. */
  get isBetweenMetrics(): boolean {
    return this.#open === undefined
  }

  /**
   * Packs some series, or moves a packed metric; false when all are moved. Start again with a new instance after a
   * failure.
   */
  step(): boolean {
    if (this.#open === undefined) {
      const metric = this.#metricAfter(this.#metric)
      if (metric === undefined) {
        this.#blocks.removeEmpty(this.#sources)
        return false
      }
      this.#metric = metric
      this.#open = {
        sources: this.#hasSamples
          ? this.#sources.map(({ id }) => new SourceSeries((ref) => this.#blocks.packAfter(id, metric, ref)))
          : [],
        packs: [],
        rollups: this.#tiers.map((tier) => {
          const ids = this.#sources.map((source) => source.id)
          return { tier, merge: new RollupMerge(this.#rollups, ids, tier, metric) }
        }),
      }
    }
    const open = this.#open
    if (this.#packSome(open) || open.rollups.some(({ merge }) => merge.step())) return true
    this.#move(open)
    this.#open = undefined
    return true
  }

  #metricAfter(metric: number): number | undefined {
    let next = this.#blocks.metricAfter(this.#sources, metric) ?? Infinity
    for (const { bit } of this.#stored) {
      for (const { id } of this.#sources) next = Math.min(next, this.#rollups.metricAfter(id, bit, metric))
    }
    return next === Infinity ? undefined : next
  }

  /** In one transaction: all of the metric into the target, and out of the sources. */
  #move({ packs, rollups }: OpenMetric): void {
    const metric = this.#metric
    inTransaction(this.#db, () => {
      for (const pack of packs) this.#blocks.insert(this.#target, metric, pack)
      for (const { tier, merge } of rollups) {
        for (const pack of merge.packs) this.#rollups.insert(this.#target, tier.bit, metric, pack)
      }
      for (const { id } of this.#sources) {
        this.#blocks.removeMetric(id, metric)
        for (const { bit } of this.#stored) this.#rollups.removeMetric(id, bit, metric)
      }
    })
  }

  /** False when the samples of the metric are packed to their end. */
  #packSome({ sources, packs }: OpenMetric): boolean {
    let samples = 0
    while (samples < SAMPLES_PER_STEP) {
      const taken = this.#pushNext(sources)
      if (taken === 0 || this.#filler.isFull) {
        if (this.#filler.chunks.length > 0) packs.push(encodePack(this.#filler.chunks))
        this.#filler = new PackFiller()
        return taken > 0
      }
      samples += taken
    }
    return true
  }

  /** HOT: once per series. The next ref of all sources, with its chunks joined. Returns the number of samples. */
  #pushNext(sources: readonly SourceSeries<StoredPack>[]): number {
    let ref = Infinity
    for (const source of sources) ref = Math.min(ref, source.ref)
    if (ref === Infinity) return 0
    const runs = this.#runs
    runs.clear()
    for (const source of sources) {
      if (source.ref !== ref) continue
      readChunk(source.row, source.entry, this.#one)
      runs.joinAll(this.#one)
      source.next()
    }
    this.#filler.push({
      ref,
      fromMs: runs.startsMs[0]!,
      toMs: runs.lastMsOf(runs.count - 1),
      runs: runs.count,
      payload: encodeChunk(runs),
    })
    // A run costs as much as a sample, however long it is.
    return runs.count
  }
}
