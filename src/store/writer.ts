import type Database from 'better-sqlite3'
import { FleetError } from '../base/errors.ts'
import type { Erasure, MetricsStoreErasure } from '../model/erasure.ts'
import { BlockRows } from './packs/blocks.ts'
import {
  asFailure,
  closeDatabase,
  isWritable,
  limitSize,
  lockDirectory,
  openDatabase,
  openReadOnly,
  readOnlyFailure,
  type DirectoryLock,
} from './database.ts'
import { isKnownCluster, namesOfCluster } from './erasure/cluster-names.ts'
import { Erasures } from './erasure/erasures.ts'
import { Exemplars } from './head/exemplars.ts'
import { DamageList, type DamageSummary, type FoundDamage } from './integrity/damage.ts'
import { createFacts, type Facts } from './facts/facts.ts'
import { GroupCommit, type CommitFailure } from './log/group-commit.ts'
import { Head } from './head/head.ts'
import { loadCheckpoint } from './head/head-checkpoint.ts'
import { Histograms } from './head/histograms.ts'
import { Log } from './log/log.ts'
import { LogHold, type ForwardBuffer } from './log/log-hold.ts'
import type { ForwardProgress } from '../model/forward-progress.ts'
import { LogRecords } from './observations/log-records.ts'
import { LogBuffer } from './log/log-codec.ts'
import { Metadata } from './index/metadata.ts'
import { Maintenance, type Backlog } from './maintenance.ts'
import { Observations } from './observations/observations.ts'
import type { StoreOptions } from './options.ts'
import { openChangeLog, type ChangeLog } from './shipping/change-log.ts'
import { RollupRows } from './rollups/rollup-rows.ts'
import { ColdSeriesRows } from './index/cold-series.ts'
import { eachPair, eachSeries, SeriesRows } from './index/series-rows.ts'
import { SeriesTable } from './index/series-table.ts'
import { SpareRoom } from './spare-room.ts'
import { Spans } from './spans/spans.ts'
import { flatSeries, Readers, type ReaderShare } from './head/share.ts'
import { StoreAppender } from './head/store-appender.ts'
import { ConnectionLock } from './connection-lock.ts'

export interface StoreStats {
  /** Series in memory: those with samples. */
  readonly seriesCount: number
  /** Series with rollups only, on the disk. */
  readonly coldSeries: number
  /** Samples in the head: not flushed yet. */
  readonly headSamples: number
  readonly headBytes: number
  /** Accepted, not durable yet. */
  readonly pendingBytes: number
  /** Durable, not flushed yet: what a restart reads. */
  readonly logBytes: number
  readonly commitsDone: number
  readonly commitsFailed: number
  /** States of objects that were removed because their cluster had more than `clusterObjectStatesMax`. */
  readonly objectStatesEvicted: number
  /** Of the newest commit, when it failed. */
  readonly commitFailure: CommitFailure | undefined
  readonly flushesDone: number
  readonly flushesFailed: number
  /** `nowMs` of the last `maintain` that flushed a sample; undefined before. */
  readonly lastFlushMs: number | undefined
  readonly rollups: Backlog
  readonly compaction: Backlog
  /** Samples that are to be forwarded; undefined: none are. */
  readonly forwardBuffer: ForwardBuffer | undefined
  /** What is damaged, and left out; undefined: nothing. */
  readonly damage: DamageSummary | undefined
  /** The directory was read-only when it was opened, and can be written now: open it again. */
  readonly isWritableAgain: boolean
}

/**
 * Opens a data directory for writing and reads its log. When the directory is read-only, so is the writer: it serves
 * readers and takes nothing. Throws FleetError.
 * @param onSeriesLoaded called when all series are loaded and before samples are read, so that a reader on another
 * thread can load them in parallel; do not call the writer before this function has returned
 */
