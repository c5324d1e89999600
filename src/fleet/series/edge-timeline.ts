/** The series of one edge over time, from its runs: attempts, outcomes, success ratios, durations. Pure. */
import type { UpgradeState } from '../../model/upgrade.ts'
import type { EdgeName, EdgeRun } from '../edges/edges.ts'
import { wilsonInterval } from '../statistics/wilson.ts'
import { changingSeries, SeriesLabels, type FactSeries } from './fact-series.ts'
import { SAMPLES_EVERY_MS, type Changes } from './stretch.ts'

/** Upper bounds of the buckets of durations, in seconds: most upgrades take about 15 min, some take hours. */
export const DURATION_BOUNDS_SECONDS = [120, 300, 450, 600, 900, 1200, 1800, 2700, 3600, 7200, 14_400, 28_800, 86_400]

/** All outcomes of an edge have series, so that the first failure is an increase and not a new series (facts 11.5). */
const OUTCOMES = ['succeeded', 'failed', 'superseded', 'rolled_back'] as const satisfies readonly UpgradeState[]
type Outcome = (typeof OUTCOMES)[number]

interface EndedRun {
  readonly atMs: number
  readonly outcome: Outcome
  /** Absent: no duration. */
  readonly seconds: number | undefined
}

export class EdgeTimeline {
  /** Of its newest run. */
  readonly lastMs: number
  readonly #firstMs: number
  readonly #labels: Readonly<Record<string, string>>
  readonly #begunMs: readonly number[]
  /** By end. */
  readonly #ended: readonly EndedRun[]

  constructor({ operator, from, to }: EdgeName, runs: readonly EdgeRun[]) {
    this.#labels = { operator, from, to }
    this.#begunMs = runs.map(({ begunMs }) => begunMs).sort((a, b) => a - b)
    this.#ended = runs.flatMap(endOf).sort((a, b) => a.atMs - b.atMs)
    this.lastMs = runs.reduce((last, run) => Math.max(last, run.lastMs), -Infinity)
    // A counter starts at 0, so that its first increase is visible.
    this.#firstMs = Math.min(this.#begunMs[0] ?? Infinity, (this.#ended[0]?.atMs ?? Infinity) - SAMPLES_EVERY_MS)
  }

  /** @param name of a metric, with `_bucket`, `_sum` or `_count` of the histogram */
  seriesOf(name: string): readonly FactSeries[] {
    return this.#changesOf(name).flatMap(([more, changes]) =>
      changingSeries(new SeriesLabels({ ...this.#labels, ...more }), changes),
    )
  }

  #changesOf(name: string): readonly (readonly [labels: Readonly<Record<string, string>>, Changes])[] {
    const finished = this.#ended.filter(({ seconds }) => seconds !== undefined)
    switch (name) {
      case 'daytwo_edge_attempts':
        return [[{}, { timesMs: this.#begunMs, valueAt: (i) => i + 1 }]]
      case 'daytwo_edge_success_ratio':
        return [[{}, this.#success(({ share }) => share)]]
      case 'daytwo_edge_success_ratio_low':
        return [[{}, this.#success(({ low }) => low)]]
      case 'daytwo_edge_success_ratio_high':
        return [[{}, this.#success(({ high }) => high)]]
      case 'daytwo_upgrades_total':
        return OUTCOMES.map((outcome) => [
          { outcome },
          this.#counted(this.#ended.filter((run) => run.outcome === outcome)),
        ])
      case 'daytwo_upgrade_duration_seconds_bucket':
        return [...DURATION_BOUNDS_SECONDS, Infinity].map((bound) => {
          const le = bound === Infinity ? '+Inf' : String(bound)
          return [{ le }, this.#counted(finished.filter(({ seconds }) => seconds! <= bound))]
        })
      case 'daytwo_upgrade_duration_seconds_count':
        return [[{}, this.#counted(finished)]]
      case 'daytwo_upgrade_duration_seconds_sum':
        return [[{}, this.#summed(finished)]]
      default:
        return []
    }
  }

  #counted(runs: readonly EndedRun[]): Changes {
    return { timesMs: [this.#firstMs, ...runs.map(({ atMs }) => atMs)], valueAt: (i) => i }
  }

  #summed(runs: readonly EndedRun[]): Changes {
    let sum = 0
    const sums = [0, ...runs.map(({ seconds = 0 }) => (sum += seconds))]
    return { timesMs: [this.#firstMs, ...runs.map(({ atMs }) => atMs)], valueAt: (i) => sums[i]! }
  }

  /** Of those that ended; superseded ones are neither. */
  #success(partOf: (interval: ReturnType<typeof wilsonInterval>) => number): Changes {
    const counted = this.#ended.filter(({ outcome }) => outcome !== 'superseded')
    let succeeded = 0
    const counts = counted.map(({ outcome }) => (succeeded += outcome === 'succeeded' ? 1 : 0))
    return {
      timesMs: counted.map(({ atMs }) => atMs),
      valueAt: (i) => partOf(wilsonInterval(counts[i]!, i + 1)),
    }
  }
}

function endOf({ state, begunMs, lastMs, whole }: EdgeRun): readonly EndedRun[] {
  const outcome = OUTCOMES.find((one) => one === state)
  if (outcome === undefined) return []
  return [{ atMs: Math.max(begunMs, lastMs), outcome, seconds: whole?.isFinished === true ? whole.seconds : undefined }]
}
