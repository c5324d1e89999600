/** A scale of powers for durations: where each stands between the shortest and the longest. Pure. */
export interface DurationScale {
  readonly shortestNs: number
  readonly longestNs: number
  /** 0 to 1, with a little room at both ends; 0 of what took no time, which has no place on such a scale. */
  readonly shareOf: (durationNs: number) => number
}

const ROOM = 0.1

export function durationScale(durationsNs: readonly number[]): DurationScale {
  const told = durationsNs.filter((one) => one > 0)
  const longestNs = told.reduce((most, one) => Math.max(most, one), 1)
  const shortestNs = told.reduce((least, one) => Math.min(least, one), longestNs)
  const [low, high] = [Math.log10(shortestNs) - ROOM, Math.log10(longestNs) + ROOM]
  return {
    shortestNs,
    longestNs,
    shareOf: (durationNs) =>
      durationNs <= 0 ? 0 : Math.min(1, Math.max(0, (Math.log10(durationNs) - low) / (high - low))),
  }
}
