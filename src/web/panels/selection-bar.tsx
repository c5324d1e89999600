import type { ReactNode } from 'react'
import type { AlertAction } from '../lib/alert-view.ts'
import { countOf } from '../lib/format-number.ts'
import { Button } from '../ui/button.tsx'

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
    <div className="selection-bar" role="group" aria-label="Selected alerts">
      <strong className="nums">{countOf(count, 'alert')} selected</strong>
      {isPast ? (
        <span className="quiet">Only in the present can they be silenced or acknowledged.</span>
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
            variant="secondary"
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
