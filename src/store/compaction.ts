import type { BlockRow, BlockRows } from './blocks.ts'
import { encodeChunk } from './chunk-codec.ts'
import { encodePack, PackFiller, type Pack } from './pack-codec.ts'
import type { StoreOptions } from './options.ts'
import { RunList } from './run-list.ts'
import { SourcePacks } from './source-packs.ts'

/**
 * Makes one block of the blocks of a day, and then of eight days (`compactToMs`), so that a long range reads few packs. One metric goes
 * over in one transaction: at any moment each of its samples is in exactly one block. The work between transactions is
 * done pack by pack. Whoever is killed in between goes on with the block that was begun (`intoBlock`).
 */

/**
 * A window is used only when the retention is this many of them: samples go by whole blocks, so they outlive the
 * retention by up to one window.
 */
const WINDOWS_IN_RETENTION = 3

/** Blocks that follow each other and are to become one. */
export interface CompactionGroup {
  readonly level: number
  readonly sources: readonly BlockRow[]
  /** The block that was begun already. */
  readonly target: number | undefined
}

/** Groups that are complete: no flush will add to them. Those begun come first, then by level and age. */
export function groupsToCompact(
  blocks: readonly BlockRow[],
  { compactToMs, retentionRawMs }: Pick<StoreOptions, 'compactToMs' | 'retentionRawMs'>,
): readonly CompactionGroup[] {
  const begun = begunGroups(blocks)
  const busy = new Set(begun.flatMap(({ target, sources }) => [target, ...sources.map((source) => source.id)]))
  const newestCutMs = blocks.reduce((newest, block) => Math.max(newest, block.cutMs), -Infinity)
  const groups = [...begun]
  compactToMs.forEach((windowMs, levelBelow) => {
    if (windowMs * WINDOWS_IN_RETENTION > retentionRawMs) return
    let sources: BlockRow[] = []
    const end = (): void => {
      if (sources.length > 0) groups.push({ level: levelBelow + 1, sources, target: undefined })
      sources = []
    }
    for (const block of blocks) {
      const window = windowOf(block, windowMs)
      if (sources.length > 0 && windowOf(sources[0]!, windowMs) !== window) end()
      // Only neighbours: a chunk between two that are joined would be out of order.
      const isFree = block.isOpen === 0 && !busy.has(block.id)
      const isComplete = newestCutMs >= (window + 1) * windowMs
      if (block.level === levelBelow && isFree && isComplete) sources.push(block)
      else end()
    }
    end()
  })
  return groups
}

function begunGroups(blocks: readonly BlockRow[]): readonly CompactionGroup[] {
  const bySource = new Map<number, BlockRow[]>()
  for (const block of blocks) {
    if (block.intoBlock !== null) bySource.set(block.intoBlock, [...(bySource.get(block.intoBlock) ?? []), block])
  }
  // A target that retention has removed already leaves sources that are past the retention too.
  return blocks.flatMap(({ id, level }) => {
    const sources = bySource.get(id)
    return sources === undefined ? [] : [{ level, sources, target: id }]
  })
}

/** A flush up to midnight is the last of its day. */
function windowOf(block: BlockRow, windowMs: number): number {
  return Math.floor((block.cutMs - 1) / windowMs)
}

/** Work between two turns: about ten milliseconds. */
const SAMPLES_PER_STEP = 50_000

/** One group becoming one block. */
export class Compaction {
  readonly #blocks: BlockRows
  readonly #sources: readonly BlockRow[]
  readonly #target: number
  readonly #runs = new RunList()
  readonly #one = new RunList()
  #metric = -1
  /** The metric that goes over now: what is left of it in the sources, and what is packed already. */
  #open: SourcePacks[] | undefined
  #filler = new PackFiller()
  #packs: Pack[] = []

  /** Begins the target when it is not there yet. */
  constructor(blocks: BlockRows, group: CompactionGroup) {
    this.#blocks = blocks
    this.#sources = group.sources
    this.#target = group.target ?? blocks.beginCompacted(group.sources, group.level)
  }

  /** Nothing is in memory that a later one would have to do again. */
  get isBetweenMetrics(): boolean {
    return this.#open === undefined
  }

  /** Packs some series, or moves a metric that is packed; false when all are moved. After a failure begin anew. */
  step(): boolean {
    if (this.#open === undefined) {
      const metric = this.#blocks.metricAfter(this.#sources, this.#metric)
      if (metric === undefined) {
        this.#blocks.removeEmpty(this.#sources)
        return false
      }
      this.#metric = metric
      this.#open = this.#sources.map((source) => new SourcePacks(this.#blocks, source.id, metric))
    }
    if (this.#packSome(this.#open)) return true
    this.#blocks.replaceMetric(this.#target, this.#sources, this.#metric, this.#packs)
    this.#packs = []
    this.#open = undefined
    return true
  }

  /** False when the metric is packed to its end. */
  #packSome(sources: readonly SourcePacks[]): boolean {
    let samples = 0
    while (samples < SAMPLES_PER_STEP) {
      const taken = this.#pushNext(sources)
      if (taken === 0 || this.#filler.isFull) {
        if (this.#filler.chunks.length > 0) this.#packs.push(encodePack(this.#filler.chunks))
        this.#filler = new PackFiller()
        return taken > 0
      }
      samples += taken
    }
    return true
  }

  /** HOT: once per series. The next ref of all sources, its chunks joined. Answers how many samples it has. */
  #pushNext(sources: readonly SourcePacks[]): number {
    let ref = Infinity
    for (const source of sources) ref = Math.min(ref, source.ref)
    if (ref === Infinity) return 0
    const runs = this.#runs
    runs.clear()
    for (const source of sources) {
      if (source.ref !== ref) continue
      this.#one.clear()
      source.decode(this.#one)
      runs.joinAll(this.#one)
      source.next()
    }
    this.#filler.push({
      ref,
      fromMs: runs.startsMs[0]!,
      toMs: runs.lastMsOf(runs.count - 1),
      payload: encodeChunk(runs),
    })
    // A run costs as much as a sample, however long it is.
    return runs.count
  }
}
