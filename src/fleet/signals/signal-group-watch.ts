/**
 * Checks the tails of all series of a signal group, for the whole fleet: which clusters' values changed since the last
 * check, and from when on they have to be read again. It reads no samples, so a fleet without changes costs one pass.
 */
import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import type { RunSelection, RunTails } from '../../model/queryable.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { isStaleWords } from '../../model/sample.ts'
import { MISSED_MS } from './scrapes.ts'
import type { CollectedSeries } from '../../model/signal-samples.ts'
import { SETTLED_EVERY_MS } from './signal-runs.ts'
import { REPLICA_LABEL_NAMES, type SignalGroup } from './signals.ts'

export interface SignalStore {
  selectRuns(
    request: TimeRange & { readonly matchers: SignalGroup['matchers']; readonly maxSamples: number },
  ): RunSelection
}

/** Where a cluster's group has to be read again. */
export interface GroupDue {
  /** No sample before it changed; Infinity: what was read before is unknown. */
  readonly fromMs: number
  /** Series that were never read: their first sample may be older than `fromMs`. */
  readonly newRefs: readonly number[]
}

/** What a series means for its signal: computed from its labels, which never change. */
export interface SeriesMeaning extends Omit<CollectedSeries, 'runs'> {
  readonly isPresence: boolean
}

/** Limit for cached meanings: some 500 bytes each, mostly the text of the labels. */
const MEANINGS_MAX = 30_000

/** Columns by row, rows in the order of refs. */
interface Rows {
  readonly refs: Uint32Array
  readonly clusters: Int32Array
  readonly lastsMs: Float64Array
  /** The start of the newest run, at the last check. */
  readonly startsMs: Float64Array
  readonly words: Int32Array
  readonly late: Int32Array
  /** 1: the series ended or was missed, and the change was reported. */
  readonly ended: Uint8Array
}

export class SignalGroupWatch {
  readonly group: SignalGroup
  readonly #store: SignalStore
  readonly #numberOf: (cluster: string) => number
  readonly #outOfOrderMs: number
  #rows: Rows = rowsOf(new Uint32Array(0))
  #tails: RunTails & { readonly words: Int32Array } = tailsOf(0)
  #hasLooked = false
  /** By cluster: the newest sample of the group, and up to when it was read. */
  #newestMs: Float64Array = new Float64Array(0)
  #settledMs: Float64Array = new Float64Array(0)
  /** Values do not matter and may change with every scrape: only the presence of a series counts. */
  readonly #isPresence: boolean
  readonly #refsOf = new Map<number, number[]>()
  readonly #meanings = new Map<number, SeriesMeaning>()
  readonly #due = new Map<number, { fromMs: number; readonly newRefs: number[] }>()

  constructor(
    group: SignalGroup,
    store: SignalStore,
    options: { readonly numberOf: (cluster: string) => number; readonly outOfOrderMs: number },
  ) {
    this.group = group
    this.#isPresence = [...group.sources.values()].every(({ isPresence }) => isPresence)
    this.#store = store
    this.#numberOf = options.numberOf
    this.#outOfOrderMs = options.outOfOrderMs
  }

