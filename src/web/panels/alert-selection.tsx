import { useCallback, useMemo, useState, type ReactNode } from 'react'
import type { AlertItem } from '../../contract/alerts.ts'
import type { AlertAction } from '../lib/alert-view.ts'
import { countOf } from '../lib/format-number.ts'
import { Button } from '../ui/button.tsx'

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

interface SelectionBarProps {
  readonly count: number
  /** A past alert can be neither acknowledged nor silenced. */
  readonly isPast: boolean
  readonly onAction: (action: AlertAction) => void
  readonly onClear: () => void
}

/** Actions for the selected alerts, at the lower edge of the list. */
export function SelectionBar({ count, isPast, onAction, onClear }: SelectionBarProps): ReactNode {
  if (count === 0) return null
  return (
    <div className="row raised selection-bar" role="group" aria-label="Selected alerts">
      <strong className="nums">{countOf(count, 'alert')} selected</strong>
      {isPast ? (
        <span className="quiet">Actions apply to current alerts only: go back to now first.</span>
      ) : (
        <>
          <Button
            variant="primary"
            size="sm"
            onClick={() => {
              onAction('silence')
            }}
          >
            Silence…
          </Button>
          <Button
            size="sm"
            onClick={() => {
              onAction('acknowledge')
            }}
          >
            Acknowledge…
          </Button>
        </>
      )}
      <Button variant="link" size="sm" onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}
