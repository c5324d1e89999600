/**
 * The sources of the event feed's topics on main: reports of the evaluation cycle, writes by user actions, reloads.
 */
import type { EventTopic } from '../contract/events.ts'
import { silenceStateAt, type Silence } from '../model/silence.ts'
import type { AlertStore } from '../notify/alerts.ts'
import type { ReloadCause, Reloader } from './reload.ts'
import type { EvaluationSummary } from '../rules/rule-status.ts'

/** Publishes topics to the event feed's listeners. */
export type PublishChange = (topics: readonly EventTopic[]) => void

/** An alert became pending, firing or resolved. */
export function changedByRules({ hasTransitions }: EvaluationSummary): readonly EventTopic[] {
  return hasTransitions ? ['alerts'] : []
}

/** Wraps the store: successful writes publish their topics. */
export function withWriteEvents(store: AlertStore, publish: PublishChange): AlertStore {
  /** An alert includes its acknowledgement and its silences, hence the topic `alerts`. */
  const after = async <T>(done: Promise<T>, topics: readonly EventTopic[]): Promise<T> => {
    const value = await done
    publish(topics)
    return value
  }
  const { silences, acknowledgements, externalAlerts } = store
  return {
    silences: {
      list: () => silences.list(),
      find: (id) => silences.find(id),
      write: (changes) => after(silences.write(changes), ['silences', 'alerts']),
      prune: (endedBeforeMs) => silences.prune(endedBeforeMs),
    },
    acknowledgements: {
      listOpen: () => acknowledgements.listOpen(),
      put: (acknowledgement, action) => after(acknowledgements.put(acknowledgement, action), ['alerts']),
      remove: (run, action) => after(acknowledgements.remove(run, action), ['alerts']),
    },
    externalAlerts: {
      list: () => externalAlerts.list(),
      write: (alerts, removed) => after(externalAlerts.write(alerts, removed), ['alerts']),
      remove: (...removal) => after(externalAlerts.remove(...removal), ['alerts']),
    },
    alertRuns: store.alertRuns,
    audit: store.audit,
  }
}

/** A step of the evaluation cycle: silences start and end by the clock, without a write. */
export function createSilenceWatch(all: () => Iterable<Silence>, publish: PublishChange): (nowMs: number) => void {
  let known: string | undefined
  return (nowMs) => {
    const active = [...all()].filter((silence) => silenceStateAt(silence, nowMs) === 'active').map(({ id }) => id)
    const now = active.sort().join(' ')
    if (known !== undefined && known !== now) publish(['silences', 'alerts'])
    known = now
  }
}

/**
 * Wraps the reloader: a successful reload publishes its topics.
 * @param record adds a reload that nobody requested over HTTP to the audit
 */
export function withReloadEvents(
  reloader: Reloader,
  publish: PublishChange,
  record: (cause: ReloadCause) => Promise<void>,
): Reloader {
  return {
    ...reloader,
    reload: async (cause) => {
      await reloader.reload(cause)
      publish(['rules', 'dashboards', 'alerts'])
      if (cause !== 'request') await record(cause)
    },
  }
}
