import { useCallback, useMemo, useState } from 'react'
import type { AlertItem } from '../../contract/alerts.ts'

/** The alerts that are selected in the list, by fingerprint. */
export interface Selection {
  readonly chosen: ReadonlySet<string>
  /** The same function for the life of the page. */
  readonly set: (fingerprints: readonly string[], isChosen: boolean) => void
  readonly clear: () => void
}

/** The selection in a list. An alert that is no longer reported is no longer selected. */
export function useAlertSelection(alerts: readonly AlertItem[]): Selection {
  const [requested, setRequested] = useState<ReadonlySet<string>>(new Set())
  const chosen = useMemo(
    () =>
      requested.size === 0
        ? requested
        : new Set(alerts.map(({ fingerprint }) => fingerprint).filter((fingerprint) => requested.has(fingerprint))),
    [requested, alerts],
  )
  const set = useCallback((fingerprints: readonly string[], isChosen: boolean) => {
    setRequested((before) => {
      const next = new Set(before)
      for (const fingerprint of fingerprints) {
        if (isChosen) next.add(fingerprint)
        else next.delete(fingerprint)
      }
      return next
    })
  }, [])
  return {
    chosen,
    set,
    clear: () => {
      setRequested(new Set())
    },
  }
}
