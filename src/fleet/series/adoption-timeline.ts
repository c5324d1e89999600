/**
 * How many clusters run each version, over time: counted from the periods in which each cluster ran it. Only versions of
 * clusters that changed are counted again.
 */
import { changingSeries, SeriesLabels, type FactSeries } from './fact-series.ts'
import type { Changes, Period } from './stretch.ts'

/** Maximum of versions in the series of one operator; the rarest are summed as `other`. */
export const ADOPTED_VERSIONS_MAX = 300
const OTHER_VERSIONS = 'other'

export interface VersionUse extends Period {
  readonly operator: string
  readonly version: string
}

/** By how much the number of clusters changes at a time, and how many periods start or end then. */
interface CountStep {
  change: number
  periods: number
}

/** One version of one operator. */
class Adopted {
  readonly operator: string
  readonly version: string
  readonly periods = new Map<string, readonly Period[]>()
  /** By time. */
  readonly steps = new Map<number, CountStep>()
  #counted: Counted | undefined

  constructor(operator: string, version: string) {
    this.operator = operator
    this.version = version
  }

  /** @returns whether it changed */
  set(cluster: string, periods: readonly Period[]): boolean {
    const before = this.periods.get(cluster) ?? []
    if (areEqual(before, periods)) return false
    addTo(this.steps, before, -1)
    addTo(this.steps, periods, 1)
    if (periods.length === 0) this.periods.delete(cluster)
    else this.periods.set(cluster, periods)
    this.#counted = undefined
    return true
  }

  get counted(): Counted {
    return (this.#counted ??= countedOf(this.operator, this.version, this.steps))
  }
}

/** With how many clusters run a version in the end, and at most. */
interface Counted {
  readonly series: readonly FactSeries[]
  readonly present: number
  readonly most: number
}

function areEqual(a: readonly Period[], b: readonly Period[]): boolean {
  return (
    a.length === b.length && a.every(({ fromMs, untilMs }, i) => fromMs === b[i]!.fromMs && untilMs === b[i]!.untilMs)
  )
}

/** @param sign -1: takes the periods out again */
function addTo(steps: Map<number, CountStep>, periods: readonly Period[], sign: 1 | -1): void {
  const add = (timeMs: number, change: number): void => {
    if (timeMs === Infinity) return
    let step = steps.get(timeMs)
    if (step === undefined) steps.set(timeMs, (step = { change: 0, periods: 0 }))
    step.change += change
    step.periods += sign
    if (step.periods === 0) steps.delete(timeMs)
  }
  for (const { fromMs, untilMs } of periods) {
    add(fromMs, sign)
    add(untilMs, -sign)
  }
}

export class AdoptionTimeline {
  readonly #versions = new Map<string, Adopted>()
  readonly #usedBy = new Map<string, ReadonlySet<Adopted>>()

  /** Incremented when a count changes. */
  revision = 0

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
      if (adopted.set(cluster, [])) this.revision++
      if (adopted.periods.size === 0) this.#versions.delete(`${adopted.operator}\u0000${adopted.version}`)
    }
    for (const [adopted, periods] of now) if (adopted.set(cluster, periods)) this.revision++
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
      if (all.length <= ADOPTED_VERSIONS_MAX) return all.flatMap(({ counted }) => counted.series)
      const ranked = all.toSorted(({ counted: a, version }, { counted: b, version: other }) => {
        return b.present - a.present || b.most - a.most || (version < other ? -1 : 1)
      })
      const others = new Map<number, CountStep>()
      for (const { periods } of ranked.slice(ADOPTED_VERSIONS_MAX)) {
        for (const ofCluster of periods.values()) addTo(others, ofCluster, 1)
      }
      return [
        ...ranked.slice(0, ADOPTED_VERSIONS_MAX).flatMap(({ counted }) => counted.series),
        ...countedOf(operator, OTHER_VERSIONS, others).series,
      ]
    })
  }
}

function countedOf(operator: string, version: string, steps: ReadonlyMap<number, CountStep>): Counted {
  const timesMs = Float64Array.from(steps.keys()).sort()
  let [sum, most] = [0, 0]
  const counts = Float64Array.from(timesMs, (timeMs) => {
    sum += steps.get(timeMs)!.change
    most = Math.max(most, sum)
    return sum
  })
  // A version that no cluster runs has no sample.
  const changes: Changes = { timesMs, valueAt: (i) => (counts[i] === 0 ? NaN : counts[i]!) }
  return { series: changingSeries(new SeriesLabels({ operator, version }), changes), present: sum, most }
}
