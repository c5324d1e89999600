import { FleetError } from '../base/errors.ts'
import type { SeriesRef } from '../model/series.ts'
import type { BlockRow } from './packs/blocks.ts'
import { Compaction, groupsToCompact, type CompactionGroup } from './packs/compaction.ts'
import { failureOf, inTransaction, isDamage, leavingFreePages } from './database.ts'
import type { DamageList } from './integrity/damage.ts'
import { Flush } from './packs/flush.ts'
import { FreePages } from './free-pages.ts'
import type { LogHold } from './log/log-hold.ts'
import { HeadCheckpoint, removeCheckpoint } from './head/head-checkpoint.ts'
import { RETRY_WINDOW_MS, type StoreOptions } from './options.ts'
import {
  endedSlots,
  oldestStoredMs,
  removeLeftovers,
  retainedTiers,
  retentionsOf,
  tierRemovals,
} from './packs/retention.ts'
import { Cooling } from './index/cooling.ts'
import { RAW_BIT } from './rollups/tiers.ts'
import { erasePairs } from './erasure/erase-series.ts'
import { blocksToRollUp, RollUp } from './rollups/roll-up.ts'
import type { RollupRows } from './rollups/rollup-rows.ts'
import { StatePages } from './packs/state-pages.ts'
import { eraseCluster, type EraseClusterParts, type ErasedUntil } from './erasure/erase-cluster.ts'
import { setImmediate } from 'node:timers/promises'
import type { ConnectionLock } from './connection-lock.ts'

/** Above this share of its limit, the head is flushed early, as far as possible. */
const HEAD_PRESSURE = 0.75
/** And then again when at least this much more may go. The same for a log that is too long. */
const EARLY_FLUSH_EVERY_MS = 60_000

/** Steps of giving free pages back in one call: 50 MB. */
const SHRINKING_STEPS = 50

/** Steps of compaction in one call, of about ten milliseconds each. */
const COMPACTION_STEPS = 500

/** The same for rollups. */
const ROLL_UP_STEPS = 500

/** A log that grows by this share of `flushLogBytes` between two runs, which are a second apart: a backlog arrives. */
const BACKLOG_GROWTH = 1 / 16
/** While a backlog arrives, as many blocks wait for their rollups. */
const WAITING_BLOCKS_MAX = 8

/** The same for erasures. */
const ERASING_STEPS = 500

/** Passes over what is still written about a cluster that is being erased. */
const ERASE_EVERY_MS = 30_000

/** Progress of rollups, or of compaction. */
export interface Backlog {
  /** Blocks without complete rollups; blocks that are ready to be merged into larger ones. */
  readonly backlogBlocks: number
  /** Time of their oldest sample; undefined when there are none. */
  readonly oldestMs: number | undefined
  /** `nowMs` of the last `maintain` that made progress, or had nothing to do; undefined before the first. */
  readonly lastProgressMs: number | undefined
}

const NO_BACKLOG: Backlog = { backlogBlocks: 0, oldestMs: undefined, lastProgressMs: undefined }

interface MaintenanceParts extends EraseClusterParts {
  readonly lock: ConnectionLock
  readonly damage: DamageList
  readonly rollups: RollupRows
  readonly hold: LogHold
}

/**
 * The writer's periodic work: retention, retrying a commit, the flush and its follow-up work, rollups, compaction. Each
 * is a sequence of steps of some milliseconds, between which other work runs, and can stop after any step.
 */
