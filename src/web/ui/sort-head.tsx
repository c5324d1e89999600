import type { ReactNode } from 'react'

interface SortHeadProps<S extends string> {
  readonly title: string
  readonly sort: S
  readonly current: { readonly sort: S; readonly order: 'asc' | 'desc' }
  readonly onSort: (sort: S) => void
  readonly className?: string | undefined
}

/** The head of a column by which a table can be sorted; pressed again, it turns the order round. */
export function SortHead<S extends string>(props: SortHeadProps<S>): ReactNode {
  const { title, sort, current, onSort, className = '' } = props
  const isCurrent = current.sort === sort
  const direction = current.order === 'asc' ? 'ascending' : 'descending'
  return (
    <th scope="col" className={className} aria-sort={isCurrent ? direction : 'none'}>
      <button
        type="button"
        className="sort-button"
        onClick={() => {
          onSort(sort)
        }}
      >
        {title}
        <span aria-hidden="true" className="sort-arrow">
          {isCurrent ? (current.order === 'asc' ? '↑' : '↓') : ''}
        </span>
      </button>
    </th>
  )
}
