/** Steps of the evaluation cycle as spans. A cycle runs every second and mostly has nothing to do: then it has no span. */
import { messageOf } from '../base/errors.ts'
import type { SpanAttributes, Tracing } from '../base/tracing.ts'
import type { FleetReport } from '../fleet/loop/fleet-loop.ts'
import type { EvaluationSummary } from '../rules/rule-status.ts'

/** The outcome of a step, for its span. */
interface StepOutcome {
  readonly attributes: SpanAttributes
  /** A failure that did not stop the step. */
  readonly failure?: string
}

export async function tracedStep<T>(
  tracing: Tracing,
  name: string,
  step: () => Promise<T>,
  outcomeOf: (done: T) => StepOutcome | undefined,
): Promise<T> {
  if (!tracing.isOn) return step()
  const span = tracing.open(name, {})
  try {
    const done = await span.within(step)
    const outcome = outcomeOf(done)
    if (outcome !== undefined) {
      for (const [key, value] of Object.entries(outcome.attributes)) span.set(key, value)
      span.end(outcome.failure)
    }
    return done
  } catch (thrown) {
    span.end(messageOf(thrown))
    throw thrown
  }
}

/** `undefined` when no group was due. The first failed rule makes the span an error. */
export function evaluationOutcome({ groups }: EvaluationSummary): StepOutcome | undefined {
  if (groups.length === 0) return undefined
  const [failure] = groups.flatMap(({ name, errors }) =>
    errors.map(({ rule, message }) => `${name}, ${rule}: ${message}`),
  )
  return {
    attributes: {
      'daytwo.rule_groups': groups.length,
      'daytwo.rules': groups.reduce((sum, { ruleCount }) => sum + ruleCount, 0),
      'daytwo.samples': groups.reduce((sum, { samples }) => sum + samples, 0),
    },
    ...(failure !== undefined && { failure }),
  }
}

/** `undefined` when the cycle of the fleet loop found nothing new. */
export function derivationOutcome({ read, derived, waiting, failures }: FleetReport): StepOutcome | undefined {
  if (read + derived + failures.length === 0) return undefined
  const [failure] = failures.map(({ subject, error }) => `${subject}: ${error}`)
  return {
    attributes: {
      'daytwo.clusters_read': read,
      'daytwo.clusters_derived': derived,
      'daytwo.clusters_waiting': waiting,
    },
    ...(failure !== undefined && { failure }),
  }
}
