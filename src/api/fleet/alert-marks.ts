import type { AlertMarks } from '../../contract/alerts.ts'
import type { PipelineView } from '../../notify/pipeline.ts'
import type { AnyAlert } from '../../notify/alerts.ts'
import type { ApiPeople } from './people.ts'

/** What suppresses the notifications of an alert at a time, and its acknowledgement. */
export function marksReader(
  people: ApiPeople,
  pipeline: PipelineView | undefined,
  nowMs: number,
): (alert: AnyAlert) => AlertMarks {
  const repeats = people.duplicates()
  return (alert) => {
    const { silences, acknowledgements } = people
    const acknowledged = alert.state === 'resolved' ? undefined : acknowledgements.of(alert)
    const marks = pipeline?.marksOf(alert, nowMs)
    const repeated = repeats.get(alert.fingerprint)
    const inhibitedBy = marks?.inhibitedBy ?? []
    return {
      silencedBy: [...silences.silencedBy(alert.labels, nowMs)],
      inhibitedBy: repeated === undefined ? inhibitedBy : [repeated, ...inhibitedBy],
      mutedBy: marks?.mutedBy ?? [],
      ...(acknowledged === undefined
        ? {}
        : { acknowledged: { by: acknowledged.by, atMs: acknowledged.atMs, note: acknowledged.note } }),
      ...(marks?.expected === undefined ? {} : { expected: marks.expected }),
      receivers: marks?.receivers ?? [],
      decisions: marks?.decisions ?? [],
    }
  }
}
