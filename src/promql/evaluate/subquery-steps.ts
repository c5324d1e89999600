import type { Subquery } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { lastStepMs, type Steps } from './steps.ts'
import { lensOf, selectorTimeMs } from './select.ts'

/**
 * Every multiple of a subquery's step inside `(time - range, time]`, for all evaluation times; undefined when there is
 * none.
 */
export function subquerySteps(expr: Subquery, steps: Steps, evaluation: Evaluation): Steps | undefined {
  const lens = lensOf(expr, evaluation)
  const stepMs = expr.stepMs ?? evaluation.subqueryStepMs
  const oldestMs = selectorTimeMs(lens, steps, 0) - expr.rangeMs
  const newestMs = (lens.fixedMs ?? lastStepMs(steps)) - lens.offsetMs
  // Truncated towards zero and then moved past the open end, as in Prometheus; before 1970 the first step may be later.
  let startMs = stepMs * Math.trunc(oldestMs / stepMs)
  if (startMs <= oldestMs) startMs += stepMs
  if (startMs > newestMs) return undefined
  return { startMs, stepMs, count: Math.floor((newestMs - startMs) / stepMs) + 1 }
}
