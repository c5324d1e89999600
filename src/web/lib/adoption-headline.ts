import type { SpreadItem } from '../../contract/adoption.ts'
import { countOf, formatShare } from './format-number.ts'
import { shortDay } from './day-ticks.ts'

/** The first sentence of the adoption page: the share of the selected version, compared with the previous version. Pure. */
export interface AdoptionHeadline {
  readonly version: string
  /** `1.20 or newer runs on 18 of 38 clusters that tell (47 %)`. */
  readonly answer: string
  /** `12 days after its first. 1.19 had 61 % at that age.` */
  readonly context: string
}

/** @param spreads newest first. @param telling clusters that reported a version on the last counted day */
export function adoptionHeadline(
  spreads: readonly SpreadItem[],
  version: string,
  telling: number,
): AdoptionHeadline | undefined {
  const at = spreads.findIndex((spread) => spread.version === version)
  const own = spreads[at]
  if (own === undefined) return undefined
  const reached = lastShare(own)
  const clusters = Math.round((reached ?? 0) * telling)
  const isNewest = at === 0
  return {
    version,
    answer: `${version}${isNewest ? '' : ' or newer'} runs on ${clusters} of ${countOf(telling, 'cluster')} that tell (${formatShare(clusters, telling)})`,
    context: contextOf(own, spreads[at + 1]),
  }
}

/** The share of clusters on the version or a newer one, on the last day with a known share. */
export function lastShare({ byAge }: SpreadItem): number | undefined {
  return byAge.findLast((share) => share !== null) ?? undefined
}

/** The age of the version in days, on the last day with a known share. */
export function ageOf({ byAge }: SpreadItem): number {
  return Math.max(
    0,
    byAge.findLastIndex((share) => share !== null),
  )
}

function contextOf(own: SpreadItem, before: SpreadItem | undefined): string {
  if (!own.isStartKnown) {
    return `It was there before ${shortDay(own.firstDay)}, the first day that was counted, so its age is not known.`
  }
  const age = ageOf(own)
  const since = age === 0 ? 'It was first seen on the last day.' : `It is ${countOf(age, 'day')} old here.`
  if (before === undefined) return since
  if (!before.isStartKnown)
    return `${since} When ${before.version} began is not known, so they cannot be compared by age.`
  const then = before.byAge[age]
  if (then === undefined) return `${since} ${before.version} is not yet that old.`
  if (then === null) return `${since} Nobody counted ${before.version} at that age.`
  return `${since} ${before.version} had ${formatShare(then, 1)} at that age.`
}
