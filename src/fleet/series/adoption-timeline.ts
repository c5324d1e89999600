/**
 * How many clusters run each version, over time: counted from the periods in which each cluster ran it. Only versions of
 * clusters that changed are counted again.
 */
import { SeriesLabels, type FactSeries } from './fact-series.ts'
import { stretchesOf, type Changes, type Period } from './stretch.ts'

/** Maximum of versions in the series of one operator; the rarest are summed as `other`. */
export const ADOPTED_VERSIONS_MAX = 300
const OTHER_VERSIONS = 'other'

export interface VersionUse extends Period {
  readonly operator: string
  readonly version: string
}

/** One version of one operator. */
class Adopted {
  readonly operator: string
  readonly version: string
  readonly periods = new Map<string, readonly Period[]>()
  #series: { readonly series: FactSeries; readonly present: number; readonly most: number } | undefined

  constructor(operator: string, version: string) {
    this.operator = operator
    this.version = version
  }

  set(cluster: string, periods: readonly Period[] | undefined): void {
    if (periods === undefined) this.periods.delete(cluster)
    else this.periods.set(cluster, periods)
    this.#series = undefined
  }

  /** With how many clusters run it in the end, and at most. */
  get counted(): { readonly series: FactSeries; readonly present: number; readonly most: number } {
    return (this.#series ??= countedOf(this.operator, this.version, [...this.periods.values()].flat()))
  }
}

export class AdoptionTimeline {
  readonly #versions = new Map<string, Adopted>()
  readonly #usedBy = new Map<string, ReadonlySet<Adopted>>()

  /** Replaces what a cluster ran. */
  put(cluster: string, uses: readonly VersionUse[]): void {
    const now = new Map<Adopted, Period[]>()
    for (const { operator, version, fromMs, untilMs } of uses) {
      const key = `${operator}\u0000${version}`
      let adopted = this.#versions.get(key)
      if (adopted === undefined) this.#versions.set(key, (adopted = new Adopted(operator, version)))
      const periods = now.get(adopted)
      if (periods === undefined) now.set(adopted, [{ fromMs, untilMs }])
      else periods.push({ fromMs, untilMs })
    }
    for (const adopted of this.#usedBy.get(cluster) ?? []) {
      if (now.has(adopted)) continue
      adopted.set(cluster, undefined)
      if (adopted.periods.size === 0) this.#versions.delete(`${adopted.operator}\u0000${adopted.version}`)
    }
    for (const [adopted, periods] of now) adopted.set(cluster, periods)
    this.#usedBy.set(cluster, new Set(now.keys()))
  }

  remove(cluster: string): void {
    this.put(cluster, [])
    this.#usedBy.delete(cluster)
  }

  series(): readonly FactSeries[] {
    const byOperator = new Map<string, Adopted[]>()
    for (const adopted of this.#versions.values()) {
      const known = byOperator.get(adopted.operator)
      if (known === undefined) byOperator.set(adopted.operator, [adopted])
      else known.push(adopted)
    }
    return [...byOperator].flatMap(([operator, all]) => {
      if (all.length <= ADOPTED_VERSIONS_MAX) return all.map(({ counted }) => counted.series)
      const ranked = all.toSorted(({ counted: a, version }, { counted: b, version: other }) => {
        return b.present - a.present || b.most - a.most || (version < other ? -1 : 1)
      })
      const rest = ranked.slice(ADOPTED_VERSIONS_MAX).flatMap(({ periods }) => [...periods.values()].flat())
      return [
        ...ranked.slice(0, ADOPTED_VERSIONS_MAX).map(({ counted }) => counted.series),
        countedOf(operator, OTHER_VERSIONS, rest).series,
      ]
    })
  }
}

function countedOf(operator: string, version: string, periods: readonly Period[]): Adopted['counted'] {
  const added = new Map<number, number>()
  const add = (timeMs: number, count: number): void => {
    if (timeMs < Infinity) added.set(timeMs, (added.get(timeMs) ?? 0) + count)
  }
  for (const { fromMs, untilMs } of periods) {
    add(fromMs, 1)
    add(untilMs, -1)
  }
  const timesMs = [...added.keys()].sort((a, b) => a - b)
  let sum = 0
  const counts = timesMs.map((timeMs) => (sum += added.get(timeMs)!))
  // A version that no cluster runs has no sample.
  const changes: Changes = { timesMs, valueAt: (i) => (counts[i] === 0 ? NaN : counts[i]!) }
  const labels = new SeriesLabels('daytwo_adoption_clusters', { operator, version })
  const most = counts.reduce((max, count) => Math.max(max, count), 0)
  return { series: { labels, stretchesIn: (range) => stretchesOf(changes, range) }, present: sum, most }
}
