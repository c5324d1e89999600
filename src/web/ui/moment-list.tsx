import type { ReactNode } from 'react'
import { Moment } from './time.tsx'

interface MomentListProps {
  readonly label: string
  readonly items: readonly { readonly key: string; readonly atMs?: number | undefined; readonly content: ReactNode }[]
}

/** What was seen, each with its moment; without one as of the last report. */
export function MomentList({ label, items }: MomentListProps): ReactNode {
  return (
    <ul className="entries pairs text-small" aria-label={label}>
      {items.map(({ key, atMs, content }) => (
        <li key={key}>
          <span className="quiet">{atMs === undefined ? 'last report' : <Moment atMs={atMs} />}</span>
          <span>{content}</span>
        </li>
      ))}
    </ul>
  )
}