export class Maintenance {
  flushesDone = 0
  flushesFailed = 0
  lastFlushMs: number | undefined
  rollups = NO_BACKLOG
  compaction = NO_BACKLOG
  readonly #options: StoreOptions
  readonly #parts: MaintenanceParts
  #lastCutMs = -Infinity
  /** What the last flush had to leave in the log. */
  #logBytesLeft = 0
  /** What a start would not read, of `log.writtenBytes`; less than 0 for what this start has read. */
  #checkpointedBytes = 0
  #nextCheckpointMs: number | undefined
  /** `log.writtenBytes` at the start of the last run. */
  #lastWrittenBytes = 0
  readonly #freePages: FreePages
  /**
   * The last run failed: expired samples are then removed even before they are rolled up, because the disk may be full
   * or those samples unreadable.
   */
  #hasFailed = false
  /** The pass of an erasure that is under way, the number of those begun, and when the next one is due. */
  #erasing: Generator<void, boolean> | undefined
  #erasures = 0
  readonly #erasedUntil = new Map<string, ErasedUntil>()
  #nextErasingMs = -Infinity
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(options: StoreOptions, parts: MaintenanceParts) {
    this.#options = options
    this.#parts = parts
    this.#freePages = new FreePages(parts.db)
  }

  /** How much of the log a start had to read. */
  recordReplay(byteLength: number): void {
    this.#checkpointedBytes = -byteLength
    // When it was much, the next start shall not have to.
    if (this.#isCheckpointDue) this.#nextCheckpointMs = -Infinity
  }

  /** Before the end, so that the next start is quick. No other step may run. It costs only time when it fails. */
  checkpointNow(): void {
    if (!this.#isCheckpointDue) return
    try {
      const checkpoint = new HeadCheckpoint(this.#parts.db, this.#parts)
      while (checkpoint.step());
    } catch (thrown) {
      const failure = failureOf('writing the head down', thrown)
      if (!(failure instanceof FleetError)) throw failure
    }
  }

  /** Calls while one runs share its promise. Rejects with FleetError. */
  run(nowMs: number): Promise<void> {
    this.#running ??= this.#run(nowMs).then(
      () => {
        this.#running = undefined
        this.#hasFailed = false
      },
      (failure: unknown) => {
        this.#running = undefined
        this.#hasFailed = true
        throw failure
      },
    )
    return this.#running
  }

  /** Resolves when no step runs any more; none will. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running?.catch(() => undefined)
  }

  async #run(nowMs: number): Promise<void> {
    const floorMs = nowMs - this.#options.retentionRawMs
    const { db, head, blocks, histograms, spans, observations, logs, commits, damage, hold } = this.#parts
    // Histograms and series of samples that are not forwarded yet stay with them.
    const heldFloorMs = Math.min(floorMs, hold.oldestMs)
    head.reclaim()
    const { writtenBytes } = this.#parts.log
    const isBacklog = writtenBytes - this.#lastWrittenBytes > this.#options.flushLogBytes * BACKLOG_GROWTH
    this.#lastWrittenBytes = writtenBytes
    // What one part of the work finds damaged does not stop the others; the first such failure is reported at the end.
    let failure: Error | undefined
    const isolated = async (work: Promise<void>): Promise<void> => {
      try {
        await work
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown
        failure ??= thrown
      }
    }
    // First what makes room: on a full disk the commit after it may succeed again.
    await isolated(
      this.#numberSteps('removing old samples', () => {
        for (const { block, tiers } of tierRemovals(blocks.all(), nowMs, this.#options, this.#hasFailed)) {
          blocks.setTiers(block.id, { ...block, tiers })
        }
        damage.removeOlder('pack', floorMs)
        damage.removeOlder('rollup', nowMs - Math.max(...retentionsOf(this.#options).values()))
        return removeLeftovers(db, this.#parts)
      }),
    )
    await isolated(this.#numberSteps('removing old histograms', () => histograms.removeSome(heldFloorMs)))
    const tracesFloorMs = nowMs - this.#options.retentionTracesMs
    await isolated(this.#steps('removing old traces', () => spans.removeSome(tracesFloorMs)))
    const logsFloorMs = nowMs - this.#options.retentionLogsMs
    await isolated(this.#steps('removing old log records', () => logs.removeSome(logsFloorMs)))
    const objectsFloorMs = nowMs - this.#options.retentionObjectsMs
    await isolated(this.#steps('removing old observations', () => observations.removeSome(objectsFloorMs)))
    await commits.commit()
    const cutMs = this.#cutMs(nowMs)
    // Samples of the past make the log long without any more of the clock's time going by.
    const isBacklogLong = this.#isLogLong && this.#parts.log.oldestMs <= cutMs
    if (cutMs > this.#lastCutMs || isBacklogLong) await isolated(this.#flushAndEnd(nowMs, cutMs, heldFloorMs))
    await isolated(this.#rollUp(nowMs, isBacklog))
    await isolated(this.#compact(nowMs))
    await isolated(this.#erase(nowMs))
    await isolated(this.#checkpoint(nowMs))
    let shrinkingStepsLeft = SHRINKING_STEPS
    await isolated(this.#steps('giving free pages back', () => shrinkingStepsLeft-- > 0 && this.#freePages.step()))
    if (failure !== undefined) throw failure
  }

  get #isLogLong(): boolean {
    return this.#parts.log.byteLength - this.#logBytesLeft > this.#options.flushLogBytes
  }

  /** Whether a start would have much to read. */
  get #isCheckpointDue(): boolean {
    const { log } = this.#parts
    const unread = Math.min(log.byteLength, log.writtenBytes - this.#checkpointedBytes)
    return unread > this.#options.checkpointLogBytes
  }

  async #checkpoint(nowMs: number): Promise<void> {
    const { checkpointEveryMs } = this.#options
    this.#nextCheckpointMs ??= nowMs + checkpointEveryMs
    if (nowMs < this.#nextCheckpointMs || !this.#isCheckpointDue) return
    this.#nextCheckpointMs = nowMs + checkpointEveryMs
    let checkpoint: HeadCheckpoint | undefined
    let writtenBytes = 0
    await this.#numberSteps('writing the head down', () => {
      if (checkpoint === undefined) {
        checkpoint = new HeadCheckpoint(this.#parts.db, this.#parts)
        writtenBytes = this.#parts.log.writtenBytes
      }
      return checkpoint.step()
    })
    if (checkpoint?.isWhole === true) this.#checkpointedBytes = writtenBytes
  }

  async #flushAndEnd(nowMs: number, cutMs: number, floorMs: number): Promise<void> {
    try {
      await this.#flush(cutMs)
      await this.#steps('removing ended series', () => this.#endSeries(floorMs))
      await this.#coolSeries(floorMs)
      await this.#steps('removing old exemplars', () => {
        this.#parts.exemplars.removeOlder(floorMs)
        return false
      })
    } catch (failure) {
      this.flushesFailed++
      throw failure
    }
    if (this.#isStopped) return
    this.#lastCutMs = Math.max(this.#lastCutMs, cutMs)
    this.#logBytesLeft = this.#parts.log.byteLength
    this.lastFlushMs = nowMs
    this.flushesDone++
  }

  /**
   * Rolls up flushed blocks, for a bounded number of steps; the next call continues. While a backlog arrives, a few blocks
   * wait: the thread acknowledges samples instead.
   */
  async #rollUp(nowMs: number, isBacklog: boolean): Promise<void> {
    const { db, blocks } = this.#parts
    // What cannot be rolled up cannot be compacted either, and waits for it.
    const asRolled = blocks.all().map((block) => ({ ...block, isRolled: 1 - block.isOpen }))
    this.compaction = backlogOf(sourcesOf(groupsToCompact(asRolled, this.#options)), this.compaction, nowMs)
    let stepsLeft = ROLL_UP_STEPS
    for (;;) {
      const waiting = blocksToRollUp(blocks.all())
      this.rollups = backlogOf(waiting, this.rollups, nowMs)
      const [block] = waiting
      if (block === undefined || stepsLeft <= 0 || this.#isStopped) return
      if (isBacklog && waiting.length < WAITING_BLOCKS_MAX) return
      let rollUp: RollUp | undefined
      await this.#numberSteps('rolling up', () => {
        rollUp ??= new RollUp(db, this.#parts, block, retainedTiers(block.toMs, nowMs, this.#options))
        stepsLeft--
        const isMore = rollUp.step()
        this.rollups = { ...this.rollups, lastProgressMs: nowMs }
        return isMore && stepsLeft > 0
      })
    }
  }

  /** Compacts complete groups, for a bounded number of steps: a backlog must not delay the next flush. */
  async #compact(nowMs: number): Promise<void> {
    const { db, blocks } = this.#parts
    let stepsLeft = COMPACTION_STEPS
    for (;;) {
      const groups = groupsToCompact(blocks.all(), this.#options)
      this.compaction = backlogOf(sourcesOf(groups), this.compaction, nowMs)
      const [group] = groups
      if (group === undefined || stepsLeft <= 0 || this.#isStopped) return
      let compaction: Compaction | undefined
      await this.#numberSteps('compacting', () => {
        if (group.sources.length === 1 && group.target === undefined) {
          blocks.raise(group.sources[0]!, group.level)
          return false
        }
        compaction ??= new Compaction(db, this.#parts, group)
        stepsLeft--
        const isMore = compaction.step()
        if (compaction.isBetweenMetrics) this.compaction = { ...this.compaction, lastProgressMs: nowMs }
        return isMore && (stepsLeft > 0 || !compaction.isBetweenMetrics)
      })
    }
  }

  /** One pass of the oldest erasure, for a bounded number of steps: the next call continues. */
  async #erase(nowMs: number): Promise<void> {
    const { erasures, log } = this.#parts
    const waiting = erasures.list().filter(({ doneMs }) => doneMs === undefined)
    if (this.#erasing === undefined) {
      // Erasures take turns: each waits for a while between two passes.
      const next = waiting[this.#erasures++ % waiting.length]
      if (next === undefined || nowMs < this.#nextErasingMs) return
      const until = this.#erasedUntil.get(next.id) ?? { tracePart: 0 }
      this.#erasedUntil.set(next.id, until)
      this.#erasing = eraseCluster(this.#parts, next, new Set(this.#options.clusterLabels), until, nowMs)
    }
    const pass = this.#erasing
    let stepsLeft = ERASING_STEPS
    try {
      await this.#steps('erasing a cluster', () => {
        const { done = false, value } = pass.next()
        if (!done) return stepsLeft-- > 0
        this.#erasing = undefined
        // Others that wait begin at once.
        this.#nextErasingMs = value || waiting.length > 1 ? nowMs : nowMs + ERASE_EVERY_MS
        // The checkpoint is removed, if there was one: a start reads the log from its beginning.
        this.#checkpointedBytes = log.writtenBytes - log.byteLength
        return false
      })
    } catch (failure) {
      this.#erasing = undefined
      throw failure
    }
  }

  /** The newest time that may be flushed, in steps of `flushEveryMs`, or smaller ones when head or log are too full. */
  #cutMs(nowMs: number): number {
    const { outOfOrderMs, flushEveryMs, headBytesMax } = this.#options
    const isEarly = this.#isLogLong || this.#parts.head.usedBytes > headBytesMax * HEAD_PRESSURE
    const everyMs = isEarly ? Math.min(flushEveryMs, EARLY_FLUSH_EVERY_MS) : flushEveryMs
    return Math.floor((nowMs - Math.max(outOfOrderMs, RETRY_WINDOW_MS)) / everyMs) * everyMs
  }

  async #flush(cutMs: number): Promise<void> {
    const { db, head, log, blocks, histograms, commits } = this.#parts
    // A failed or interrupted flush left a block whose states are stored only in its chunks.
    const open = blocks.openBlocks()
    if (open.length > 0) {
      const states = new StatePages(db, this.#parts, open)
      await this.#numberSteps('writing flush states', () => states.step())
    }
    log.flushing()
    // Rows up to this one hold nothing that the flush does not see; later ones may.
    const newestRow = log.newestId
    const flush = new Flush(db, this.#parts, cutMs)
    await this.#numberSteps('flushing', () => {
      // A chunk of a series must never be on the disk before the series.
      commits.commitNow()
      const isMore = flush.step()
      head.reclaim()
      return isMore
    })
    if (flush.block !== undefined) {
      const states = new StatePages(db, this.#parts, [flush.block], flush.pages)
      await this.#numberSteps('writing flush states', () => states.step())
    }
    await this.#numberSteps('truncating the log', () => log.removeSome(newestRow, cutMs))
    let ref: SeriesRef | undefined = 0
    await this.#numberSteps('packing histograms', () => {
      ref = ref === undefined ? undefined : histograms.packSome(ref, cutMs)
      return ref !== undefined
    })
    // Most of its samples are flushed now, and the log is quickly read.
    if (log.byteLength <= this.#options.checkpointLogBytes) {
      await this.#numberSteps('removing what was written of the head', () => removeCheckpoint(db))
      this.#checkpointedBytes = log.writtenBytes - log.byteLength
    }
  }

  /** Releases the memory of series whose samples are removed, and removes cold ones with their last rollup. */
  async #coolSeries(floorMs: number): Promise<void> {
    const { blocks, cold, rows, table } = this.#parts
    let cooling: Cooling | undefined
    await this.#steps('making series cold', () => {
      cooling ??= new Cooling(this.#parts, oldestStoredMs(blocks.all(), floorMs, RAW_BIT))
      return cooling.step()
    })
    await this.#steps('removing cold series from batches', () => rows.removeCold((ref) => table.refs.get(ref) >= 0))
    let segment: number | undefined = 0
    await this.#steps('removing ended cold series', () => {
      segment = cold.removeSome(oldestStoredMs(blocks.all(), floorMs), segment!)
      return segment !== undefined
    })
    const unused = erasePairs(this.#parts)
    await this.#steps('removing unused label pairs', () => unused.next().done !== true)
  }

  #endSeries(floorMs: number): boolean {
    const { db, head, table, rows, blocks, histograms, commits, seriesRemoved } = this.#parts
    const ended = endedSlots(head, table, oldestStoredMs(blocks.all(), floorMs))
    if (ended.length === 0) return false
    commits.commitNow()
    const refs = ended.map((series) => series.ref)
    inTransaction(db, () => {
      rows.end(refs)
      histograms.end(refs)
    })
    histograms.ended(refs)
    for (const { slot } of ended) {
      table.remove(slot)
      head.leaveSlot(slot)
    }
    seriesRemoved(refs)
    head.reclaim()
    return true
  }

  /** As `#steps`, of what removes nothing but numbers. */
  #numberSteps(what: string, step: () => boolean): Promise<void> {
    return this.#steps(what, () => leavingFreePages(this.#parts.db, step))
  }

  /** Runs `step` until it returns false, with other work in between. */
  async #steps(what: string, step: () => boolean): Promise<void> {
    for (;;) {
      while (!this.#parts.lock.isFree) await this.#parts.lock.free()
      if (this.#isStopped) return
      try {
        if (!step()) return
      } catch (thrown) {
        throw failureOf(what, thrown)
      }
      await setImmediate()
    }
  }
}

function sourcesOf(groups: readonly CompactionGroup[]): readonly BlockRow[] {
  return groups.flatMap((group) => group.sources)
}

function backlogOf(waiting: readonly BlockRow[], before: Backlog, nowMs: number): Backlog {
  return {
    backlogBlocks: waiting.length,
    oldestMs: waiting.length === 0 ? undefined : Math.min(...waiting.map((block) => block.fromMs)),
    lastProgressMs: waiting.length === 0 ? nowMs : before.lastProgressMs,
  }
}
