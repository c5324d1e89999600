/**
 * Derives observations from metrics: keeps the runs of all signals of all clusters equal to their samples. `look` finds the
 * clusters with changes without reading samples; `read` reads one such cluster, from a moment before the change, and returns
 * the runs that replace the stored ones from there. The result equals reading everything at once, in whatever order samples
 * arrived.
 */
import { firstIndexWhere } from '../../base/first-index.ts'
import { groupBy } from '../../base/group-by.ts'
import type { MetricRun } from '../../model/observation.ts'
import type { RunSelection } from '../../model/queryable.ts'
import { RunColumns } from '../../model/run-columns.ts'
import { isStaleAt } from '../../model/sample.ts'
import type { CollectedSeries, SampledGroup, ScrapeRun } from '../../model/signal-samples.ts'
import { compareRuns, runSeriesKey } from '../run-series.ts'
import { MISSED_MS } from './scrapes.ts'
import { SignalGroupWatch, type GroupDue, type SeriesMeaning, type SignalStore } from './signal-group-watch.ts'
import { SETTLED_EVERY_MS, signalRunsOf } from './signal-runs.ts'
import { SIGNAL_GROUPS } from './signals.ts'
import { WaitingClusters } from './waiting-clusters.ts'

export interface SignalOptions {
  /** Retention of samples: older runs stay unchanged. */
  readonly retentionRawMs: number
  /** How much older than the newest sample of its series a sample may be. */
  readonly outOfOrderMs: number
  /** The most samples of one group of one cluster; beyond it reading fails. */
  readonly samplesMax: number
}

/** The runs of a cluster to store from a moment on: the arguments of `ObservationSink.putRuns`. */
export interface RunChange {
  readonly cluster: string
  readonly fromMs: number
  readonly runs: readonly MetricRun[]
}

/** What reading a cluster found. */
export interface ClusterSignals {
  /** `undefined`: no change. */
  readonly change: RunChange | undefined
  /** The samples of the groups that were read. */
  readonly samples: readonly SampledGroup[]
}

export class SignalWatch {
  readonly #store: SignalStore
  readonly #options: SignalOptions
  readonly #groups: readonly SignalGroupWatch[]
  readonly #names: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly #changed = new WaitingClusters<number>()
  /** Clusters whose open runs have to be extended, the longest waiting first: nothing follows from it for their facts. */
  readonly #aged = new Set<number>()
  /** By cluster: when it was read. */
  readonly #readMs: number[] = []
  /** By cluster: the last `look` that found a change. */
  readonly #changedMs: number[] = []
  #lookedMs = -Infinity
  readonly #columns = new RunColumns()

  constructor(store: SignalStore, options: SignalOptions) {
    this.#store = store
    this.#options = options
    const { outOfOrderMs } = options
    const numberOf = (cluster: string): number => {
      let number = this.#numbers.get(cluster)
      if (number === undefined) this.#numbers.set(cluster, (number = this.#names.push(cluster) - 1))
      return number
    }
    this.#groups = SIGNAL_GROUPS.map((group) => new SignalGroupWatch(group, store, { numberOf, outOfOrderMs }))
  }

  look(nowMs: number): void {
    const sinceMs = this.#lookedMs
    this.#lookedMs = nowMs
    for (const group of this.#groups) {
      group.look(
        nowMs,
        (cluster) => {
          this.#changed.add(cluster, sinceMs)
          this.#changedMs[cluster] = nowMs
        },
        (cluster) => {
          this.#aged.add(cluster)
        },
      )
    }
  }

