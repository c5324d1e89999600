/** The evaluation times of an expression: `startMs`, `startMs + stepMs`, ... `count` of them. */
export interface Steps {
  readonly startMs: number
  readonly stepMs: number
  readonly count: number
}

export function stepTimeMs(steps: Steps, step: number): number {
  return steps.startMs + step * steps.stepMs
}

/** One number per step. A loop, because `Float64Array.from` with an iterator was a tenth of a small query. */
export function perStep(steps: Steps, valueAt: (step: number) => number): Float64Array {
  const values = new Float64Array(steps.count)
  for (let s = 0; s < steps.count; s++) values[s] = valueAt(s)
  return values
}

export function lastStepMs(steps: Steps): number {
  return stepTimeMs(steps, steps.count - 1)
}
