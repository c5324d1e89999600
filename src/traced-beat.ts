/** Steps of the beat as spans. A beat is every second and mostly finds nothing to do: of those nothing is told. */
import type { SpanAttributes, Tracing } from './base/tracing.ts'
import type { EvaluationReport } from './rules/rule-status.ts'

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
