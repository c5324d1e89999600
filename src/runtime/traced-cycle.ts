/** Steps of the beat as spans. A beat is every second and mostly finds nothing to do: of those nothing is told. */
import type { SpanAttributes, Tracing } from '../base/tracing.ts'
import type { FleetReport } from '../fleet/loop/fleet-loop.ts'
import type { EvaluationReport } from '../rules/rule-status.ts'

/** What a step did, for its span; `undefined`: nothing. */
export interface StepNotes {
  readonly attributes: SpanAttributes
  /** What went wrong although the step went on. */
  readonly failure?: string
}

export async function tracedStep<T>(
  tracing: Tracing,
  name: string,
  step: () => Promise<T>,
  notesOf: (done: T) => StepNotes | undefined,
): Promise<T> {
  if (!tracing.isOn) return step()
  const span = tracing.open(name, {})
  try {
    const done = await span.within(step)
    const notes = notesOf(done)
    if (notes !== undefined) {
      for (const [key, value] of Object.entries(notes.attributes)) span.set(key, value)
      span.end(notes.failure)
    }
    return done
  } catch (thrown) {
    span.end(thrown instanceof Error ? thrown.message : String(thrown))
    throw thrown
  }
}

/** Groups that were due; the first rule that failed makes it an error. */
export function evaluationNotes({ groups }: EvaluationReport): StepNotes | undefined {
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

/** Of a beat that read or derived something; one that found nothing new is not told. */
export function derivationNotes({ read, derived, waiting, failures }: FleetReport): StepNotes | undefined {
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
