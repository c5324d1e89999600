import type { CSSProperties, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './sort-head.module.css'

interface SortHeadProps<S extends string> {
  readonly sort: S
  readonly current: { readonly sort: S; readonly order: 'asc' | 'desc' }
  readonly onSort: (sort: S) => void
  readonly className?: string | undefined
  readonly title?: string | undefined
  readonly style?: CSSProperties | undefined
  readonly children: ReactNode
}

/** The head of a column by which a table can be sorted; pressed again, it turns the order round. */
export function SortHead<S extends string>(props: SortHeadProps<S>): ReactNode {
  const { sort, current, onSort, className, title, style, children } = props
  const isCurrent = current.sort === sort
  const direction = current.order === 'asc' ? 'ascending' : 'descending'
  return (
    <th scope="col" className={className} title={title} style={style} aria-sort={isCurrent ? direction : 'none'}>
      <button
        type="button"
        className={classNames('plain-button inline-row row-text', styles.button, isCurrent && styles.current)}
        onClick={() => {
          onSort(sort)
        }}
      >
        {children}
        <span aria-hidden="true" className={styles.arrow}>
          {isCurrent ? (current.order === 'asc' ? '↑' : '↓') : ''}
        </span>
      </button>
    </th>
  )
}
