/**
 * Versions on a ramp by age: the oldest pale, the newest strong. Steps are the tokens `--dt-ramp-1` to `--dt-ramp-8`; lines,
 * which need more contrast than areas, begin at `LINE_STEP_MIN`. Pure.
 */

const RAMP_STEPS = 8

/** The palest step that a thin line can be seen in. */
export const LINE_STEP_MIN = 4

/** Steps by age, the newest first: a few versions look the same wherever they stand, as the marks of versions do. */
const STEPS_BY_AGE = [8, 6, 4, 3, 2, 1] as const

/** The colour of a step, as a value of CSS or of an SVG attribute. */
export const rampColor = (step: number): string => `var(--dt-ramp-${step})`

/** Step of each; many are spread evenly over the ramp. */
export function rampOf(newestFirst: readonly string[]): ReadonlyMap<string, number> {
  const last = Math.max(1, newestFirst.length - 1)
  return new Map(
    newestFirst.map((version, i) => [
      version,
      newestFirst.length <= STEPS_BY_AGE.length
        ? STEPS_BY_AGE[i]!
        : RAMP_STEPS - Math.round((i * (RAMP_STEPS - 1)) / last),
    ]),
  )
}
