import { hash } from 'node:crypto'
import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import type { Labels } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import { inTransaction, readable } from '../database.ts'
import { Statements } from '../statements.ts'
import { decodeSegment, encodeSegment, SEGMENT_SERIES, type ColdSegment, type ColdSeries } from './cold-segment.ts'

/**
 * Cold series on the writer's side. A series without stored samples other than rollups is cold: it has no slot, no label
 * pairs and no postings, and is an entry of a segment on disk. When a sample of it arrives it is warm again, under the same
 * ref; its entry stays for the next time it is cold, and its row of `cold_series` has no hash until then.
 */

/** The row of `meta` with the key of hashes. */
const COLD_KEY = 'cold.key'

/** Limit for segments in memory: some 10 MB. */
const SEGMENTS_READ_MAX = 256

/** Segments that are rewritten in one transaction: some milliseconds. */
const SEGMENTS_PER_STEP = 8

interface SegmentTimes {
  readonly id: number
  readonly metric: number
  readonly newestMs: number
}

export class ColdSeriesRows extends Statements {
  /** Cold series: not those that are warm again. */
  count: number
  /** Time of the newest sample of a cold series; -Infinity: there was none. Never falls. */
  untilMs: number
  readonly #key = this.db.prepare<[], string>(`SELECT value FROM meta WHERE key = '${COLD_KEY}'`).pluck().get() ?? ''
  readonly #withHash = this.db.prepare<[number], { ref: number; segment: number }>(
    'SELECT ref, segment FROM cold_series WHERE hash = ?',
  )
  readonly #ofCluster = this.db.prepare<[number, number], { ref: number; segment: number }>(
    'SELECT ref, segment FROM cold_series WHERE hash >= ? AND hash < ?',
  )
  readonly #placeOf = this.db.prepare<[number], { segment: number }>('SELECT segment FROM cold_series WHERE ref = ?')
  readonly #segment = this.db.prepare<[number], Uint8Array>('SELECT series FROM cold_segment WHERE id = ?').pluck()
  readonly #after = this.db.prepare<[number, number], SegmentTimes>(
    'SELECT id, metric, newest_ms AS newestMs FROM cold_segment WHERE id > ? ORDER BY id LIMIT ?',
  )
  readonly #expired = this.db.prepare<[number, number, number], SegmentTimes>(
    `SELECT id, metric, newest_ms AS newestMs FROM cold_segment INDEXED BY cold_segment_age
       WHERE oldest_ms < ? AND id > ? ORDER BY id LIMIT ?`,
  )
  readonly #segmentWithRoom = this.db
    .prepare<[number], number>(
      `SELECT id FROM cold_segment WHERE metric = ? AND count < ${SEGMENT_SERIES} ORDER BY id DESC LIMIT 1`,
    )
    .pluck()
  readonly #insertSegment = this.db.prepare<[number, number, number, number, number, Uint8Array]>(
    'INSERT INTO cold_segment (metric, count, first_ref, oldest_ms, newest_ms, series) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #updateSegment = this.db.prepare<[number, number, number, number, Uint8Array, number]>(
    'UPDATE cold_segment SET count = ?, first_ref = ?, oldest_ms = ?, newest_ms = ?, series = ? WHERE id = ?',
  )
  readonly #removeSegment = this.db.prepare<[number]>('DELETE FROM cold_segment WHERE id = ?')
  readonly #removeSeriesOf = this.db.prepare<[number]>('DELETE FROM cold_series WHERE segment = ?')
  readonly #put = this.db.prepare<[number, number, number | null]>(
    'INSERT OR REPLACE INTO cold_series (ref, segment, hash) VALUES (?, ?, ?)',
  )
  readonly #setWarm = this.db.prepare<[number]>('UPDATE cold_series SET hash = NULL WHERE ref = ?')
  readonly #remove = this.db.prepare<[number]>('DELETE FROM cold_series WHERE ref = ?')
  readonly #metricNamed = this.db.prepare<[string], number>('SELECT id FROM cold_metric WHERE name = ?').pluck()
  readonly #insertMetric = this.db.prepare<[number, string]>(
    'INSERT OR IGNORE INTO cold_metric (id, name) VALUES (?, ?)',
  )
  readonly #removeMetric = this.db
    .prepare<[{ readonly metric: number }], string>(
      `DELETE FROM cold_metric WHERE id = @metric AND NOT EXISTS (SELECT 1 FROM cold_segment WHERE metric = @metric)
         RETURNING name`,
    )
    .pluck()
  /**
   * Segments written since the start: these from the first on, and older ones that were rewritten. Callers may hold the refs
   * of their series, which must lead to labels until the next start.
   */
  readonly #firstWritten: number
  /** The cluster of the last `find`, and whether it may have cold series. */
  #soughtCluster: string | undefined
  #isSoughtCold = false
  readonly #rewritten = new Set<number>()
  /** Read last: the series of a cluster that reports again are in one segment of each metric, beside those of other clusters. */
  readonly #read = new Map<number, ColdSegment>()

  constructor(db: Statements['db']) {
    super(db)
    this.count = this.#storedCount()
    this.untilMs = newestColdMs(db)
    const sequence = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'cold_segment'").pluck()
    this.#firstWritten = (sequence.get() ?? 0) + 1
  }

  /** The cold series of a label set. HOT: once per new series. */
  find(labels: Labels): ColdSeries | undefined {
    if (this.count === 0 || !this.#mayHaveCluster(labels.get(CLUSTER_LABEL))) return undefined
    for (const { ref, segment } of this.#withHash.all(this.#hashOf(labels))) {
      const found = this.#entryOf(segment, ref)
      if (found?.labels.equals(labels) === true) return found
    }
    return undefined
  }

  /** The series of a ref that is cold, or was before it ended. */
  get(ref: SeriesRef): ColdSeries | undefined {
    const place = this.#placeOf.get(ref)
    return place === undefined ? undefined : this.#entryOf(place.segment, ref)
  }

  /** The number of a metric that has, or had, cold series: packs and rollups are stored by it. */
  metricNumberOf(name: string): number | undefined {
    return this.#metricNamed.get(name)
  }

  /** Adds series of one metric; in the caller's transaction, and `added` after it. @param series by rising ref */
  put(metric: number, name: string, series: readonly ColdSeries[]): void {
    this.#insertMetric.run(metric, name)
    const known = new Map<number, ColdSeries[]>()
    const fresh: ColdSeries[] = []
    for (const one of series) {
      const place = this.#placeOf.get(one.ref)
      if (place === undefined) fresh.push(one)
      else known.set(place.segment, [...(known.get(place.segment) ?? []), one])
    }
    for (const [id, again] of known) {
      const stored = this.#seriesOf(id)
      // Of a damaged one they are added anew.
      if (stored === undefined) fresh.push(...again)
      else {
        this.#rewrite(id, joined(stored, again))
        for (const { ref, labels } of again) this.#put.run(ref, id, this.#hashOf(labels))
      }
    }
    fresh.sort((a, b) => a.ref - b.ref)
    for (let from = 0; from < fresh.length;) from += this.#append(metric, fresh.slice(from))
  }

  /** Whether a cluster has a cold series. */
  hasCluster(cluster: string): boolean {
    const from = this.#hashOfCluster(cluster)
    const rows = this.#ofCluster.iterate(from, from + 2 ** 32)
    // Others have the same upper bits, rarely.
    for (const { ref, segment } of rows) {
      if (this.#entryOf(segment, ref)?.labels.get(CLUSTER_LABEL) === cluster) return true
    }
    return false
  }

  /** Whether series of a cluster are to be looked up: a new cluster has none. Neighbours in a request are of one cluster. */
  #mayHaveCluster(cluster: string): boolean {
    if (cluster !== this.#soughtCluster) {
      const from = this.#hashOfCluster(cluster)
      this.#soughtCluster = cluster
      this.#isSoughtCold = this.#ofCluster.get(from, from + 2 ** 32) !== undefined
    }
    return this.#isSoughtCold
  }

  /** When that transaction is committed. @param count series that are cold now and were not before */
  added(count: number, untilMs: number): void {
    this.count += count
    this.#soughtCluster = undefined
    this.untilMs = Math.max(this.untilMs, untilMs)
  }

  /** A cold series is warm now; `writeWarm` writes it down. */
  becomesWarm(): void {
    this.count--
  }

  /** In the caller's transaction. */
  writeWarm(ref: SeriesRef): void {
    this.#setWarm.run(ref)
  }

  /**
   * Removes series whose newest sample is older than `floorMs`, of the next segments after `after`. Returns the last of
   * these; undefined when none is left. Segments written since the start wait for the next one.
   */
  removeSome(floorMs: number, after: number): number | undefined {
    const expired = this.#expired.all(floorMs, after, SEGMENTS_PER_STEP)
    const released = expired.filter(({ id }) => id < this.#firstWritten && !this.#rewritten.has(id))
    this.#removeFrom(
      released,
      ({ lastMs }) => lastMs < floorMs,
      ({ newestMs }) => newestMs < floorMs,
    )
    return expired.at(-1)?.id
  }

  /**
   * Removes series wherever they are, of the next segments after `after`; a damaged segment, which may have one of them, goes
   * whole. Returns the last segment and how many were changed; undefined when none is left.
   * @param removing called in the transaction, with a metric that has no cold series any more
   */
  eraseSome(
    refs: ReadonlySet<SeriesRef>,
    after: number,
    removing: (metric: string) => void,
  ): { readonly last: number; readonly changed: number } | undefined {
    const some = this.#after.all(after, SEGMENTS_PER_STEP)
    if (some.length === 0) return undefined
    const changed = this.#removeFrom(
      some,
      ({ ref }) => refs.has(ref),
      () => true,
      removing,
    )
    return { last: some.at(-1)!.id, changed }
  }

  /** The series of all readable segments, one segment after the other: between two, others may be written. */
  *segments(): Generator<readonly ColdSeries[]> {
    for (let next = this.#after.get(0, 1); next !== undefined; next = this.#after.get(next.id, 1)) {
      yield this.#seriesOf(next.id) ?? []
    }
  }

  /** Makes the tables that lead to segments from the segments. @param isWarm whether a series is in memory after a start */
  restore(isWarm: (ref: SeriesRef) => boolean): void {
    inTransaction(this.db, () => {
      this.db.exec('DELETE FROM cold_series')
      for (let next = this.#after.get(0, 1); next !== undefined; next = this.#after.get(next.id, 1)) {
        const series = this.#seriesOf(next.id) ?? []
        if (series[0] !== undefined) this.#insertMetric.run(next.metric, series[0].labels.metricName)
        for (const { ref, labels } of series) this.#put.run(ref, next.id, isWarm(ref) ? null : this.#hashOf(labels))
      }
    })
  }

  /** @param isGone of an entry @param isGoneWhole of a damaged segment */
  #removeFrom(
    segments: readonly SegmentTimes[],
    isGone: (series: ColdSeries) => boolean,
    isGoneWhole: (segment: SegmentTimes) => boolean,
    removing: (metric: string) => void = () => undefined,
  ): number {
    if (segments.length === 0) return 0
    let changed = 0
    inTransaction(this.db, () => {
      for (const one of segments) {
        const stored = this.#seriesOf(one.id)
        const gone = stored?.filter(isGone) ?? []
        if (stored === undefined ? !isGoneWhole(one) : gone.length === 0) continue
        changed++
        if (stored === undefined) this.#removeSeriesOf.run(one.id)
        // An entry of a series that is in another segment by now stays there.
        for (const { ref } of gone) if (this.#placeOf.get(ref)?.segment === one.id) this.#remove.run(ref)
        const left = stored?.filter((series) => !isGone(series)) ?? []
        if (left.length > 0) this.#rewrite(one.id, left)
        else {
          this.#removeSegment.run(one.id)
          this.#read.delete(one.id)
          const metric = this.#removeMetric.get({ metric: one.metric })
          if (metric !== undefined) removing(metric)
        }
      }
    })
    if (changed > 0) this.count = this.#storedCount()
    return changed
  }

  /** Adds series to a segment with room, or to a new one. Returns how many. */
  #append(metric: number, series: readonly ColdSeries[]): number {
    const id = this.#segmentWithRoom.get(metric)
    const stored = id === undefined ? undefined : this.#seriesOf(id)
    const added = series.slice(0, SEGMENT_SERIES - (stored?.length ?? 0))
    let segment = id
    if (segment !== undefined && stored !== undefined) this.#rewrite(segment, joined(stored, added))
    else {
      const [oldestMs, newestMs] = timesOf(added)
      const row = this.#insertSegment.run(metric, added.length, added[0]!.ref, oldestMs, newestMs, encodeSegment(added))
      segment = Number(row.lastInsertRowid)
    }
    for (const { ref, labels } of added) this.#put.run(ref, segment, this.#hashOf(labels))
    return added.length
  }

  #rewrite(id: number, series: readonly ColdSeries[]): void {
    if (id < this.#firstWritten) this.#rewritten.add(id)
    this.#read.delete(id)
    this.#updateSegment.run(series.length, series[0]!.ref, ...timesOf(series), encodeSegment(series), id)
  }

  /** Undefined: there is none, or it is damaged. */
  #seriesOf(id: number): ColdSeries[] | undefined {
    return this.#segmentOf(id)?.all()
  }

  #entryOf(id: number, ref: SeriesRef): ColdSeries | undefined {
    const segment = this.#read.get(id) ?? this.#segmentOf(id)
    if (segment === undefined) return undefined
    if (this.#read.size >= SEGMENTS_READ_MAX) this.#read.clear()
    this.#read.set(id, segment)
    const entry = segment.refs.indexOf(ref)
    return entry < 0 ? undefined : segment.at(entry)
  }

  #segmentOf(id: number): ColdSegment | undefined {
    return readable(() => {
      const stored = this.#segment.get(id)
      return stored === undefined ? undefined : decodeSegment(stored)
    })
  }

  #storedCount(): number {
    return Number(this.db.prepare('SELECT count(*) FROM cold_series WHERE hash IS NOT NULL').pluck().get())
  }

  /**
   * 53 bits, keyed: a sender cannot choose label sets with equal ones. The upper bits are those of the cluster, whose series
   * become cold together: their rows of the index are neighbours.
   */
  #hashOf(labels: Labels): number {
    return this.#hashOfCluster(labels.get(CLUSTER_LABEL)) + this.#wordOf(labels.key)
  }

  /** Of the first of its series. */
  #hashOfCluster(cluster: string): number {
    return (this.#wordOf(cluster) >>> CLUSTER_SHIFT) * 2 ** 32
  }

  #wordOf(text: string): number {
    return hash('sha1', this.#key + text, 'buffer').readUInt32BE()
  }
}

/** Leaves 21 bits. */
const CLUSTER_SHIFT = 11

/** Time of the newest sample of a cold series; -Infinity: there is none. */
export function newestColdMs(db: Statements['db']): number {
  return db.prepare<[], number | null>('SELECT max(newest_ms) FROM cold_segment').pluck().get() ?? -Infinity
}

/** Both by rising ref; one in both is as it is in `added`. */
function joined(stored: readonly ColdSeries[], added: readonly ColdSeries[]): readonly ColdSeries[] {
  const refs = new Set(added.map(({ ref }) => ref))
  return [...stored.filter(({ ref }) => !refs.has(ref)), ...added].sort((a, b) => a.ref - b.ref)
}

/** The oldest and the newest of the series' newest samples. */
function timesOf(series: readonly ColdSeries[]): [oldestMs: number, newestMs: number] {
  const timesMs = series.map(({ lastMs }) => lastMs)
  return [Math.min(...timesMs), Math.max(...timesMs)]
}
