import type { Exemplar } from '../../model/exemplar.ts'
import type { ForwardProgress } from '../../model/forward-progress.ts'
import type { Histogram } from '../../model/histogram.ts'
import type { MetricMetadata } from '../../model/metadata.ts'
import type { SeriesRef } from '../../model/series.ts'
import { ByteReader, verifyChecksum } from '../bytes.ts'
import { asFailure, openDatabaseForReading } from '../database.ts'
import { readExemplarsAfter } from '../head/exemplars.ts'
import { HISTOGRAM_HIGH_WORD, readHistogram } from '../head/histogram-codec.ts'
import { ColdSeriesRows } from '../index/cold-series.ts'
import { readSeriesBatch } from '../index/series-batch.ts'
import { decodeHistogramPack } from '../packs/histogram-pack.ts'
import { Statements } from '../statements.ts'
import { readLogPayload } from './log-codec.ts'
import { readForwardProgress } from './log-hold.ts'

/**
 * Accepted samples in order of arrival, for a thread that sends them on: rows of the log, with the labels, histograms,
 * exemplars and metadata that belong to them. Reads through a connection of its own, one short statement at a time.
 * Methods throw FleetError.
 */

export interface LogRow {
  readonly id: number
  /** Newest sample. */
  readonly maxMs: number
  readonly payload: Uint8Array
  readonly checksum: number | null
}

/** Opens what a writer has opened. Throws FleetError. */
export function openSampleLog(dir: string): SampleLog {
  const db = openDatabaseForReading(dir)
  try {
    return asFailure(`reading ${dir}`, () => new SampleLog(db))
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

export class SampleLog extends Statements {
  /** The high word of samples that are native histograms. */
  readonly histogramHighWord = HISTOGRAM_HIGH_WORD
  readonly #newestRow = this.db.prepare<[], number | null>('SELECT max(id) FROM log').pluck()
  readonly #next = this.db.prepare<[number], LogRow>(
    'SELECT id, max_ms AS maxMs, payload, checksum FROM log WHERE id > ? ORDER BY id LIMIT 1',
  )
  readonly #batch = this.db
    .prepare<[number], Uint8Array>('SELECT series FROM series_batch WHERE last_ref >= ? ORDER BY last_ref LIMIT 1')
    .pluck()
  readonly #pair = this.db.prepare<[number], [string, string]>('SELECT name, value FROM pair WHERE id = ?').raw()
  readonly #histogram = this.db
    .prepare<[number, number], Uint8Array>('SELECT payload FROM histogram WHERE ref = ? AND time_ms = ?')
    .pluck()
  readonly #histogramPack = this.db
    .prepare<[number, number, number], Uint8Array>(
      'SELECT payload FROM histogram_pack WHERE ref = ? AND from_ms <= ? AND to_ms >= ?',
    )
    .pluck()
  readonly #families = this.db.prepare<[number, number], MetricMetadata & { family: string; seq: number }>(
    'SELECT family, type, help, unit, seq FROM metric_metadata WHERE seq > ? ORDER BY seq LIMIT ?',
  )

  /** What the buffer has stored of an earlier run; undefined: nothing. */
  progress(): ForwardProgress | undefined {
    return this.#reading(() => readForwardProgress(this.db))
  }

  /** 0: the log is empty. */
  newestRow(): number {
    return this.#reading(() => this.#newestRow.get() ?? 0)
  }

  next(afterRow: number): LogRow | undefined {
    return this.#reading(() => this.#next.get(afterRow))
  }

  /** Calls `sample` with each sample of a row, in order of arrival. */
  eachSample(row: LogRow, sample: (ref: SeriesRef, timeMs: number, low: number, high: number) => void): void {
    this.#reading(() => {
      verifyChecksum(row.payload, row.checksum)
      readLogPayload(row.payload, sample)
    })
  }

  /** Visits all series that are stored beside `ref`, with `ref` itself if it is still stored. `pairIds` is valid during the visit. */
  eachSeriesNear(ref: SeriesRef, visit: (ref: SeriesRef, pairIds: readonly number[]) => void): void {
    this.#reading(() => {
      const batch = this.#batch.get(ref)
      if (batch !== undefined) readSeriesBatch(batch, visit)
    })
  }

  /** Name and value of a label; undefined: it was removed, with the series that had it. */
  pairOf(id: number): readonly [name: string, value: string] | undefined {
    return this.#reading(() => this.#pair.get(id))
  }

  /** Names and values, alternating, of a series without samples. */
  coldLabelsOf(ref: SeriesRef): readonly string[] | undefined {
    // Loaded for each call: seldom enough, and the segments change.
    return this.#reading(() => new ColdSeriesRows(this.db).get(ref)?.labels.flat)
  }

  /** The histogram of a sample; undefined: it was removed. */
  histogramOf(ref: SeriesRef, timeMs: number): Histogram | undefined {
    return this.#reading(() =>
      this.atomically(() => {
        const row = this.#histogram.get(ref, timeMs)
        if (row !== undefined) return readHistogram(new ByteReader(row))
        for (const pack of this.#histogramPack.all(ref, timeMs, timeMs)) {
          const found = decodeHistogramPack(pack).find((one) => one.timeMs === timeMs)
          if (found !== undefined) return found.histogram
        }
        return undefined
      }),
    )
  }

  /** In order of arrival. */
  exemplarsAfter(
    seq: number,
    max: number,
  ): readonly { readonly seq: number; readonly ref: SeriesRef; readonly exemplar: Exemplar }[] {
    return this.#reading(() => readExemplarsAfter(this.db, seq, max))
  }

  /** In the order in which they changed. */
  metadataAfter(
    seq: number,
    max: number,
  ): readonly { readonly seq: number; readonly family: string; readonly metadata: MetricMetadata }[] {
    return this.#reading(() =>
      this.#families.all(seq, max).map(({ seq, family, type, help, unit }) => {
        return { seq, family, metadata: { type, help, unit } }
      }),
    )
  }

  close(): void {
    this.db.close()
  }

  #reading<T>(read: () => T): T {
    return asFailure('reading samples to forward', read)
  }
}
