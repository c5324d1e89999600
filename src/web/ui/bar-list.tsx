import type { ReactNode } from 'react'
import { formatCount, formatShare } from '../lib/format-number.ts'

export interface Bar {
  readonly key: string
  readonly count: number
}

/** Shares of a whole as a list: the name, a bar, the count and the percent. The bar is decoration; the numbers say it. */
export function BarList({ bars, total }: { readonly bars: readonly Bar[]; readonly total: number }): ReactNode {
  return (
    <ul className="bar-list">
      {bars.map(({ key, count }) => (
        <li key={key}>
          <span className="bar-list-name nums">{key}</span>
          <span className="bar-list-track" aria-hidden="true">
            <span style={{ inlineSize: `${total > 0 ? (100 * count) / total : 0}%` }} />
          </span>
          <span className="nums bar-list-count">{formatCount(count)}</span>
          <span className="quiet nums bar-list-share">{formatShare(count, total)}</span>
        </li>
      ))}
    </ul>
  )
}
