/**
 * Where main hears that something changed, as topics of the event feed: what a beat reports, what people's commands write,
 * what is read again.
 */
import type { EventTopic } from '../contract/events.ts'
import type { FleetReport } from '../fleet/loop/fleet-loop.ts'
import { silenceStateAt } from '../model/silence.ts'
import type { Silence } from '../model/silence.ts'
import type { AlertStore } from '../notify/alerts.ts'
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

/** The same calls; what they wrote is reported. */
export function notedWrites(store: AlertStore, note: NoteChange): AlertStore {
  /** Alerts show who looks after them and what keeps them quiet. */
  const after = async <T>(done: Promise<T>, topics: readonly EventTopic[]): Promise<T> => {
    const value = await done
    note(topics)
    return value
  }
  const { silences, acknowledgements, externalAlerts } = store
  return {
    silences: {
      list: () => silences.list(),
      write: (changed, deeds) => after(silences.write(changed, deeds), ['silences', 'alerts']),
      prune: (endedBeforeMs) => silences.prune(endedBeforeMs),
    },
    acknowledgements: {
      listOpen: () => acknowledgements.listOpen(),
      put: (acknowledgement, deed) => after(acknowledgements.put(acknowledgement, deed), ['alerts']),
      remove: (run, deed) => after(acknowledgements.remove(run, deed), ['alerts']),
    },
    externalAlerts: {
      list: () => externalAlerts.list(),
      put: (alerts) => after(externalAlerts.put(alerts), ['alerts']),
      prune: (endedBeforeMs) => externalAlerts.prune(endedBeforeMs),
    },
    alertRuns: store.alertRuns,
    audit: store.audit,
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
