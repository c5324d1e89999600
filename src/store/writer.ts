import type Database from 'better-sqlite3'
import type { Appender } from '../model/appender.ts'
import type { SeriesRef } from '../model/series.ts'
import { ChunkWriter } from './chunks.ts'
import { asFailure, failureOf, limitSize, lockDirectory, openDatabase, type DirectoryLock } from './database.ts'
import { createFacts, type Facts } from './facts/facts.ts'
import { Flush } from './flush.ts'
import { GroupCommit } from './group-commit.ts'
import { Head } from './head.ts'
import { Log } from './log.ts'
import { LogBuffer } from './log-codec.ts'
import { RETRY_WINDOW_MS, type StoreOptions } from './options.ts'
import { endedSlots, removeExpiredChunks } from './retention.ts'
import { eachPair, eachSeries, SeriesRows } from './series-rows.ts'
import { SeriesTable } from './series-table.ts'
import { Readers, type ReaderShare } from './share.ts'
import { StoreAppender } from './store-appender.ts'
import { nextTurn, Turns } from './turns.ts'

/** The writing side of the store: one per data directory, on the ingest worker. */
export interface StoreWriter {
  readonly appender: Appender
  readonly facts: Facts
  /**
   * True while the head or what waits for the disk is over its limit. Ask before a request is appended, and answer
   * `overloaded`; `maintain` brings it down again.
   */
  readonly isOverloaded: boolean
  /**
   * What is to be done from time to time, every second or so: retry a failed commit, flush, retention. Long work is
   * done in steps of some milliseconds, between which requests are served. Calls while one runs share its promise.
   * Rejects with FleetError; the next call goes on where this one failed.
   */
  maintain(nowMs: number): Promise<void>
  /** For one reader. Post it with `[share.port]` as the transfer list. Throws FleetError when the disk is full. */
  share(): ReaderShare
  /** The reader is gone, perhaps in the middle of a read. */
  unshare(reader: number): void
  stats(): StoreStats
  /** Commits, then closes; the directory is free for another server even when the commit fails, and then it rejects. */
  close(): Promise<void>
}

export interface StoreStats {
  readonly seriesCount: number
  /** Samples in the head: not flushed yet. */
  readonly headSamples: number
  readonly headBytes: number
  /** Accepted, not durable yet. */
  readonly pendingBytes: number
  /** Durable, not flushed yet: what a restart reads. */
  readonly logBytes: number
  readonly commitsDone: number
  readonly commitsFailed: number
  readonly flushesDone: number
  readonly flushesFailed: number
  /** `nowMs` of the last `maintain` that flushed something; undefined before. */
  readonly lastFlushMs: number | undefined
}

/** Opens a data directory for writing and reads its log. Throws FleetError. */
export function openWriter(options: StoreOptions, nowMs: number): StoreWriter {
  const lock = lockDirectory(options.dir)
  let db: Database.Database | undefined
  try {
    db = openDatabase(options.dir)
    const opened = db
    limitSize(opened, options.databaseBytesMax)
    return asFailure(`reading ${options.dir}`, () => new SqliteWriter(options, opened, lock, nowMs))
  } catch (thrown) {
    db?.close()
    lock.release()
    throw thrown
  }
}

/** Above this part of its limit the head is flushed as far as it may be, before time. */
const HEAD_PRESSURE = 0.75
/** And then again when at least this much more may go. */
const PRESSURE_FLUSH_EVERY_MS = 60_000

class SqliteWriter implements StoreWriter {
  readonly appender: StoreAppender
  readonly facts: Facts
  readonly #options: StoreOptions
  readonly #db: Database.Database
  readonly #lock: DirectoryLock
  readonly #turns = new Turns()
  readonly #readers = new Readers()
  readonly #head: Head
  readonly #buffer = new LogBuffer()
  readonly #rows: SeriesRows
  readonly #table: SeriesTable
  readonly #log: Log
  readonly #chunks: ChunkWriter
  readonly #commits: GroupCommit
  /** What readers were told of the table's new pairs and series: a failed commit leaves them there. */
  #announcedRef: SeriesRef
  #announcedPairId: number
  #flushesDone = 0
  #flushesFailed = 0
  #lastFlushMs: number | undefined
  #lastCutMs = -Infinity
  #maintenance: Promise<void> | undefined
  #isClosing = false

