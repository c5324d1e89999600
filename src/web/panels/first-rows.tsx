import type { ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { withSearch, isWholeList, otherLength } from '../lib/address.ts'
import { formatCount } from '../lib/format-number.ts'

/** Hundreds of upgrades may be stuck: with the first rows of each list, every panel stays within reach. */
const ROWS_AT_FIRST = 12

interface FirstRowsProps<T> {
  /** In the address, when it is shown whole. */
  readonly list: string
  /** What its rows are, after a number. */
  readonly noun: string
  readonly items: readonly T[]
  /** Of all there are; a server may have cut `items`. */
  readonly count: number
  readonly atFirst?: number
  /** The sentence for an empty list. */
  readonly empty?: string
  /** The list of clusters that has all of them, where a server cut `items`. */
  readonly allPath?: string
  readonly children: (items: readonly T[]) => ReactNode
}

/** The first rows of a list and a link to all rows: a long list must not push the panels below out of sight. */
export function FirstRows<T>(props: FirstRowsProps<T>): ReactNode {
  const { list, noun, items, count, atFirst = ROWS_AT_FIRST, empty, allPath, children } = props
  const [path] = useLocation()
  const search = useSearch()
  const isWhole = isWholeList(search, list)
  const shown = isWhole ? items : items.slice(0, atFirst)
  if (items.length === 0 && empty !== undefined) return <p className="quiet empty">{empty}</p>
  const hasMore = items.length > atFirst
  return (
    <>
      {children(shown)}
      {hasMore || count > shown.length ? (
        <p className="quiet rest">
          {count > shown.length ? `The first ${formatCount(shown.length)} of ${formatCount(count)}. ` : null}
          {hasMore ? (
            <Link href={withSearch(path, otherLength(search, list))} replace>
              {isWhole
                ? `Only the first ${formatCount(atFirst)} ${noun}`
                : `${count > items.length ? 'The first' : 'All'} ${formatCount(items.length)} ${noun}`}
            </Link>
          ) : null}
          {allPath !== undefined && count > items.length ? (
            <>
              {hasMore ? ', ' : null}
              <Link href={allPath}>All {noun}, as clusters</Link>
            </>
          ) : null}
        </p>
      ) : null}
    </>
  )
}
