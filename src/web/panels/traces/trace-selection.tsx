import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { tracePath } from '../../lib/paths.ts'
import { countOf } from '../../lib/format-number.ts'
import { Button } from '../../ui/button.tsx'

interface TraceSelectionProps {
  /** Ids, as they were chosen. */
  readonly compared: readonly string[]
  readonly onClear: () => void
}

/** What can be done with the chosen traces: the first one is shown, beside the second. */
export function TraceSelection({ compared, onClear }: TraceSelectionProps): ReactNode {
  const [here, there] = compared
  if (here === undefined) return null
  return (
    <div className="selection-bar" role="group" aria-label="Selected traces">
      <strong className="nums">{countOf(compared.length, 'trace')} selected</strong>
      {there === undefined ? (
        <span className="quiet">tick another one to compare it with</span>
      ) : (
        <Link href={tracePath(here, { than: there })}>Compare them</Link>
      )}
      <Button variant="link" size="sm" onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}
