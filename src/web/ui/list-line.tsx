import type { ReactNode } from 'react'
import styles from './list-line.module.css'

interface ListLineProps {
  /** The number of rows; a screen reader is told when it changes. */
  readonly count: ReactNode
  readonly children?: ReactNode
}

/** The line above a list: how many rows, how old they are, what they are based on (at the end of the line). */
export function ListLine({ count, children }: ListLineProps): ReactNode {
  return (
    <div className={`row row-text text-small space-below ${styles.root}`}>
      <span className="nums" role="status">
        {count}
      </span>
      {children}
    </div>
  )
}