  /**
   * @param changed called for each cluster with changed values
   * @param aged called for each cluster whose open runs have to be extended
   */
  look(nowMs: number, changed: (cluster: number) => void, aged: (cluster: number) => void): void {
    const selection = this.#store.selectRuns({
      matchers: this.group.matchers,
      fromMs: nowMs,
      toMs: nowMs,
      maxSamples: Infinity,
    })
    const refs = selection.refs
    if (refs === undefined || selection.readTails === undefined) return
    if (refs !== this.#rows.refs) this.#takeRows(selection, refs, changed)
    selection.readTails(this.#tails)
    const wasLooking = this.#hasLooked
    this.#hasLooked = true
    this.#passTimes()
    for (let row = 0; row < refs.length; row++) {
      const fromMs = this.#changeOf(row)
      if (fromMs === undefined || !wasLooking) continue
      this.#mark(this.#rows.clusters[row]!, fromMs)
      changed(this.#rows.clusters[row]!)
    }
    for (let cluster = 0; cluster < this.#newestMs.length; cluster++) {
      const newestMs = this.#newestMs[cluster]!
      // The cluster sends nothing of this group, or the column has spare capacity.
      if (newestMs === -Infinity || newestMs < this.#settledMs[cluster]! + SETTLED_EVERY_MS) continue
      this.#mark(cluster, newestMs - this.#outOfOrderMs)
      this.#settledMs[cluster] = Math.floor(newestMs / SETTLED_EVERY_MS) * SETTLED_EVERY_MS
      aged(cluster)
    }
  }

  /** From where a cluster has to be read again; the caller reads it now. */
  take(cluster: number): GroupDue | undefined {
    const due = this.#due.get(cluster)
    this.#due.delete(cluster)
    return due
  }

  /** The cluster could not be read: reverts `take`. */
  giveBack(cluster: number, due: GroupDue): void {
    this.#mark(cluster, due.fromMs, due.newRefs)
  }

  /** The newest sample of the group in memory, or that was read; -Infinity: there is none. */
  newestMs(cluster: number): number {
    return this.#newestMs[cluster] ?? -Infinity
  }

  /** A sample of the group was read: after a start, those that were flushed are not in memory. */
  noteSample(cluster: number, timeMs: number): void {
    if (!(timeMs > this.newestMs(cluster))) return
    if (this.newestMs(cluster) === -Infinity) {
      this.#settledMs[cluster] = Math.floor(timeMs / SETTLED_EVERY_MS) * SETTLED_EVERY_MS
    }
    this.#newestMs[cluster] = timeMs
  }

  refsOf(cluster: number): readonly number[] {
    return this.#refsOf.get(cluster) ?? []
  }

  /** The cached meaning of a series: no selection is needed for it. */
  knownMeaning(ref: number): SeriesMeaning | undefined {
    return this.#meanings.get(ref)
  }

  /** @param row the row of `ref` in a selection of the group */
  meaningOf(ref: number, { rows }: Pick<RunSelection, 'rows'>, row: number): SeriesMeaning {
    const known = this.knownMeaning(ref)
    if (known !== undefined) return known
    const all = rows.at(row)
    const { signal, combine, isPresence, labelsOf } = this.group.sources.get(all.metricName)!
    const labels = labelsOf((name) => all.get(name))
    const identity = all.drop(REPLICA_LABEL_NAMES).key
    const meaning = { signal, combine, isPresence, labels, identity, series: all.key }
    if (this.#meanings.size >= MEANINGS_MAX) this.#meanings.clear()
    this.#meanings.set(ref, meaning)
    return meaning
  }

  #mark(cluster: number, fromMs: number, newRefs: readonly number[] = []): void {
    const due = this.#due.get(cluster)
    if (due === undefined) this.#due.set(cluster, { fromMs, newRefs: [...newRefs] })
    else {
      due.fromMs = Math.min(due.fromMs, fromMs)
      due.newRefs.push(...newRefs)
    }
  }

  /** Series were added or removed: the state of the others is copied. */
  #takeRows(selection: RunSelection, refs: Uint32Array, changed: (cluster: number) => void): void {
    const [before, after] = [this.#rows, rowsOf(refs)]
    let old = 0
    for (let row = 0; row < refs.length; row++) {
      const ref = refs[row]!
      while (old < before.refs.length && before.refs[old]! < ref) this.#forget(before, old++)
      if (old < before.refs.length && before.refs[old] === ref) {
        copyRow(before, old++, after, row)
        continue
      }
      const cluster = this.#numberOf(selection.rows.valueAt(row, CLUSTER_LABEL))
      after.clusters[row] = cluster
      after.lastsMs[row] = NaN
      if (!this.group.sources.has(selection.rows.valueAt(row, METRIC_NAME))) continue
      const known = this.#refsOf.get(cluster)
      if (known === undefined) this.#refsOf.set(cluster, [ref])
      else known.push(ref)
      // After a start all series are new here, and most of them were read before the restart.
      this.#mark(cluster, Infinity, this.#hasLooked ? [ref] : [])
      changed(cluster)
    }
    while (old < before.refs.length) this.#forget(before, old++)
    this.#rows = after
    this.#tails = tailsOf(refs.length)
  }

  #forget({ refs, clusters }: Rows, row: number): void {
    this.#meanings.delete(refs[row]!)
    const known = this.#refsOf.get(clusters[row]!)
    const at = known?.indexOf(refs[row]!) ?? -1
    if (at !== -1) known!.splice(at, 1)
  }

  /** The newest sample of each cluster's group; a stale marker is not a sample. */
  #passTimes(): void {
    const { clusters } = this.#rows
    const { lastsMs, words } = this.#tails
    let clusterMax = -1
    for (const cluster of clusters) if (cluster > clusterMax) clusterMax = cluster
    if (clusterMax >= this.#newestMs.length) {
      this.#newestMs = grown(this.#newestMs, clusterMax + 1)
      this.#settledMs = grown(this.#settledMs, clusterMax + 1)
    }
    for (let row = 0; row < clusters.length; row++) {
      const cluster = clusters[row]!
      // NaN compares as false.
      if (!(lastsMs[row]! > this.#newestMs[cluster]!) || isStaleWords(words[row * 2 + 1]!, words[row * 2]!)) continue
      this.noteSample(cluster, lastsMs[row]!)
    }
  }

  /** HOT: once per series and check. From when on a row changed; `undefined`: it continues unchanged. */
  #changeOf(row: number): number | undefined {
    const rows = this.#rows
    const tails = this.#tails
    const lastMs = tails.lastsMs[row]!
    const knownMs = rows.lastsMs[row]!
    const late = tails.late[row]!
    let fromMs: number | undefined
    if (late !== rows.late[row]) {
      if (late !== 0 && knownMs === knownMs) fromMs = knownMs - this.#outOfOrderMs
      rows.late[row] = late
    }
    const low = tails.words[row * 2]!
    const high = tails.words[row * 2 + 1]!
    if (lastMs > knownMs || (knownMs !== knownMs && lastMs === lastMs)) {
      if (knownMs === knownMs && this.#hasChanged(row, low, high)) fromMs = Math.min(fromMs ?? Infinity, knownMs)
      rows.startsMs[row] = tails.startsMs[row]!
      rows.lastsMs[row] = lastMs
      rows.words[row * 2] = low
      rows.words[row * 2 + 1] = high
      rows.ended[row] = isStaleWords(high, low) ? 1 : 0
    }
    // Missed for long enough to be gone, without a stale marker.
    if (rows.ended[row] === 0 && rows.lastsMs[row]! + MISSED_MS < this.#newestMs[rows.clusters[row]!]!) {
      rows.ended[row] = 1
      fromMs = Math.min(fromMs ?? Infinity, rows.lastsMs[row]!)
    }
    return fromMs
  }

  /** Whether newer samples are anything but the same value in even steps. */
  #hasChanged(row: number, low: number, high: number): boolean {
    const rows = this.#rows
    const tails = this.#tails
    const isOther = low !== rows.words[row * 2] || high !== rows.words[row * 2 + 1]
    if (isOther && (!this.#isPresence || rows.ended[row] === 1 || isStaleWords(high, low))) return true
    // So far apart that other series of the group may have samples in between.
    if (tails.stepsMs[row]! > MISSED_MS) return true
    const startMs = tails.startsMs[row]!
    if (startMs <= rows.lastsMs[row]!) return false
    // Uneven scrapes start a new run: the series continues when that run directly follows the known one.
    const isNext = tails.beforeStartsMs[row] === rows.startsMs[row]
    return rows.ended[row] === 1 || !isNext || startMs - tails.beforeLastsMs[row]! > MISSED_MS
  }
}

function rowsOf(refs: Uint32Array): Rows {
  const count = refs.length
  return {
    refs,
    clusters: new Int32Array(count),
    lastsMs: new Float64Array(count).fill(NaN),
    startsMs: new Float64Array(count),
    words: new Int32Array(count * 2),
    late: new Int32Array(count),
    ended: new Uint8Array(count),
  }
}

function copyRow(from: Rows, at: number, to: Rows, row: number): void {
  to.clusters[row] = from.clusters[at]!
  to.lastsMs[row] = from.lastsMs[at]!
  to.startsMs[row] = from.startsMs[at]!
  to.words[row * 2] = from.words[at * 2]!
  to.words[row * 2 + 1] = from.words[at * 2 + 1]!
  to.late[row] = from.late[at]!
  to.ended[row] = from.ended[at]!
}

function tailsOf(count: number): RunTails & { readonly words: Int32Array } {
  const values = new Float64Array(count)
  return {
    startsMs: new Float64Array(count),
    lastsMs: new Float64Array(count),
    stepsMs: new Float64Array(count),
    beforeStartsMs: new Float64Array(count),
    beforeLastsMs: new Float64Array(count),
    values,
    late: new Int32Array(count),
    words: new Int32Array(values.buffer),
  }
}

function grown(column: Float64Array, length: number): Float64Array {
  const larger = new Float64Array(Math.max(length, column.length * 2)).fill(-Infinity)
  larger.set(column)
  return larger
}
