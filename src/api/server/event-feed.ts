/**
 * Who listens for changes, and what each is told: small events without data (contract/events.ts), at most one a topic and
 * second. Nobody is waited for: a listener that does not read is dropped, and comes back with the id it had last.
 */
import { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { EVENT_TOPICS } from '../../contract/events.ts'
import type { ChangeEvent, EventTopic } from '../../contract/events.ts'

export interface EventFeed {
  /** Publishes that data of these topics changed. */
  publish(topics: Iterable<EventTopic>): void
  /**
   * A stream of events from now on, and of what changed since an id that was told before. Throws FleetError
   * `overloaded` when as many listen as may. Whoever destroys the stream has left.
   */
  listen(lastEventId: string | undefined): Readable
  /** Ends all streams; nobody is let in any more. */
  stop(): void
}

interface EventFeedParts {
  readonly clock: Clock
  readonly metrics: Pick<OwnMetrics, 'eventListeners' | 'eventsSent' | 'eventListenersLost'>
  /** Streams that are open at one time. */
  readonly listenersMax: number
}

const TOPIC_EVERY_MS = 1000
/** More often than whatever stands in between gives up on a connection that is silent. */
const HEARTBEAT_EVERY_MS = 15_000
/** After which a browser comes back by itself. */
const RETRY_MS = 3000
/** What a listener may leave unread. An event is some sixty bytes, so it has missed hundreds. */
const UNREAD_BYTES_MAX = 16 * 1024

export function createEventFeed({ clock, metrics, listenersMax }: EventFeedParts): EventFeed {
  // Ids of a process that ran before are told apart by this.
  const run = clock.nowMs().toString(36)
  const listeners = new Set<Readable>()
  const versions = new Map<EventTopic, number>()
  /** Told within the last second: what comes now waits until it is over. */
  const resting = new Set<EventTopic>()
  const waiting = new Set<EventTopic>()
  let version = 0
  let cancelHeartbeat: (() => void) | undefined
  let isStopped = false

  const leave = (listener: Readable): void => {
    if (!listeners.delete(listener)) return
    metrics.eventListeners.set(listeners.size)
    if (listeners.size > 0) return
    cancelHeartbeat?.()
    cancelHeartbeat = undefined
  }
  const push = (listener: Readable, text: string): void => {
    if (listener.push(text)) return
    leave(listener)
    metrics.eventListenersLost.inc({ reason: 'slow' })
    listener.destroy()
  }
  const pushAll = (text: string): void => {
    for (const listener of [...listeners]) push(listener, text)
  }
  const beat = (): void => {
    cancelHeartbeat = clock.after(HEARTBEAT_EVERY_MS, () => {
      beat()
      pushAll(': still here\n\n')
    })
  }
  const textOf = (topic: EventTopic, id: number): string => {
    const change: ChangeEvent = { topic, version: id }
    return `id: ${run}-${id}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`
  }
  const tell = (topic: EventTopic): void => {
    versions.set(topic, ++version)
    resting.add(topic)
    clock.after(TOPIC_EVERY_MS, () => {
      resting.delete(topic)
      if (waiting.delete(topic)) tell(topic)
    })
    metrics.eventsSent.inc({ topic }, listeners.size)
    pushAll(textOf(topic, version))
  }
  /** What somebody missed; all there is, when nobody knows what that somebody was told. */
  const missedSince = (lastEventId: string): readonly (readonly [EventTopic, number])[] => {
    const [ofRun, id] = lastEventId.split('-')
    const seen = ofRun === run && /^\d+$/.test(id ?? '') ? Number(id) : -1
    return EVENT_TOPICS.map((topic) => [topic, versions.get(topic) ?? 0] as const)
      .filter(([, told]) => told > seen)
      .sort(([, a], [, b]) => a - b)
  }

  return {
    publish: (topics) => {
      if (isStopped) return
      for (const topic of topics) {
        if (resting.has(topic)) waiting.add(topic)
        else tell(topic)
      }
    },
    listen: (lastEventId) => {
      if (isStopped || listeners.size >= listenersMax) {
        metrics.eventListenersLost.inc({ reason: 'refused' })
        throw new FleetError('overloaded', `events: got one listener more than web.listeners-max, ${listenersMax}`, {
          hint: 'a page without events asks again every few seconds, and shows the same',
        })
      }
      const listener = new Readable({ read: () => undefined, highWaterMark: UNREAD_BYTES_MAX })
      listener.once('close', () => {
        leave(listener)
      })
      // Whoever is gone is gone; there is nobody to tell.
      listener.on('error', () => undefined)
      listeners.add(listener)
      metrics.eventListeners.set(listeners.size)
      if (listeners.size === 1) beat()
      const missed = lastEventId === undefined ? [] : missedSince(lastEventId)
      push(listener, `retry: ${RETRY_MS}\n: listening\n\n${missed.map(([topic, id]) => textOf(topic, id)).join('')}`)
      return listener
    },
    stop: () => {
      isStopped = true
      for (const listener of [...listeners]) {
        leave(listener)
        listener.push(null)
      }
    },
  }
}
