import type { ReactNode } from 'react'
import { toSeverity } from '../lib/severity.ts'
import type { Column } from './data-table.tsx'
import { SeverityMark } from './marks.tsx'

/** The first column of a table of alerts. On a phone it is the shape alone. */
export const SEVERITY_COLUMN: Column<{ readonly severity: string }> = {
  head: 'Severity',
  className: 'cell-severity',
  cell: ({ severity }) => <SeverityMark severity={severity} />,
}

/** The word of the severity, below the name of the alert where the column is its shape alone. */
export function SeverityBelow({ severity }: { readonly severity: string }): ReactNode {
  return (
    <span className={`below-severity tone-${toSeverity(severity)}`} aria-hidden="true">
      {severity}
    </span>
  )
}