  constructor(options: StoreOptions, db: Database.Database, lock: DirectoryLock, nowMs: number) {
    this.#options = options
    this.#db = db
    this.#lock = lock
    this.#rows = new SeriesRows(db)
    this.#rows.removeEnded()
    this.#announcedRef = this.#rows.nextNumber('series') - 1
    this.#announcedPairId = this.#rows.nextNumber('pair') - 1
    this.#table = new SeriesTable(this.#announcedRef + 1, this.#announcedPairId + 1)
    this.#head = new Head({
      slotsAdded: (buffer) => {
        this.#readers.post({ kind: 'slots', buffer })
      },
      pagesAdded: (buffer) => {
        this.#readers.post({ kind: 'pages', buffer })
      },
    })
    this.#log = new Log(db)
    this.#chunks = new ChunkWriter(db)
    this.#commits = new GroupCommit(db, {
      turns: this.#turns,
      buffer: this.#buffer,
      log: this.#log,
      table: this.#table,
      rows: this.#rows,
    })
    this.appender = new StoreAppender({
      head: this.#head,
      table: this.#table,
      buffer: this.#buffer,
      outOfOrderMs: options.outOfOrderMs,
      seriesMax: options.seriesMax,
      commit: () => {
        this.#announce()
        return this.#commits.commit()
      },
      revive: (ref) => {
        const pairIds = this.#rows.pairIdsOf(ref)
        return pairIds === undefined ? undefined : this.#table.labelsOf(pairIds)
      },
    })
    this.facts = createFacts(db, this.#turns)
    this.#load()
    this.appender.floorMs = nowMs - options.retentionRawMs
  }

  get isOverloaded(): boolean {
    return this.#buffer.byteLength > this.#options.pendingBytesMax || this.#head.usedBytes > this.#options.headBytesMax
  }

  maintain(nowMs: number): Promise<void> {
    this.#maintenance ??= this.#maintain(nowMs).finally(() => {
      this.#maintenance = undefined
    })
    return this.#maintenance
  }

  share(): ReaderShare {
    this.#announce()
    this.#commits.commitNow()
    const slots = this.#table.slotsByRef()
    const series = new Uint32Array(slots.length * 2)
    slots.forEach((slot, i) => {
      series[i * 2] = this.#table.refOf(slot)
      series[i * 2 + 1] = slot
    })
    return this.#readers.add(this.#head.memory.buffers, series)
  }

  unshare(reader: number): void {
    this.#readers.remove(reader)
    this.#head.memory.unpin(reader)
  }

  stats(): StoreStats {
    return {
      seriesCount: this.#table.seriesCount,
      headSamples: this.#head.sampleCount,
      headBytes: this.#head.usedBytes,
      pendingBytes: this.#buffer.byteLength,
      logBytes: this.#log.byteLength,
      commitsDone: this.#commits.commitsDone,
      commitsFailed: this.#commits.commitsFailed,
      flushesDone: this.#flushesDone,
      flushesFailed: this.#flushesFailed,
      lastFlushMs: this.#lastFlushMs,
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#maintenance?.catch(() => undefined)
    while (!this.#turns.isFree) await this.#turns.free()
    try {
      await this.appender.commit()
    } finally {
      this.#readers.close()
      this.#db.close()
      this.#lock.release()
    }
  }

  /** Series from their rows, how far they are flushed, and then what the log has beyond that. */
  #load(): void {
    eachPair(this.#db, (id, name, value) => {
      this.#table.pairs.add(id, name, value)
    })
    eachSeries(this.#db, (ref, pairIds) => {
      this.#table.add({ ref, slot: this.#head.takeSlot(), pairIds })
    })
    this.#rows.eachState((state) => {
      const slot = this.#table.refs.get(state.ref)
      if (slot >= 0) this.#head.setFlushed(slot, state.flushedUntilMs, state.low, state.high)
    })
    this.#log.replay((ref, timeMs, low, high) => {
      // A series that ended has rows in the log only until they are removed, and nothing in them that is kept.
      const slot = this.#table.refs.get(ref)
      if (slot >= 0) this.appender.replay(slot, timeMs, low, high)
    })
  }

  /** Tells readers of new pairs and series, before anybody is told that their samples are durable. */
  #announce(): void {
    const pairs = this.#table.newPairs.filter((pair) => pair.id > this.#announcedPairId)
    const series = this.#table.newSeries.filter((row) => row.ref > this.#announcedRef)
    if (series.length === 0) return
    this.#announcedPairId = pairs.at(-1)?.id ?? this.#announcedPairId
    this.#announcedRef = series.at(-1)!.ref
    this.#readers.post({ kind: 'series', pairs, series })
  }

  async #maintain(nowMs: number): Promise<void> {
    const floorMs = nowMs - this.#options.retentionRawMs
    this.appender.floorMs = floorMs
    this.#head.reclaim()
    // First what makes room: on a full disk the commit after it may succeed again.
    await this.#steps('removing old samples', () => removeExpiredChunks(this.#chunks, floorMs))
    await this.appender.commit()
    await this.#flushIfDue(nowMs)
  }

  async #flushIfDue(nowMs: number): Promise<void> {
    const { outOfOrderMs, flushEveryMs, headBytesMax } = this.#options
    const latestMs = nowMs - Math.max(outOfOrderMs, RETRY_WINDOW_MS)
    const isUnderPressure = this.#head.usedBytes > headBytesMax * HEAD_PRESSURE
    const everyMs = isUnderPressure ? Math.min(flushEveryMs, PRESSURE_FLUSH_EVERY_MS) : flushEveryMs
    const cutMs = Math.floor(latestMs / everyMs) * everyMs
    if (cutMs <= this.#lastCutMs) return
    const newestRow = this.#log.newestId
    try {
      const parts = { head: this.#head, table: this.#table, rows: this.#rows, chunks: this.#chunks }
      const flush = new Flush(this.#db, parts, cutMs)
      await this.#steps('flushing', () => {
        // A chunk of a series must never be on the disk before the series.
        this.#commits.commitNow()
        const isMore = flush.step()
        this.#head.reclaim()
        return isMore
      })
      await this.#steps('truncating the log', () => this.#log.removeSome(newestRow, cutMs))
      await this.#steps('removing ended series', () => this.#endSeries())
    } catch (failure) {
      this.#flushesFailed++
      throw failure
    }
    this.#lastCutMs = cutMs
    this.#lastFlushMs = nowMs
    this.#flushesDone++
  }

  #endSeries(): boolean {
    const ended = endedSlots(this.#head, this.#table, this.#chunks.flushes(), this.appender.floorMs)
    if (ended.length === 0) return false
    this.#commits.commitNow()
    const refs = ended.map((series) => series.ref)
    const end = this.#db.transaction(() => {
      this.#rows.end(refs)
    })
    end.immediate()
    for (const { slot } of ended) {
      this.#table.remove(slot)
      this.#head.leaveSlot(slot)
    }
    this.#readers.post({ kind: 'removed', refs })
    this.#head.reclaim()
    return true
  }

  /** Runs `step` until it answers false, with everything else in between. */
  async #steps(what: string, step: () => boolean): Promise<void> {
    for (;;) {
      while (!this.#turns.isFree) await this.#turns.free()
      if (this.#isClosing) return
      try {
        if (!step()) return
      } catch (thrown) {
        throw failureOf(what, thrown)
      }
      await nextTurn()
    }
  }
}
