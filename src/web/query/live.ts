import { useEffect, useSyncExternalStore } from 'react'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { EventTopic } from '../../contract/events.ts'
import { atMostEvery } from '../lib/at-most-every.ts'
import { LIVE_TOPICS, topicOf, type LiveState } from '../lib/live-topics.ts'
import { askAgain } from './ask-again.ts'
import { useMoment } from './use-moment.ts'

/**
 * What changes, as it changes: one stream of events a tab, which says what to ask again and holds no data. A page that is
 * not seen, that shows the past or that the reader paused does not listen. Without a stream everything polls.
 */

export const EVENTS_CALL = '/api/fleet/v1/events'
/** After a refusal; a connection that broke is made again by the browser itself. */
const RETRY_MS = 30_000

let isConnected = false
let isPaused = false
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function liveState(): LiveState {
  return isPaused ? 'paused' : isConnected ? 'live' : 'polling'
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribe, liveState)
}

/** The page stands still until it is let go on; what the reader does is still seen at once. */
export function setPaused(paused: boolean): void {
  isPaused = paused
  tell()
}

function useIsVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener)
      return () => {
        document.removeEventListener('visibilitychange', listener)
      }
    },
    () => document.visibilityState === 'visible',
  )
}

/** Call once, around all pages. */
export function useLiveEvents(): void {
  const client = useQueryClient()
  const isVisible = useIsVisible()
  const isPresent = useMoment() === undefined
  const state = useLiveState()
  const isWanted = isVisible && isPresent && state !== 'paused'
  useEffect(() => (isWanted ? listenForChanges(client) : undefined), [isWanted, client])
}

/** Some time ago the page listened, and nobody told it what happened since. */
let hasMissed = false

function listenForChanges(client: QueryClient): () => void {
  const asking = Object.entries(LIVE_TOPICS).map(([topic, { keys, everyMs }]) => {
    const ask = (): void => {
      askAgain(client, keys)
    }
    return [topic as EventTopic, atMostEvery(everyMs, ask, after)] as const
  })
  const byTopic = new Map(asking)
  const connected = (is: boolean): void => {
    if (isConnected === is) return
    isConnected = is
    tell()
  }
  let cancelRetry: (() => void) | undefined
  let source: EventSource | undefined
  const connect = (): void => {
    const opened = new EventSource(EVENTS_CALL)
    source = opened
    opened.addEventListener('open', () => {
      connected(true)
      if (hasMissed) for (const ask of byTopic.values()) ask.ask()
      hasMissed = false
    })
    opened.addEventListener('change', ({ data }: MessageEvent<string>) => {
      const topic = topicOf(data)
      if (topic !== undefined) byTopic.get(topic)?.ask()
    })
    opened.addEventListener('error', () => {
      connected(false)
      // Otherwise it comes back by itself, with the id it had last, and is told what it missed.
      if (opened.readyState !== EventSource.CLOSED) return
      hasMissed = true
      cancelRetry = after(RETRY_MS, connect)
    })
  }
  connect()
  return () => {
    source?.close()
    cancelRetry?.()
    for (const ask of byTopic.values()) ask.cancel()
    hasMissed = true
    connected(false)
  }
}

function after(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs)
  return () => {
    clearTimeout(timer)
  }
}
