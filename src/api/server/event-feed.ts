/**
 * Sends change events to listening pages: small events without data (contract/events.ts), at most one per topic and
 * second. A listener that does not read is dropped, and reconnects with the id of its last event.
 */
import { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { EVENT_TOPICS, type ChangeEvent, type EventTopic } from '../../contract/events.ts'

export interface EventFeed {
  /** Publishes that data of these topics changed. */
  publish(topics: Iterable<EventTopic>): void
  /**
   * A stream of future events, preceded by those since the last received id. Throws FleetError `overloaded` at the
   * listener limit. A listener leaves by destroying the stream.
   */
  listen(lastEventId: string | undefined): Readable
  /** Ends all streams and refuses new listeners. */
  stop(): void
}

interface EventFeedParts {
  readonly clock: Clock
  readonly metrics: Pick<OwnMetrics, 'eventListeners' | 'eventsSent' | 'eventListenersLost'>
  /** The maximum of open streams. */
  readonly listenersMax: number
}

const TOPIC_EVERY_MS = 1000
/** Shorter than the idle timeouts of proxies. */
const HEARTBEAT_EVERY_MS = 15_000
/** After which a browser reconnects. */
const RETRY_MS = 3000
/** The unread bytes at which a listener is dropped: hundreds of events of about sixty bytes. */
const UNREAD_BYTES_MAX = 16 * 1024

export function createEventFeed({ clock, metrics, listenersMax }: EventFeedParts): EventFeed {
  // Distinguishes ids of earlier processes.
  const run = clock.nowMs().toString(36)
  const listeners = new Set<Readable>()
  const versions = new Map<EventTopic, number>()
  /** Topics sent within the last second: their next change waits until the second is over. */
  const throttled = new Set<EventTopic>()
  const waiting = new Set<EventTopic>()
  let version = 0
  let cancelHeartbeat: (() => void) | undefined
  let isStopped = false

  const remove = (listener: Readable): void => {
    if (!listeners.delete(listener)) return
    metrics.eventListeners.set(listeners.size)
    if (listeners.size > 0) return
    cancelHeartbeat?.()
    cancelHeartbeat = undefined
  }
  const push = (listener: Readable, text: string): void => {
    if (listener.push(text)) return
    remove(listener)
    metrics.eventListenersLost.inc({ reason: 'slow' })
    listener.destroy()
  }
  const pushAll = (text: string): void => {
    for (const listener of [...listeners]) push(listener, text)
  }
  const scheduleHeartbeat = (): void => {
    cancelHeartbeat = clock.after(HEARTBEAT_EVERY_MS, () => {
      scheduleHeartbeat()
      pushAll(': still here\n\n')
    })
  }
  const textOf = (topic: EventTopic, id: number): string => {
    const change: ChangeEvent = { topic, version: id }
    return `id: ${run}-${id}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`
  }
  const send = (topic: EventTopic): void => {
    versions.set(topic, ++version)
    throttled.add(topic)
    clock.after(TOPIC_EVERY_MS, () => {
      throttled.delete(topic)
      if (waiting.delete(topic)) send(topic)
    })
    metrics.eventsSent.inc({ topic }, listeners.size)
    pushAll(textOf(topic, version))
  }
  /** The topics that changed since an id; all changed topics when the id is of another process. */
  const missedSince = (lastEventId: string): readonly (readonly [EventTopic, number])[] => {
    const [ofRun, id] = lastEventId.split('-')
    const seen = ofRun === run && /^\d+$/.test(id ?? '') ? Number(id) : -1
    return EVENT_TOPICS.map((topic) => [topic, versions.get(topic) ?? 0] as const)
      .filter(([, current]) => current > seen)
      .sort(([, a], [, b]) => a - b)
  }

  return {
    publish: (topics) => {
      if (isStopped) return
      for (const topic of topics) {
        if (throttled.has(topic)) waiting.add(topic)
        else send(topic)
      }
    },
    listen: (lastEventId) => {
      if (isStopped || listeners.size >= listenersMax) {
        metrics.eventListenersLost.inc({ reason: 'refused' })
        throw new FleetError('overloaded', `events: got one listener more than web.listeners-max, ${listenersMax}`, {
          hint: 'a page without events polls every few seconds and shows the same data',
        })
      }
      const listener = new Readable({ read: () => undefined, highWaterMark: UNREAD_BYTES_MAX })
      listener.once('close', () => {
        remove(listener)
      })
      // A failed connection closes the stream, which removes the listener.
      listener.on('error', () => undefined)
      listeners.add(listener)
      metrics.eventListeners.set(listeners.size)
      if (listeners.size === 1) scheduleHeartbeat()
      const missed = lastEventId === undefined ? [] : missedSince(lastEventId)
      push(listener, `retry: ${RETRY_MS}\n: listening\n\n${missed.map(([topic, id]) => textOf(topic, id)).join('')}`)
      return listener
    },
    stop: () => {
      isStopped = true
      for (const listener of [...listeners]) {
        remove(listener)
        listener.push(null)
      }
    },
  }
}