export function openWriter(
  options: StoreOptions,
  nowMs: number,
  onSeriesLoaded: (writer: StoreWriter) => void = () => undefined,
): StoreWriter {
  const lock = lockDirectory(options.dir)
  let db: Database.Database | undefined
  try {
    db = lock.isReadOnly ? openReadOnly(options.dir) : openDatabase(options.dir)
    const opened = db
    if (!lock.isReadOnly) limitSize(opened, options.databaseBytesMax)
    const writer = asFailure(`reading ${options.dir}`, () => new StoreWriter(options, opened, lock, nowMs))
    onSeriesLoaded(writer)
    asFailure(`reading ${options.dir}`, () => {
      writer.loadSamples()
    })
    return writer
  } catch (thrown) {
    db?.close()
    lock.release()
    throw thrown
  }
}

/** The writing side of the store: one per data directory, on the ingest worker. */
export class StoreWriter {
  readonly appender: StoreAppender
  readonly facts: Facts
  /** Spans, observations and log records of others are durable with `appender.commit()`. */
  readonly spans: Spans
  readonly observations: Observations
  readonly logs: LogRecords
  readonly #erasures: Erasures
  readonly #options: StoreOptions
  readonly #db: Database.Database
  readonly #lock: DirectoryLock
  readonly #connectionLock = new ConnectionLock()
  readonly #readers = new Readers()
  readonly #head: Head
  readonly #buffer = new LogBuffer()
  readonly #histograms: Histograms
  readonly #exemplars: Exemplars
  readonly #metadata: Metadata
  readonly #rows: SeriesRows
  readonly #cold: ColdSeriesRows
  readonly #table: SeriesTable
  readonly #damage: DamageList
  readonly #blocks: BlockRows
  readonly #hold: LogHold
  readonly #log: Log
  readonly #commits: GroupCommit
  readonly #changes: ChangeLog | undefined
  readonly #maintenance: Maintenance
  readonly #spareRoom: SpareRoom

