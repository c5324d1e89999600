import type Database from 'better-sqlite3'
import { ByteReader, ByteWriter, checksumOf, verifyChecksum } from '../bytes.ts'
import { encodeChunk } from '../packs/chunk-codec.ts'
import { decodeChunk } from '../packs/chunk-reader.ts'
import type { GroupCommit } from '../log/group-commit.ts'
import type { Head } from './head.ts'
import type { Log } from '../log/log.ts'
import { RunList } from './run-list.ts'
import type { SeriesTable } from '../index/series-table.ts'
import { inTransaction, isDamage } from '../database.ts'

/**
 * The head as runs, so that a start does not need to read the whole log. A checkpoint consists of parts and one final
 * row: the parts contain all samples of the log up to this row. Without that row the parts are ignored, and the log
 * keeps its rows in any case: a checkpoint only saves time.
 *
 * Parts are written one after the other while samples arrive. Samples in a part that are newer than the row do no harm:
 * replay starts after the row and skips samples that are already in the head.
 */

/** Work of one transaction: about ten milliseconds. A constant series is one run, a changing one has a run a sample. */
const RUNS_PER_PART = 25_000
const SERIES_PER_PART = 8192
const PARTS_PER_REMOVAL = 8

export class HeadCheckpoint {
  readonly #db: Database.Database
  readonly #head: Head
  readonly #table: SeriesTable
  readonly #log: Log
  readonly #commits: GroupCommit
  /** Rising; the series at the start of the checkpoint. Later series are in the log after `#logId`. */
  readonly #refs: Float64Array
  readonly #generation: number
  readonly #logId: number
  readonly #runs = new RunList()
  readonly #bytes = new ByteWriter(256 * 1024)
  /** The final row is written: the next start uses this checkpoint. */
  isWhole = false
  #next = 0
  #part = 0

  /** Starts a checkpoint; commits pending samples. Throws FleetError. */
  constructor(
    db: Database.Database,
    parts: { readonly head: Head; readonly table: SeriesTable; readonly log: Log; readonly commits: GroupCommit },
  ) {
    this.#db = db
    this.#head = parts.head
    this.#table = parts.table
    this.#log = parts.log
    this.#commits = parts.commits
    this.#commits.commitNow()
    this.#logId = this.#log.newestId
    this.#refs = this.#table.sortedRefs()
    const known = db.prepare<[], { newest: number | null }>('SELECT max(generation) AS newest FROM head_part').get()
    this.#generation = (known?.newest ?? 0) + 1
  }

  /** Writes the next part, then the final row, then removes older parts; false when done. */
  step(): boolean {
    if (this.#next < this.#refs.length) this.#writePart()
    else if (!this.isWhole) this.#finish()
    else return removeParts(this.#db, this.#generation)
    return true
  }

  #writePart(): void {
    // A sample must never be on the disk before its series.
    this.#commits.commitNow()
    const bytes = this.#bytes
    bytes.clear()
    const end = Math.min(this.#refs.length, this.#next + SERIES_PER_PART)
    let next = this.#next
    let lastRef = 0
    let runs = 0
    for (; next < end && runs < RUNS_PER_PART; next++) {
      const ref = this.#refs[next]!
      const slot = this.#table.refs.get(ref)
      if (slot < 0 || this.#head.isEmpty(slot)) continue
      this.#head.collect(slot, this.#runs)
      runs += this.#runs.count
      const payload = encodeChunk(this.#runs)
      bytes.reserve(24 + payload.length)
      bytes.unsigned(ref - lastRef)
      bytes.signed(this.#runs.startsMs[0]!)
      bytes.unsigned(payload.length)
      bytes.bytes.set(payload, bytes.length)
      bytes.length += payload.length
      lastRef = ref
    }
    this.#next = next
    if (bytes.length === 0) return
    const written = bytes.bytes.subarray(0, bytes.length)
    this.#db
      .prepare('INSERT INTO head_part (generation, part, payload, checksum) VALUES (?, ?, ?, ?)')
      .run(this.#generation, this.#part++, written, checksumOf(written))
  }

  #finish(): void {
    inTransaction(this.#db, () => {
      this.#db.prepare('DELETE FROM head_checkpoint').run()
      this.#db
        .prepare('INSERT INTO head_checkpoint (generation, log_id) VALUES (?, ?)')
        .run(this.#generation, this.#logId)
    })
    this.isWhole = true
  }
}

/** Removes an obsolete checkpoint, some parts per call; false when nothing is left. */
export function removeCheckpoint(db: Database.Database): boolean {
  db.prepare('DELETE FROM head_checkpoint').run()
  return removeParts(db, Infinity)
}

/** Parts of generations before one. */
function removeParts(db: Database.Database, before: number): boolean {
  const parts = db
    .prepare<[number, number], { generation: number; part: number }>(
      'SELECT generation, part FROM head_part WHERE generation < ? LIMIT ?',
    )
    .all(before, PARTS_PER_REMOVAL)
  const removeOne = db.prepare('DELETE FROM head_part WHERE generation = ? AND part = ?')
  if (parts.length > 0)
    inTransaction(db, () => {
      for (const { generation, part } of parts) removeOne.run(generation, part)
    })
  return parts.length > 0
}

/**
 * Fills an empty head from the checkpoint, without flushed samples: all series must be loaded with their flushed times.
 * Returns the id of the log row that the checkpoint covers; 0 when there is no readable checkpoint, and then replay
 * starts at the beginning of the log (samples already filled in stay: the log has them too).
 */
export function loadCheckpoint(db: Database.Database, head: Head, table: SeriesTable): number {
  const found = db
    .prepare<[], { generation: number; log_id: number }>('SELECT generation, log_id FROM head_checkpoint')
    .get()
  if (found === undefined) return 0
  const parts = db.prepare<[number], { payload: Uint8Array; checksum: number | null }>(
    'SELECT payload, checksum FROM head_part WHERE generation = ? ORDER BY part',
  )
  const runs = new RunList()
  const flushed = new RunList()
  try {
    for (const { payload, checksum } of parts.iterate(found.generation)) {
      verifyChecksum(payload, checksum)
      eachSeries(payload, runs, (ref) => {
        const slot = table.refs.get(ref)
        // It has ended since.
        if (slot < 0) return
        flushed.clear()
        runs.splitOlder(head.flushedUntilMs[slot]!, flushed)
        if (runs.count > 0) head.fill(slot, runs)
      })
    }
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown
    return 0
  }
  return found.log_id
}

/** Calls `series` for each series of a part, with its samples in `runs`. Throws `MalformedBytesError`. */
function eachSeries(payload: Uint8Array, runs: RunList, series: (ref: number) => void): void {
  const reader = new ByteReader(payload)
  let ref = 0
  while (!reader.isAtEnd) {
    ref += reader.unsigned()
    const fromMs = reader.signed()
    const byteLength = reader.unsigned()
    runs.clear()
    decodeChunk(reader.take(byteLength), fromMs, runs)
    series(ref)
  }
}
