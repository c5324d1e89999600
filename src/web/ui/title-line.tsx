import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './title-line.module.css'

interface TitleLineProps {
  readonly title: ReactNode
  /** Beside the title: states, counts. */
  readonly children?: ReactNode
  /** At the end of the line. */
  readonly tools?: ReactNode
}

/** The heading of the page of one thing, with its state and its tools. */
export function TitleLine({ title, children, tools }: TitleLineProps): ReactNode {
  return (
    <div className={classNames('row', 'row-text', styles.root)}>
      <h1>{title}</h1>
      {children}
      {tools === undefined ? null : <span className={styles.tools}>{tools}</span>}
    </div>
  )
}
