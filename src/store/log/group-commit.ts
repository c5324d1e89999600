import type Database from 'better-sqlite3'
import { FleetError } from '../../base/errors.ts'
import { failureOf } from '../database.ts'
import type { Exemplars } from '../head/exemplars.ts'
import type { Histograms } from '../head/histograms.ts'
import type { Log } from './log.ts'
import type { LogBuffer } from './log-codec.ts'
import type { Metadata } from '../index/metadata.ts'
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

/**
 * Makes accepted data durable: new label pairs, new series, one log row and all data other than samples, in one
 * transaction for all waiting requests. A failed commit changes nothing: the next commit writes the buffer again.
 */
export class GroupCommit {
  commitsDone = 0
  commitsFailed = 0
  /** Of the newest commit; undefined once one succeeds. */
  failure: CommitFailure | undefined
  readonly #lock: ConnectionLock
  readonly #announce: () => void
  readonly #buffer: LogBuffer
  readonly #log: Log
  readonly #table: SeriesTable
  readonly #histograms: Histograms
  readonly #exemplars: Exemplars
  readonly #metadata: Metadata
  readonly #otherParts: readonly CommitPart[]
  readonly #write: Database.Transaction<() => void>
  #waiters: Waiter[] = []
  #isScheduled = false

  constructor(
    db: Database.Database,
    parts: {
      lock: ConnectionLock
      buffer: LogBuffer
      log: Log
      table: SeriesTable
      rows: SeriesRows
      histograms: Histograms
      exemplars: Exemplars
      metadata: Metadata
      /** Data other than samples. */
      otherParts: readonly CommitPart[]
      /** Announces new pairs and series to readers: called before each attempt to write them. */
      announce: () => void
    },
  ) {
    const { lock, buffer, log, table, rows, histograms, exemplars, metadata, otherParts } = parts
    this.#lock = lock
    this.#announce = parts.announce
    this.#buffer = buffer
    this.#log = log
    this.#table = table
    this.#histograms = histograms
    this.#exemplars = exemplars
    this.#metadata = metadata
    this.#otherParts = otherParts
    this.#write = db.transaction(() => {
      rows.insert(table.newPairs, table.newSeries)
      if (buffer.sampleCount > 0) log.insert(buffer.maxMs, buffer.payload)
      histograms.write()
      exemplars.write()
      metadata.write()
      for (const part of otherParts) part.write()
    })
  }

  get isDurable(): boolean {
    const { newPairs, newSeries } = this.#table
    if (this.#buffer.sampleCount > 0 || newSeries.length > 0 || newPairs.length > 0) return false
    return this.#exemplars.isDurable && this.#metadata.isDurable && this.#otherParts.every((part) => part.isDurable)
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
    // Before the attempt, even if it fails: the head is readable, durable or not.
    this.#announce()
    try {
      this.#write.immediate()
    } catch (thrown) {
      this.commitsFailed++
      for (const part of this.#otherParts) part.failed()
      const failure = failureOf('writing the log', thrown)
      if (failure instanceof FleetError) {
        const code = failure.code === 'storage_full' ? failure.code : 'storage_failed'
        this.failure = { code, message: failure.message }
      }
      throw failure
    }
    this.commitsDone++
    this.failure = undefined
    this.#log.added(this.#buffer.byteLength)
    this.#buffer.clear()
    this.#histograms.written()
    this.#exemplars.written()
    this.#metadata.written()
    for (const part of this.#otherParts) part.written()
    this.#table.newPairs = []
    this.#table.newSeries = []
  }

  async #run(): Promise<void> {
    // A loop: another task may have taken the lock after `free` resolved.
    while (!this.#lock.isFree) await this.#lock.free()
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
