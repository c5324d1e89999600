import type { Subquery } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { lastStepMs, type Steps } from './steps.ts'
import { lensOf, lookMs } from './select.ts'

/** Every multiple of a subquery's step inside `(look - range, look]`, for all looks at once; undefined when there is none. */
export function subquerySteps(expr: Subquery, steps: Steps, evaluation: Evaluation): Steps | undefined {
  const lens = lensOf(expr, evaluation)
  const stepMs = expr.stepMs ?? evaluation.subqueryStepMs
  const oldestMs = lookMs(lens, steps, 0) - expr.rangeMs
  const newestMs = (lens.fixedMs ?? lastStepMs(steps)) - lens.offsetMs
  // Cut towards zero and then moved past the open end, as Prometheus does; before 1970 the first step may be later.
  let startMs = stepMs * Math.trunc(oldestMs / stepMs)
  if (startMs <= oldestMs) startMs += stepMs
  if (startMs > newestMs) return undefined
  return { startMs, stepMs, count: Math.floor((newestMs - startMs) / stepMs) + 1 }
}
