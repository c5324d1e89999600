import { useSyncExternalStore } from 'react'
import { useQueryClient, type Query } from '@tanstack/react-query'
import type { PastNote } from '../../contract/common.ts'
import { placeOf, ROUTES } from '../lib/paths.ts'

/**
 * The fields that the answers of a page lack for the selected moment, without duplicates. Answers that every page loads
 * (counts of the navigation, alerts beside clusters) count only on their own page.
 */
export function useUnavailable(pathname: string): readonly string[] {
  const cache = useQueryClient().getQueryCache()
  // One string: useSyncExternalStore compares by identity.
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

/** A paged list is several answers. */
function pagesOf(data: unknown): readonly unknown[] {
  const { pages } = (data ?? {}) as { readonly pages?: unknown }
  return Array.isArray(pages) ? pages : [data]
}

function pastOf(answer: unknown): PastNote | undefined {
  return ((answer ?? {}) as { readonly past?: PastNote }).past
}