  /** Samples received until then were read; -Infinity: those from before the start are not read yet. */
  get readUntilMs(): number {
    return Math.min(this.#lookedMs, this.#changed.oldestMs)
  }

  /** A cluster with samples from before the start was not read yet, and reading it was not tried. */
  get hasUntried(): boolean {
    return this.#changed.hasUntried
  }

  /** Clusters with changes that were not read. */
  get waiting(): number {
    return this.#changed.size
  }

  isWaiting(cluster: string): boolean {
    const number = this.#numbers.get(cluster)
    return number !== undefined && this.#changed.has(number)
  }

  /**
   * The clusters to read now: those with changes first, the longest waiting first. A cluster that was read is not due for
   * `REST_MS`, nor while a backlog of it arrives: its samples change the cluster with every request, and read together they
   * cost hardly more than one of them. Of the others some, because once an hour all clusters are among them at the same moment.
   */
  due(nowMs: number): readonly string[] {
    const isDue = (cluster: number): boolean => {
      const readMs = this.#readMs[cluster] ?? -Infinity
      return !(Math.abs(nowMs - readMs) < REST_MS) && (readMs === -Infinity || !this.#isBacklog(cluster, nowMs))
    }
    const changed = [...this.#changed.keys()].filter(isDue)
    const aged: number[] = []
    for (const cluster of this.#aged) {
      if (aged.length === AGED_AT_ONCE_MAX) break
      if (isDue(cluster) && !this.#changed.has(cluster)) aged.push(cluster)
    }
    return [...changed, ...aged].map((cluster) => this.#names[cluster]!)
  }

  /** Moves a cluster that could not be read to the end of the queue. */
  postpone(cluster: string): void {
    const number = this.#numbers.get(cluster)!
    if (this.#changed.has(number)) this.#changed.add(number, this.#changed.take(number), true)
    if (this.#aged.delete(number)) this.#aged.add(number)
  }

  /** The runs of a cluster could not be stored: it is read again, from the runs stored then. */
  again(cluster: string, sinceMs: number): void {
    const number = this.#numbers.get(cluster)
    if (number === undefined) return
    for (const group of this.#groups) group.giveBack(number, { fromMs: Infinity, newRefs: group.refsOf(number) })
    this.#changed.add(number, sinceMs, true)
    this.#readMs[number] = -Infinity
  }

  /** The newest sample of any signal, of each cluster that has one in memory or was read. */
  eachLastSeen(visit: (cluster: string, newestMs: number) => void): void {
    for (const [number, cluster] of this.#names.entries()) {
      const newestMs = this.#newestMs(number)
      if (newestMs > -Infinity) visit(cluster, newestMs)
    }
  }

  /** Since when a cluster is pending: samples received until then were read. Infinity: it is not pending. */
  sinceMs(cluster: string): number {
    const number = this.#numbers.get(cluster)
    if (number === undefined) return Infinity
    return this.#changed.has(number) || !this.#aged.has(number) ? this.#changed.sinceMs(number) : this.#lookedMs
  }

  /**
   * @param stored all stored runs of the cluster
   * Throws FleetError when samples cannot be read; the cluster stays pending.
   */
  read(cluster: string, stored: readonly MetricRun[], nowMs: number): ClusterSignals {
    const number = this.#numbers.get(cluster)!
    // A failure puts the cluster at the end of the queue.
    const isChanged = this.#changed.has(number)
    const sinceMs = this.#changed.take(number)
    this.#aged.delete(number)
    const taken = this.#groups.flatMap((group) => {
      const due = group.take(number)
      return due === undefined ? [] : [{ group, due }]
    })
    const storedOf = groupBy(stored, ({ signal }) => signal)
    const before: MetricRun[] = []
    const after: MetricRun[] = []
    const samples: SampledGroup[] = []
    try {
      for (const { group, due } of taken) {
        const signals = new Set([...group.group.sources.values()].map(({ signal }) => signal))
        const storedRuns = [...signals].flatMap((signal) => storedOf.get(signal) ?? [])
        for (const run of storedRuns) before.push(run)
        const { runs, sampled } = this.#readGroup(group, cluster, number, due, storedRuns, nowMs)
        for (const run of runs) after.push(run)
        samples.push(sampled)
      }
    } catch (thrown) {
      for (const { group, due } of taken) group.giveBack(number, due)
      if (isChanged) this.#changed.add(number, sinceMs, true)
      else this.#aged.add(number)
      throw thrown
    }
    this.#readMs[number] = nowMs
    return { change: changeOf(cluster, stored, before, after), samples }
  }

  /** Whether samples of a cluster arrive that are old, so that facts from them are late in any case. */
  #isBacklog(cluster: number, nowMs: number): boolean {
    const isWaitingLong = nowMs - this.#changed.sinceMs(cluster) >= BACKLOG_WAIT_MS_MAX
    const isArriving = Math.abs(nowMs - (this.#changedMs[cluster] ?? -Infinity)) < BACKLOG_PAUSE_MS
    return isArriving && !isWaitingLong && this.#newestMs(cluster) < nowMs - BACKLOG_AGE_MS
  }

  /** -Infinity: no sample of any signal is in memory or was read. */
  #newestMs(cluster: number): number {
    let newestMs = -Infinity
    for (const group of this.#groups)
      if (!group.group.isRecorded) newestMs = Math.max(newestMs, group.newestMs(cluster))
    return newestMs
  }

  #readGroup(
    group: SignalGroupWatch,
    cluster: string,
    number: number,
    due: GroupDue,
    stored: readonly MetricRun[],
    nowMs: number,
  ): { readonly runs: readonly MetricRun[]; readonly sampled: SampledGroup } {
    const sampledOf = (fromMs: number, series: readonly CollectedSeries[]): SampledGroup => {
      return { cluster, group: group.group.name, fromMs, series }
    }
    const oldestMs = nowMs - this.#options.retentionRawMs
    const refs = group.refsOf(number)
    const knownMs = knownUpTo(stored, Infinity)
    // The stored runs are from before the restart: late samples may have arrived since.
    const beganMs = due.fromMs === Infinity ? knownMs - this.#options.outOfOrderMs : due.fromMs
    const newestMs = group.newestMs(number)
    // `lastMs` of open runs is read from there on.
    const settledMs = newestMs === -Infinity ? Infinity : Math.floor(newestMs / SETTLED_EVERY_MS) * SETTLED_EVERY_MS
    let fromMs = Math.min(beganMs, settledMs)
    if (knownMs > -Infinity) {
      const storedKeys = new Set(stored.map(runSeriesKey))
      const newRefs = new Set(due.newRefs)
      let all: RunSelection | undefined
      for (const ref of refs) {
        const known = group.knownMeaning(ref)
        if (known !== undefined && storedKeys.has(runSeriesKey(known)) && !newRefs.has(ref)) continue
        all ??= this.#select(group, oldestMs, nowMs)
        const row = rowOf(all, ref)
        if (row === undefined) continue
        const meaning = group.meaningOf(ref, all, row)
        const isNew = newRefs.has(ref) || !storedKeys.has(runSeriesKey(meaning))
        if (isNew) fromMs = Math.min(fromMs, this.#runsOf(all, row, meaning)[0]?.firstMs ?? Infinity)
      }
    }
    // A sample can show that another series was missed, since the last sample of that series.
    const startMs = knownUpTo(stored, fromMs - 2 * MISSED_MS)
    if (startMs - MISSED_MS > oldestMs) {
      const series = this.#seriesOf(group, number, startMs - MISSED_MS, nowMs)
      const { runs, isTorn } = signalRunsOf(cluster, series, stored, startMs, false)
      if (!isTorn) return { runs, sampled: sampledOf(startMs - MISSED_MS, series) }
    }
    const series = this.#seriesOf(group, number, oldestMs, nowMs)
    const { runs } = signalRunsOf(cluster, series, stored, oldestMs, true)
    return { runs, sampled: sampledOf(oldestMs, series) }
  }

  #select(group: SignalGroupWatch, fromMs: number, nowMs: number): RunSelection {
    const { matchers } = group.group
    return this.#store.selectRuns({ matchers, fromMs, toMs: nowMs + AHEAD_MS, maxSamples: this.#options.samplesMax })
  }

  /** @param cluster its number */
  #seriesOf(group: SignalGroupWatch, cluster: number, fromMs: number, nowMs: number): readonly CollectedSeries[] {
    const selection = this.#select(group, fromMs, nowMs)
    return group.refsOf(cluster).flatMap((ref) => {
      const row = rowOf(selection, ref)
      if (row === undefined) return []
      const meaning = group.meaningOf(ref, selection, row)
      const runs = this.#runsOf(selection, row, meaning)
      const newest = runs.findLast(({ isStale }) => !isStale)
      if (newest !== undefined) group.noteSample(cluster, newest.firstMs + (newest.count - 1) * newest.stepMs)
      return runs.length === 0 ? [] : [{ ...meaning, runs }]
    })
  }

  #runsOf(selection: RunSelection, row: number, { isPresence }: SeriesMeaning): readonly ScrapeRun[] {
    const columns = this.#columns
    selection.readRuns(row, row + 1, columns)
    const bits = columns.bits
    const runs: ScrapeRun[] = []
    for (let run = 0; run < columns.count; run++) {
      const isStale = isStaleAt(bits, run)
      const value = columns.values[run]!
      // NaN and infinity are not values; the other series have the time of the scrape.
      if (!isStale && !Number.isFinite(value)) continue
      const count = columns.counts[run]!
      const stepMs = count === 1 ? 0 : columns.deltasMs[run]!
      const meant = isPresence ? 1 : isStale ? 0 : value
      runs.push({ firstMs: columns.startsMs[run]!, stepMs, count, value: meant, isStale })
    }
    return runs
  }
}

/** Clusters to extend for each `due`: ten thousand take some minutes, and those with changes do not wait for them. */
const AGED_AT_ONCE_MAX = 50

/** A cluster that was read is read again at the earliest after this time: facts are late by at most that much more. */
const REST_MS = 15_000

/** Newest samples of a cluster that are older than this are a backlog. */
const BACKLOG_AGE_MS = 5 * 60_000
/** A backlog without a change for this long has arrived. */
const BACKLOG_PAUSE_MS = 5_000
/** A cluster whose backlog goes on is read at the latest after this time. */
const BACKLOG_WAIT_MS_MAX = 60_000

/** Samples ahead of this server's clock are read too. */
const AHEAD_MS = 24 * 60 * 60_000

function rowOf({ refs }: RunSelection, ref: number): number | undefined {
  if (refs === undefined) return undefined
  const row = firstIndexWhere(refs, (other) => other >= ref)
  return refs[row] === ref ? row : undefined
}

/** The newest first or last sample of a run, up to a time; -Infinity: none. */
function knownUpTo(runs: readonly MetricRun[], timeMs: number): number {
  let newestMs = -Infinity
  for (const { firstMs, lastMs } of runs) {
    if (firstMs > newestMs && firstMs <= timeMs) newestMs = firstMs
    if (lastMs > newestMs && lastMs <= timeMs) newestMs = lastMs
  }
  return newestMs
}

/**
 * The runs from the first difference on.
 *
 * @param before the stored runs of the groups that were read
 * @param after the runs in their place; those that stay as they are are mostly the same objects
 */
function changeOf(
  cluster: string,
  stored: readonly MetricRun[],
  before: readonly MetricRun[],
  after: readonly MetricRun[],
): RunChange | undefined {
  const left = new Set(before)
  const fresh = after.filter((run) => !left.delete(run))
  const leftFrom = groupBy(left, ({ firstMs }) => firstMs)
  const added = fresh.filter((run) => {
    const same = leftFrom.get(run.firstMs)?.find((other) => isSameRun(other, run))
    return same === undefined || !left.delete(same)
  })
  if (left.size + added.length === 0) return undefined
  const fromMs = [...left, ...added].reduce((least, { firstMs }) => Math.min(least, firstMs), Infinity)
  const read = new Set(before)
  const runs = [...stored.filter((run) => !read.has(run)), ...after].filter(({ firstMs }) => firstMs >= fromMs)
  return { cluster, fromMs, runs: runs.sort(compareRuns) }
}

function isSameRun(a: MetricRun, b: MetricRun): boolean {
  return (
    a.firstMs === b.firstMs &&
    a.lastMs === b.lastMs &&
    a.value === b.value &&
    a.beforeMs === b.beforeMs &&
    a.afterMs === b.afterMs &&
    runSeriesKey(a) === runSeriesKey(b)
  )
}
