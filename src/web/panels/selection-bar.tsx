import type { ReactNode } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { countOf } from '../lib/format-number.ts'

interface SelectionBarProps {
  readonly count: number
  /** What is over can be neither acknowledged nor silenced. */
  readonly isPast: boolean
  readonly onAcknowledge: () => void
  readonly onSilence: () => void
  readonly onClear: () => void
}

/** What can be done to the chosen alerts, where the thumb and the eye are: at the lower edge. */
export function SelectionBar({ count, isPast, onAcknowledge, onSilence, onClear }: SelectionBarProps): ReactNode {
  if (count === 0) return null
  return (
    <div className="selection-bar" role="group" aria-label="Selected alerts">
      <strong className="nums">{countOf(count, 'alert')} selected</strong>
      {isPast ? (
        <span className="quiet">Only in the present can they be silenced or acknowledged.</span>
      ) : (
        <>
          <Button variant="primary" size="sm" onClick={onSilence}>
            Silence…
          </Button>
          <Button variant="secondary" size="sm" onClick={onAcknowledge}>
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
