import { useEffect, useSyncExternalStore } from 'react'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { EventTopic } from '../../contract/events.ts'
import { atMostEvery, LIVE_TOPICS, topicOf, pollMsOf, type LiveState } from '../lib/live-topics.ts'
import { useMoment } from './use-moment.ts'

/**
 * Live updates: one event stream per tab, which names the topics that changed and carries no data. A hidden page, a page at
 * a past moment and a paused page do not listen. Without a stream every query polls.
 */

export const EVENTS_CALL = '/api/fleet/v1/events'
/** After a refusal; the browser itself restores a broken connection. */
const RETRY_MS = 30_000

let isConnected = false
let isPaused = false
const listeners = new Set<() => void>()

function notifyListeners(): void {
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

/** Pauses live updates and polls. Actions of the reader still refresh what they change. */
export function setPaused(paused: boolean): void {
  isPaused = paused
  notifyListeners()
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

/** Call once, around all pages. @param isOffered the server sends events to this reader: not to one with a scope */
export function useLiveEvents(isOffered: boolean): void {
  const client = useQueryClient()
  const isVisible = useIsVisible()
  const isPresent = useMoment() === undefined
  const state = useLiveState()
  const isWanted = isOffered && isVisible && isPresent && state !== 'paused'
  useEffect(() => (isWanted ? listenForChanges(client) : undefined), [isWanted, client])
}

/** The page has listened before and may have missed events since. */
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
    notifyListeners()
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
      // Otherwise the browser reconnects with its last event id and receives what it missed.
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

/**
 * Refetches the active queries of these keys. A request that is under way finishes first, and is then repeated: its answer
 * may lack the change, and cancelling it (the library's default) would starve it where changes come faster than answers.
 */
function askAgain(client: QueryClient, keys: readonly string[]): void {
  const isMeant = ({ queryKey: [key] }: { readonly queryKey: readonly unknown[] }): boolean =>
    keys.includes(String(key))
  for (const query of client.getQueryCache().findAll({ predicate: isMeant, type: 'active', fetchStatus: 'fetching' })) {
    const { queryKey } = query
    const after = (): void => {
      void client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false })
    }
    query.promise?.then(after, after)
  }
  void client.invalidateQueries({ predicate: isMeant }, { cancelRefetch: false })
}

/** The `refetchInterval` of a query. */
type Poll = (query: { readonly state: { readonly status: 'pending' | 'error' | 'success' } }) => number | false

/**
 * The poll interval of a query: none at a past moment or while paused, longer while events arrive. A failed query polls at
 * `everyMs` in either case.
 * @param key the first part of the query's cache key
 */
export function usePollMs(key: string, everyMs: number): Poll {
  const state = useLiveState()
  const isPast = useMoment() !== undefined
  return ({ state: { status } }) => {
    if (isPast) return false
    return pollMsOf(key, everyMs, status === 'error' && state === 'live' ? 'polling' : liveState())
  }
}
