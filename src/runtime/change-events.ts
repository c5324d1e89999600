/**
 * Where main hears that something changed, as topics of the event feed: what a beat reports, what people's commands write,
 * what is read again.
 */
import type { EventTopic } from '../contract/events.ts'
import type { FleetReport } from '../fleet/loop/fleet-loop.ts'
import { silenceStateAt } from '../model/silence.ts'
import type { Silence } from '../model/silence.ts'
import type { PeopleCalls } from '../threads/people-calls.ts'
import type { Reloader } from './reload.ts'
import type { EvaluationReport } from '../rules/rule-status.ts'

/** Tells whoever listens. */
export type NoteChange = (topics: readonly EventTopic[]) => void

/** An alert began, fires or is over. */
export function changedByRules({ transitions }: EvaluationReport): readonly EventTopic[] {
  return transitions.length > 0 ? ['alerts'] : []
}

export function changedByFacts({ changed }: FleetReport): readonly EventTopic[] {
  return changed
}

/** The same calls; what they wrote is told. */
export function notedPeople(store: PeopleCalls, note: NoteChange): PeopleCalls {
  /** Alerts show who looks after them and what keeps them quiet. */
  const after = async <T>(done: Promise<T>, topics: readonly EventTopic[]): Promise<T> => {
    const value = await done
    note(topics)
    return value
  }
  return {
    silences: () => store.silences(),
    writeSilences: (silences, deeds) => after(store.writeSilences(silences, deeds), ['silences', 'alerts']),
    pruneSilences: (endedBeforeMs) => store.pruneSilences(endedBeforeMs),
    acknowledgements: () => store.acknowledgements(),
    acknowledge: (acknowledgement, deed) => after(store.acknowledge(acknowledgement, deed), ['alerts']),
    unacknowledge: (run, deed) => after(store.unacknowledge(run, deed), ['alerts']),
    openAlertRuns: () => store.openAlertRuns(),
    recordAlertRuns: (runs) => store.recordAlertRuns(runs),
    pruneHistory: (beforeMs) => store.pruneHistory(beforeMs),
    externalAlerts: () => store.externalAlerts(),
    putExternalAlerts: (alerts) => after(store.putExternalAlerts(alerts), ['alerts']),
    pruneExternalAlerts: (endedBeforeMs) => store.pruneExternalAlerts(endedBeforeMs),
    addAudit: (deed) => store.addAudit(deed),
    decommissions: () => store.decommissions(),
    // Told when whoever derives knows it, not before: see `PeopleParts.decommissionsTold`.
    writeDecommissions: (changed, deeds) => store.writeDecommissions(changed, deeds),
  }
}

/** A step of the beat: silences begin and end by the clock, without anybody doing anything. */
export function createSilenceWatch(all: () => Iterable<Silence>, note: NoteChange): (nowMs: number) => void {
  let known: string | undefined
  return (nowMs) => {
    const active = [...all()].filter((silence) => silenceStateAt(silence, nowMs) === 'active').map(({ id }) => id)
    const now = active.sort().join(' ')
    if (known !== undefined && known !== now) note(['silences', 'alerts'])
    known = now
  }
}

/** The same reloader; what was taken into use is told. */
export function notedReloads(reloader: Reloader, note: NoteChange): Reloader {
  return {
    ...reloader,
    reload: async (cause) => {
      await reloader.reload(cause)
      note(['rules', 'dashboards', 'alerts'])
    },
  }
}
