/**
 * How long runs take, estimated from finished and unfinished ones: the product-limit estimate (Kaplan and Meier 1958) with
 * Greenwood's variance. The interval of the median is Brookmeyer and Crowley's (1982), by the bands on the scale of
 * log(-log S), which stay within 0 and 1 and hold for few runs (Klein and Moeschberger, Survival Analysis, 4.3 and 4.5).
 */
import type { Durations } from './durations.ts'
import { Z_95 } from './normal.ts'

/** The curve, as one column a field: a step down at each time at which a run finished. */
export interface SurvivalCurve {
  readonly steps: number
  readonly times: Float64Array
  /** Share of runs that take longer than the time. */
  readonly survival: Float64Array
  /** Greenwood's sum: the variance of S is S^2 times it. Infinite where S is 0. */
  readonly greenwood: Float64Array
}

export function survivalCurve({ finished, censored }: Durations): SurvivalCurve {
  const times = new Float64Array(finished.length)
  const survival = new Float64Array(finished.length)
  const greenwood = new Float64Array(finished.length)
  let steps = 0
  let share = 1
  let variance = 0
  let lost = 0
  for (let at = 0; at < finished.length;) {
    const time = finished[at]!
    while (lost < censored.length && censored[lost]! < time) lost++
    const atRisk = finished.length - at + censored.length - lost
    let ended = 1
    while (at + ended < finished.length && finished[at + ended] === time) ended++
    at += ended
    share *= (atRisk - ended) / atRisk
    variance += ended / (atRisk * (atRisk - ended))
    times[steps] = time
    survival[steps] = share
    greenwood[steps] = variance
    steps++
  }
  return { steps, times, survival, greenwood }
}

/** Rounding may make a product of fractions that equals 1/2 slightly larger. */
const ROUNDING = 1e-12

/** The shortest time within which a share `p` of runs finish; `undefined`: the curve does not come down that far. */
export function survivalQuantile(curve: SurvivalCurve, p: number): number | undefined {
  return firstTime(curve, (step) => curve.survival[step]! <= 1 - p + ROUNDING)
}

/** 95 %. A bound that the curve does not reach is open, and absent. */
export function medianInterval(curve: SurvivalCurve): { readonly low?: number; readonly high?: number } {
  const low = firstTime(curve, (step) => isBandBelowHalf(curve, step, 1))
  // Where nothing is left the variance is not known, so the band ends before.
  const high = firstTime(curve, (step) => {
    const share = curve.survival[step]!
    return share > 0 && share <= 0.5 + ROUNDING && isBandBelowHalf(curve, step, -1)
  })
  return { ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) }
}

/** log(-log(1/2)): where the bands cross. */
const LOG_LOG_HALF = Math.log(Math.LN2)

/** Whether the lower (`side` 1) or the upper (-1) band is at a half or below it at a step, reckoned on the bands' scale. */
function isBandBelowHalf({ survival, greenwood }: SurvivalCurve, step: number, side: 1 | -1): boolean {
  const share = survival[step]!
  if (share <= 0) return true
  const minusLog = -Math.log(share)
  return Math.log(minusLog) + (side * Z_95 * Math.sqrt(greenwood[step]!)) / minusLog >= LOG_LOG_HALF - ROUNDING
}

function firstTime({ steps, times }: SurvivalCurve, holds: (step: number) => boolean): number | undefined {
  for (let step = 0; step < steps; step++) if (holds(step)) return times[step]
  return undefined
}
