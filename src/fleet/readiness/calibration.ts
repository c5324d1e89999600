/**
 * What history shows about each hazard: of the upgrades that started with the hazard how many failed, beside those that
 * started without it. The state of hazards is as of the start of each upgrade, as far as its observations were stored when
 * the upgrade was derived; firing alerts are not among them. Upgrades in which the state is unknown are in neither group.
 */
import { HAZARD_IDS, type CalibrationResult, type HazardId } from '../../model/readiness.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { newcombeInterval, wilsonInterval, type DifferenceInterval, type ShareInterval } from '../statistics/wilson.ts'

export interface FailedShare {
  readonly upgrades: number
  readonly failed: number
  /** Absent: no upgrade. */
  readonly interval?: ShareInterval
}

export interface HazardCalibration {
  readonly hazard: HazardId
  readonly withHazard: FailedShare
  readonly withoutHazard: FailedShare
  /** The share that fails with the hazard less the share without; absent: too few upgrades. */
  readonly difference?: DifferenceInterval
  readonly result: CalibrationResult
}

/** With fewer upgrades on either side nothing is concluded. */
const UPGRADES_MIN = 10

/** Counts, kept as upgrades of clusters come and go. */
export class CalibrationCounts {
  readonly #counts = HAZARD_IDS.map(() => ({ with: 0, withFailed: 0, without: 0, withoutFailed: 0 }))
  readonly #ofCluster = new Map<string, readonly Counted[]>()

  /** Replaces the upgrades of a cluster. */
  put(cluster: string, upgrades: readonly UpgradeRecord[]): void {
    for (const one of this.#ofCluster.get(cluster) ?? []) this.#add(one, -1)
    const counted = upgrades.flatMap(countedOf)
    for (const one of counted) this.#add(one, 1)
    if (counted.length === 0) this.#ofCluster.delete(cluster)
    else this.#ofCluster.set(cluster, counted)
  }

  all(): readonly HazardCalibration[] {
    return HAZARD_IDS.map((hazard, i) => {
      const { with: many, withFailed, without, withoutFailed } = this.#counts[i]!
      return calibrationOf(hazard, shareOf(withFailed, many), shareOf(withoutFailed, without))
    })
  }

  /** A copy of some clusters. */
  only(isIncluded: (cluster: string) => boolean): CalibrationCounts {
    const copy = new CalibrationCounts()
    for (const [cluster, counted] of this.#ofCluster) {
      if (!isIncluded(cluster)) continue
      for (const one of counted) copy.#add(one, 1)
      copy.#ofCluster.set(cluster, counted)
    }
    return copy
  }

  #add({ present, absent, hasFailed }: Counted, by: 1 | -1): void {
    for (const index of present) {
      const counts = this.#counts[index]!
      counts.with += by
      if (hasFailed) counts.withFailed += by
    }
    for (const index of absent) {
      const counts = this.#counts[index]!
      counts.without += by
      if (hasFailed) counts.withoutFailed += by
    }
  }
}

interface Counted {
  /** Places in `HAZARD_IDS`. */
  readonly present: readonly number[]
  readonly absent: readonly number[]
  readonly hasFailed: boolean
}

function countedOf({ upgrade: { state }, detail: { hazardsAtStart } }: UpgradeRecord): readonly Counted[] {
  const hasFailed = state === 'failed' || state === 'rolled_back'
  if (hazardsAtStart === undefined || (state !== 'succeeded' && !hasFailed)) return []
  return [{ present: placesOf(hazardsAtStart.present), absent: placesOf(hazardsAtStart.absent), hasFailed }]
}

const PLACES = new Map<string, number>(HAZARD_IDS.map((hazard, i) => [hazard, i]))

/** Another version of the program, which may have stored them, may know other hazards. */
function placesOf(hazards: readonly string[]): readonly number[] {
  return hazards.flatMap((hazard) => PLACES.get(hazard) ?? [])
}

function shareOf(failed: number, upgrades: number): FailedShare {
  return { upgrades, failed, ...(upgrades === 0 ? {} : { interval: wilsonInterval(failed, upgrades) }) }
}

function calibrationOf(hazard: HazardId, withHazard: FailedShare, withoutHazard: FailedShare): HazardCalibration {
  const counts = { hazard, withHazard, withoutHazard }
  if (withHazard.upgrades < UPGRADES_MIN || withoutHazard.upgrades < UPGRADES_MIN)
    return { ...counts, result: 'too_few' }
  const difference = newcombeInterval(withHazard.interval!, withoutHazard.interval!)
  const result = difference.low > 0 ? 'more_failures' : difference.high < 0 ? 'fewer_failures' : 'no_difference'
  return { ...counts, difference, result }
}
