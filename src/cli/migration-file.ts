/**
 * How far a migration of a data folder is: two files beside the data, each replaced as a whole, so a kill at any moment leaves one. The
 * second one has the time up to which each series is copied: compaction puts copied and new samples together.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { FleetError, messageOf } from '../base/errors.ts'
import type { TimeRange } from '../model/time-range.ts'
import { NOTHING_COPIED, type CopiedBlocks } from '../store/history/stored-history.ts'

export const MIGRATION_FILE = 'migration.json'
const SERIES_FILE = 'migration.series'

export interface SampleProgress {
  /** Where samples are sent to: another address begins anew. */
  readonly writeUrl: string
  /** Older samples are not sent; null: all are. An earlier time begins anew. */
  readonly fromMs: number | null
  readonly copied: CopiedBlocks
  /** One pass over blocks: when all windows up to `toMs` are acknowledged, `after` is copied. */
  readonly pass?:
    | undefined
    | {
        readonly after: CopiedBlocks
        readonly fromMs: number
        readonly toMs: number
        readonly windowMs: number
        /** What is sent with the windows of a folder that no server uses. */
        readonly log?: TimeRange & { readonly lastRow: number }
      }
  /** The row of the log up to which all is acknowledged. */
  readonly logRow: number
  readonly exemplar: number
  readonly metadata: number
  readonly remoteStarts: readonly number[]
}

export interface Migration {
  readonly samples?: SampleProgress
  /** A pass over all observations; absent: none has begun, or the last one is complete. */
  readonly observations?: { readonly pass: string; readonly atMs: number }
}

export const noSamples = (writeUrl: string, fromMs: number): SampleProgress => ({
  ...{
    writeUrl,
    fromMs: Number.isFinite(fromMs) ? fromMs : null,
    copied: NOTHING_COPIED,
    logRow: 0,
    exemplar: 0,
    metadata: 0,
    remoteStarts: [],
  },
})

export class MigrationFile {
  readonly #path: string
  readonly #seriesPath: string
  #state: Migration

  /** Throws FleetError when there is one that cannot be read. */
  constructor(dir: string) {
    this.#path = join(dir, MIGRATION_FILE)
    this.#seriesPath = join(dir, SERIES_FILE)
    this.#state = existsSync(this.#path) ? readState(this.#path) : {}
  }

  get state(): Migration {
    return this.#state
  }

  /** Durable when it returns. Throws FleetError. */
  put(state: Migration): void {
    this.#state = state
    replaceFile(this.#path, JSON.stringify(state))
  }

  /** Refs of series with the times up to which they are copied. Throws FleetError. */
  series(): Map<number, number> {
    if (!existsSync(this.#seriesPath)) return new Map()
    try {
      const bytes = readFileSync(this.#seriesPath)
      const numbers = new Float64Array(new Uint8Array(bytes).buffer)
      return new Map(Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!]))
    } catch (thrown) {
      throw unreadable(this.#seriesPath, thrown)
    }
  }

  /** Durable when it returns. Throws FleetError. */
  putSeries(untilMs: ReadonlyMap<number, number>): void {
    const numbers = new Float64Array(untilMs.size * 2)
    let at = 0
    for (const [ref, ms] of untilMs) {
      numbers[at++] = ref
      numbers[at++] = ms
    }
    replaceFile(this.#seriesPath, new Uint8Array(numbers.buffer))
  }
}

function replaceFile(path: string, content: string | Uint8Array): void {
  const partial = `${path}.partial`
  try {
    const file = openSync(partial, 'w', 0o600)
    try {
      const bytes = Buffer.from(content)
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(partial, path)
  } catch (thrown) {
    throw new FleetError('storage_failed', `cannot write ${path}: ${messageOf(thrown)}`, { cause: thrown })
  }
}

function readState(path: string): Migration {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Migration
  } catch (thrown) {
    throw unreadable(path, thrown)
  }
}

function unreadable(path: string, thrown: unknown): FleetError {
  const hint = `remove ${MIGRATION_FILE} and ${SERIES_FILE}: the migration then starts with the first sample, and repeats do no harm`
  return new FleetError('storage_failed', `cannot read ${path}: ${messageOf(thrown)}`, { hint, cause: thrown })
}