  constructor(options: StoreOptions, db: Database.Database, lock: DirectoryLock, nowMs: number) {
    this.#options = options
    this.#db = db
    this.#lock = lock
    this.#spareRoom = new SpareRoom(options.dir)
    this.#rows = new SeriesRows(db)
    if (!lock.isReadOnly) this.#removeEnded()
    this.#cold = new ColdSeriesRows(db)
    this.#table = new SeriesTable(this.#rows.nextNumber('series_batch'), this.#rows.nextNumber('pair'), (name) =>
      this.#cold.metricNumberOf(name),
    )
    this.#head = new Head({
      slotsAdded: (buffer) => {
        this.#readers.post({ kind: 'slots', buffer })
      },
      pagesAdded: (buffer) => {
        this.#readers.post({ kind: 'pages', buffer })
      },
    })
    this.#histograms = new Histograms(db, (ref) => {
      this.#readers.post({ kind: 'histograms', ref })
      this.#head.memory.addHistogramSeries(1)
    })
    this.#exemplars = new Exemplars(db, options)
    this.#metadata = new Metadata(db)
    this.#changes = lock.isReadOnly ? undefined : openChangeLog(db, options.isShipping)
    this.spans = new Spans(db, options, this.#changes)
    this.observations = new Observations(db, options.clusterObjectStatesMax, this.#changes)
    this.logs = new LogRecords(db, this.#changes)
    this.#erasures = new Erasures(db)
    this.#damage = new DamageList(db, (damage) => {
      this.#readers.post({ kind: 'damaged', damage })
    })
    this.#blocks = new BlockRows(db, this.#damage)
    this.#hold = new LogHold(db, options.forwardBufferBytesMax)
    this.#log = new Log(db, this.#hold)
    this.#commits = new GroupCommit(db, {
      lock: this.#connectionLock,
      buffer: this.#buffer,
      log: this.#log,
      table: this.#table,
      rows: this.#rows,
      cold: this.#cold,
      histograms: this.#histograms,
      exemplars: this.#exemplars,
      metadata: this.#metadata,
      otherParts: [
        ...[this.spans, this.observations, this.logs, this.#hold],
        ...(this.#changes === undefined ? [] : [this.#changes]),
      ],
      announce: () => {
        this.#announce()
      },
    })
    this.appender = new StoreAppender({
      head: this.#head,
      table: this.#table,
      cold: this.#cold,
      buffer: this.#buffer,
      histograms: this.#histograms,
      exemplars: this.#exemplars,
      metadata: this.#metadata,
      outOfOrderMs: options.outOfOrderMs,
      seriesMax: options.seriesMax,
      commit: () => this.#commits.commit(),
      labelsOfEnded: (ref) => this.#rows.labelsOf(ref),
    })
    this.facts = createFacts(db, this.#connectionLock)
    this.#maintenance = new Maintenance(options, {
      db,
      lock: this.#connectionLock,
      head: this.#head,
      table: this.#table,
      rows: this.#rows,
      cold: this.#cold,
      log: this.#log,
      hold: this.#hold,
      blocks: this.#blocks,
      damage: this.#damage,
      rollups: new RollupRows(db, this.#damage),
      histograms: this.#histograms,
      exemplars: this.#exemplars,
      spans: this.spans,
      observations: this.observations,
      logs: this.logs,
      metadata: this.#metadata,
      erasures: this.#erasures,
      commits: this.#commits,
      seriesErased: (refs) => {
        this.appender.erase(refs)
      },
      seriesRemoved: (refs, coldUntilMs = -Infinity) => {
        this.#readers.post({ kind: 'removed', refs, coldUntilMs })
      },
    })
    if (lock.isReadOnly) {
      const { message } = readOnlyFailure(options.dir)
      this.#commits.failure = { code: 'storage_failed', message }
    }
    this.#loadSeries()
    this.appender.floorMs = nowMs - options.retentionRawMs
  }

  /** True while the head or what waits for the disk is over its limit; `maintain` brings it down again. */
  get isOverloaded(): boolean {
    return this.#pendingBytes > this.#options.pendingBytesMax || this.#head.usedBytes > this.#options.headBytesMax
  }

  /** Before a request is appended. Throws FleetError `overloaded`: while `isOverloaded`, or too much waits to be forwarded. */
  admit(): void {
    if (this.#lock.isReadOnly) throw readOnlyFailure(this.#options.dir)
    if (this.isOverloaded) throw new FleetError('overloaded', 'the log cannot keep up; nothing was taken')
    if (!this.#hold.isFull) return
    this.#hold.refused++
    const message = `${this.#options.forwardBufferBytesMax} bytes of samples wait for the store of store.metrics, the limit of store.metrics-buffer-bytes-max; nothing was taken`
    throw new FleetError('overloaded', message, {
      hint: 'GET /debug/forward has the reason; the server then continues',
    })
  }

  /** Takes how far samples are forwarded: rows up to there may be removed. Durable with the next commit. */
  forwarded(progress: ForwardProgress): void {
    if (!this.#lock.isReadOnly) this.#hold.forwarded(progress)
  }

  /** Resolves when all that was appended is durable. */
  commit(): Promise<void> {
    return this.#commits.commit()
  }

  get #pendingBytes(): number {
    const parts = [this.#histograms, this.#exemplars, this.#metadata, this.spans, this.observations, this.logs]
    return parts.reduce((bytes, part) => bytes + part.pendingBytes, this.#buffer.byteLength)
  }

  /**
   * Periodic work, every second or so: retries a failed commit, flushes, applies retention. Long work runs in steps of
   * some milliseconds, between which requests are served. Concurrent calls share one promise. Rejects with FleetError;
   * the next call continues.
   */
  async maintain(nowMs: number): Promise<void> {
    this.appender.floorMs = nowMs - this.#options.retentionRawMs
    if (this.#lock.isReadOnly) return
    await this.#maintenance.run(nowMs)
    this.#spareRoom.restore()
  }

  /**
   * Takes what a reader or the scrub found damaged: isolates it, and reports it in `stats` and to readers.
   *
   * @param isPassEnd the scrub has been through everything: damage that it did not find again is forgotten
   */
  async reportDamage(found: readonly FoundDamage[], isPassEnd = false): Promise<void> {
    if (this.#lock.isReadOnly) return
    await this.#connectionLock.run(async () => {
      asFailure('isolating damage', () => {
        this.#damage.add(found)
        if (isPassEnd) this.#damage.endPass()
      })
      return Promise.resolve()
    })
  }

  /** Whether data of a cluster of this name is refused, because it was erased. */
  isErased(name: string): boolean {
    return this.#erasures.isErased(name)
  }

  /** In the order in which they began. */
  listErasures(): readonly Erasure[] {
    return this.#erasures.list()
  }

  /**
   * Begins to erase a cluster, in steps of `maintain`, and refuses its data from now on. Durable when it resolves.
   * `undefined`: nothing is stored of a cluster of this name.
   */
  async beginErasure(cluster: string, id: string, by: string, nowMs: number): Promise<Erasure | undefined> {
    await this.#commits.commit()
    await this.untilFree()
    return asFailure('erasing a cluster', () => {
      const known = this.#erasures.list().find(({ names, doneMs }) => doneMs === undefined && names?.includes(cluster))
      if (known !== undefined) return known
      const hasSeries = this.#table.seriesOf(cluster) > 0 || this.#cold.hasCluster(cluster)
      if (!hasSeries && !isKnownCluster(this.#db, cluster)) return undefined
      return this.#erasures.begin(id, namesOfCluster(this.#db, cluster), by, nowMs)
    })
  }

  /**
   * The same for an erasure that began in another process: also when nothing of the cluster is stored here, so that its data
   * is refused. The names are those given, and those that it has here.
   */
  async joinErasure(id: string, names: readonly string[], by: string, nowMs: number): Promise<Erasure> {
    await this.#commits.commit()
    await this.untilFree()
    return asFailure('erasing a cluster', () => {
      const known = this.#erasures.list().find((one) => one.id === id)
      if (known !== undefined) return known
      const all = new Set([...names, ...names.flatMap((name) => namesOfCluster(this.#db, name))])
      return this.#erasures.begin(id, [...all], by, nowMs)
    })
  }

  /** Durable when it resolves. */
  async noteMetricsStoreErasure(id: string, state: MetricsStoreErasure): Promise<void> {
    await this.untilFree()
    asFailure('noting an erasure', () => {
      this.#erasures.noteMetricsStore(id, state)
    })
  }

  /** Accepts data of an erased cluster again. `undefined`: there is no such erasure, or it has not ended. */
  async allowErased(id: string, by: string, nowMs: number): Promise<Erasure | undefined> {
    await this.untilFree()
    return asFailure('accepting data of an erased cluster', () => this.#erasures.allow(id, by, nowMs))
  }

  /** Removes some changes that are shipped from the log of changes; true when there may be more. */
  async removeShipped(seq: number): Promise<boolean> {
    await this.untilFree()
    return asFailure('removing shipped changes', () => this.#changes?.removeSome(seq) ?? false)
  }

  /** Resolves when no transaction is under way. */
  async untilFree(): Promise<void> {
    while (!this.#connectionLock.isFree) await this.#connectionLock.free()
  }

  /**
   * For one reader, while no transaction is under way. Post it with `[share.port]` as the transfer list. Throws FleetError
   * when the disk is full.
   */
  share(): ReaderShare {
    this.#commits.commitNow()
    const refs = this.#table.sortedRefs()
    const series = new Uint32Array(refs.length * 2)
    refs.forEach((ref, i) => {
      series[i * 2] = ref
      series[i * 2 + 1] = this.#table.refs.get(ref)
    })
    return this.#readers.add(this.#head.memory.buffers, series, Uint32Array.from(this.#histograms.series))
  }

  /** For a reader that has ended, possibly during a read. */
  unshare(reader: number): void {
    this.#readers.remove(reader)
    this.#head.memory.unpin(reader)
  }

  stats(): StoreStats {
    return {
      seriesCount: this.#table.seriesCount,
      coldSeries: this.#cold.count,
      headSamples: this.#head.sampleCount,
      headBytes: this.#head.usedBytes,
      pendingBytes: this.#pendingBytes,
      logBytes: this.#log.byteLength,
      commitsDone: this.#commits.commitsDone,
      commitsFailed: this.#commits.commitsFailed,
      objectStatesEvicted: this.observations.statesEvicted,
      commitFailure: this.#commits.failure,
      flushesDone: this.#maintenance.flushesDone,
      flushesFailed: this.#maintenance.flushesFailed,
      lastFlushMs: this.#maintenance.lastFlushMs,
      rollups: this.#maintenance.rollups,
      compaction: this.#maintenance.compaction,
      damage: this.#damage.summary,
      forwardBuffer: this.#hold.buffer,
      isWritableAgain: this.#lock.isReadOnly && isWritable(this.#options.dir),
    }
  }

  /** Commits, then closes; the directory is free for another server even when the commit fails, and then it rejects. */
  async close(): Promise<void> {
    await this.#maintenance.stop()
    await this.untilFree()
    try {
      // Read-only, it has acknowledged nothing.
      if (this.#lock.isReadOnly) return
      await this.appender.commit()
      this.#maintenance.checkpointNow()
    } finally {
      this.#readers.close()
      closeDatabase(this.#db, this.#options.dir, 'TRUNCATE')
      this.#lock.release()
    }
  }

  /** With a full disk the server must still start, for reading; the next start removes them. */
  #removeEnded(): void {
    try {
      asFailure('removing ended series', () => {
        this.#rows.removeEnded()
      })
    } catch (thrown) {
      if (!(thrown instanceof FleetError) || thrown.code !== 'storage_full') throw thrown
    }
  }

  #loadSeries(): void {
    eachPair(this.#db, (id, name, value) => {
      this.#table.pairs.add(id, name, value)
    })
    eachSeries(this.#db, ({ ref, pairIds, isEnded }) => {
      // Ended ones are still here only when the disk was too full to remove them.
      if (!isEnded) this.#table.add({ ref, slot: this.#head.takeSlot(), pairIds })
    })
    this.#table.removeUnusedPairs()
  }

  /** Loads the flushed times of series, then the samples of the checkpoint and the log. Call once. */
  loadSamples(): void {
    this.#rows.eachState((state) => {
      const slot = this.#table.refs.get(state.ref)
      if (slot >= 0) this.#head.setFlushed(slot, state.flushedUntilMs, state.low, state.high)
    })
    for (const block of this.#blocks.openBlocks()) {
      this.#blocks.eachState(block, ({ ref, flushedUntilMs, low, high }) => {
        const slot = this.#table.refs.get(ref)
        if (slot < 0 || flushedUntilMs <= this.#head.flushed(slot).flushedUntilMs) return
        this.#head.setFlushed(slot, flushedUntilMs, low, high)
      })
    }
    const readBytes = this.#log.replay(loadCheckpoint(this.#db, this.#head, this.#table), (ref, timeMs, low, high) => {
      // Until its log rows are removed, an ended series may have some, without any retained sample.
      const slot = this.#table.refs.get(ref)
      if (slot >= 0) this.appender.replay(slot, timeMs, low, high)
    })
    this.#maintenance.recordReplay(readBytes)
  }

  /** Announces new pairs and series to readers, before their samples are acknowledged. */
  #announce(): void {
    const { pairs, series } = this.#table.unannounced
    if (series.length === 0) return
    // A failed commit leaves them announced.
    this.#table.unannounced = { pairs: [], series: [] }
    this.#readers.post({ kind: 'series', pairs, series: flatSeries(series) })
  }
}
