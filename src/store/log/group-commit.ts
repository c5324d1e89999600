import type Database from 'better-sqlite3'
import { FleetError } from '../../base/errors.ts'
import { failureOf } from '../database.ts'
import type { Exemplars } from '../head/exemplars.ts'
import type { Histograms } from '../head/histograms.ts'
import type { Log } from './log.ts'
import type { LogBuffer } from './log-codec.ts'
import type { Metadata } from '../index/metadata.ts'
import type { ColdSeriesRows } from '../index/cold-series.ts'
import type { SeriesRows } from '../index/series-rows.ts'
import type { SeriesTable } from '../index/series-table.ts'
import type { ConnectionLock } from '../connection-lock.ts'

interface Waiter {
  readonly resolve: () => void
  readonly reject: (failure: unknown) => void
}

/** Data that waits in memory for a commit. */
interface CommitPart {
  /** Nothing waits. */
  readonly isDurable: boolean
  /** Inside the transaction. */
  write(): void
  /** The written data is committed. */
  written(): void
  /** The commit failed: pending data stays, and what `write` read from the database may be wrong. */
  failed(): void
}

/** Why accepted data cannot be made durable. */
export interface CommitFailure {
  readonly code: 'storage_full' | 'storage_failed'
  readonly message: string
}

interface CommitParts {
  readonly lock: ConnectionLock
  readonly buffer: LogBuffer
  readonly log: Log
  readonly table: SeriesTable
  readonly rows: SeriesRows
  readonly cold: ColdSeriesRows
  readonly histograms: Histograms
  readonly exemplars: Exemplars
  readonly metadata: Metadata
  /** Data other than samples. */
  readonly otherParts: readonly CommitPart[]
  /** Announces new pairs and series to readers: called before each attempt to write them. */
  readonly announce: () => void
}

/**
 * Makes accepted data durable: new label pairs, new series, one log row and all data other than samples, in one
 * transaction for all waiting requests. A failed commit changes nothing: the next commit writes the buffer again.
 */
export class GroupCommit {
  commitsDone = 0
  commitsFailed = 0
  /** Of the newest commit; undefined once one succeeds. */
  failure: CommitFailure | undefined
  readonly #parts: CommitParts
  readonly #write: Database.Transaction<() => void>
  #waiters: Waiter[] = []
  #isScheduled = false

  constructor(db: Database.Database, parts: CommitParts) {
    this.#parts = parts
    const { buffer, log, table, rows, cold, histograms, exemplars, metadata, otherParts } = parts
    this.#write = db.transaction(() => {
      rows.insert(table.newPairs, table.newSeries, table.warmSeries)
      for (const { ref } of table.warmSeries) cold.writeWarm(ref)
      if (buffer.sampleCount > 0) log.insert(buffer.maxMs, buffer.payload)
      histograms.write()
      exemplars.write()
      metadata.write()
      for (const part of otherParts) part.write()
    })
  }

  get isDurable(): boolean {
    const { buffer, table, exemplars, metadata, otherParts } = this.#parts
    if (buffer.sampleCount > 0 || table.newSeries.length > 0 || table.newPairs.length > 0) return false
    if (table.warmSeries.length > 0) return false
    return exemplars.isDurable && metadata.isDurable && otherParts.every((part) => part.isDurable)
  }

  /**
   * Resolves when all that was accepted before is durable. It waits for one round of the event loop and for no timer:
   * while a commit runs, requests pile up in the thread's queue, and they share the next one.
   */
  commit(): Promise<void> {
    if (this.isDurable) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(() => {
        void this.#run()
      })
    })
  }

  /** Commits in this moment; the connection must be free. Throws FleetError. */
  commitNow(): void {
    if (this.isDurable) return
    const { buffer, log, table, histograms, exemplars, metadata, otherParts } = this.#parts
    // Before the attempt, even if it fails: the head is readable, durable or not.
    this.#parts.announce()
    try {
      this.#write.immediate()
    } catch (thrown) {
      this.commitsFailed++
      for (const part of otherParts) part.failed()
      const failure = failureOf('writing the log', thrown)
      if (failure instanceof FleetError) {
        const code = failure.code === 'storage_full' ? failure.code : 'storage_failed'
        this.failure = { code, message: failure.message }
      }
      throw failure
    }
    this.commitsDone++
    this.failure = undefined
    if (buffer.sampleCount > 0) log.added(buffer.byteLength, buffer.minMs)
    buffer.clear()
    for (const part of [histograms, exemplars, metadata, ...otherParts]) part.written()
    table.newPairs = []
    table.newSeries = []
    table.warmSeries = []
  }

  async #run(): Promise<void> {
    // A loop: another task may have taken the lock after `free` resolved.
    const { lock } = this.#parts
    while (!lock.isFree) await lock.free()
    this.#isScheduled = false
    const waiters = this.#waiters
    this.#waiters = []
    try {
      this.commitNow()
    } catch (failure) {
      for (const waiter of waiters) waiter.reject(failure)
      return
    }
    for (const waiter of waiters) waiter.resolve()
  }
}
