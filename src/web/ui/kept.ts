import { useSyncExternalStore } from 'react'

/**
 * A choice that is kept on the reader's machine, for one part of the UI: columns, saved views. What the whole UI asks for
 * stands in preferences.ts.
 */
export interface Kept<T> {
  readonly use: () => T
  readonly set: (value: T) => void
}

/** @param read what was kept, which may be anything, as a value that may be used */
export function keptAs<T>(key: string, read: (kept: unknown) => T): Kept<T> {
  const listeners = new Set<() => void>()
  let current: { readonly value: T } | undefined
  const load = (): T => {
    try {
      return read(JSON.parse(localStorage.getItem(key) ?? 'null'))
    } catch {
      return read(null) // storage is forbidden, or holds something else
    }
  }
  const valueNow = (): T => (current ??= { value: load() }).value
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  return {
    use: () => useSyncExternalStore(subscribe, valueNow),
    set: (value) => {
      current = { value }
      try {
        localStorage.setItem(key, JSON.stringify(value))
      } catch {
        // Not kept, and that is all: the choice holds until the page is closed.
      }
      for (const listener of listeners) listener()
    },
  }
}
