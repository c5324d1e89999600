import type { AlertMarks } from '../../contract/alert-marks.ts'
import type { PipelineView } from '../../notify/pipeline-view.ts'
import type { AnyAlert } from '../../notify/alerts.ts'
import type { ApiPeople } from './people.ts'

/** What stands between an alert and a page at a time, and who has seen it. */
export function marksReader(
  people: ApiPeople,
  pipeline: PipelineView | undefined,
  nowMs: number,
): (alert: AnyAlert) => AlertMarks {
  const repeats = people.duplicates()
  return (alert) => {
    const { silences, acknowledgements } = people
    const acknowledged = alert.state === 'resolved' ? undefined : acknowledgements.of(alert)
    const told = pipeline?.marksOf(alert, nowMs)
    const repeated = repeats.get(alert.fingerprint)
    const inhibitedBy = told?.inhibitedBy ?? []
    return {
      silencedBy: [...silences.silencedBy(alert.labels, nowMs)],
      inhibitedBy: repeated === undefined ? [...inhibitedBy] : [repeated, ...inhibitedBy],
      mutedBy: [...(told?.mutedBy ?? [])],
      ...(acknowledged === undefined
        ? {}
        : { acknowledged: { by: acknowledged.by, atMs: acknowledged.atMs, note: acknowledged.note } }),
      ...(told?.expected === undefined ? {} : { expected: { ...told.expected } }),
      receivers: [...(told?.receivers ?? [])],
      decisions: (told?.decisions ?? []).map((decision) => ({ ...decision })),
    }
  }
}
