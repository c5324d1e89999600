import { useSyncExternalStore } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { Query } from '@tanstack/react-query'
import type { PastNote } from '../../contract/fleet-common.ts'
import { placeOf, ROUTES } from '../lib/paths.ts'

/**
 * What the answers on a page say they cannot tell of the moment it shows: the fields, of all of them, each once. Answers
 * that every page holds (the numbers beside the places, alerts beside clusters) count where they are what is read.
 */
export function useUnavailable(pathname: string): readonly string[] {
  const cache = useQueryClient().getQueryCache()
  // As one text: what is compared must be the same while nothing has changed.
  const text = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => [...new Set(cache.findAll({ type: 'active' }).flatMap((query) => unavailableIn(query, pathname)))].join(' '),
  )
  return text === '' ? [] : text.split(' ')
}

const READ_AT: Readonly<Record<string, string>> = { now: ROUTES.now, alerts: ROUTES.alerts }

function unavailableIn({ queryKey: [key], state: { data } }: Query, pathname: string): readonly string[] {
  const place = READ_AT[String(key)]
  if (place !== undefined && placeOf(pathname)?.path !== place) return []
  return pagesOf(data).flatMap((answer) => pastOf(answer)?.unavailable ?? [])
}

/** A list that is read a page at a time is several answers. */
function pagesOf(data: unknown): readonly unknown[] {
  const { pages } = (data ?? {}) as { readonly pages?: unknown }
  return Array.isArray(pages) ? pages : [data]
}

function pastOf(answer: unknown): PastNote | undefined {
  return ((answer ?? {}) as { readonly past?: PastNote }).past
}
