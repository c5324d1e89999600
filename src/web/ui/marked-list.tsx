import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './marked-list.module.css'

interface MarkedListProps {
  readonly items: readonly { readonly key: string; readonly isCritical: boolean; readonly content: ReactNode }[]
}

/** Paragraphs with a line at their edge, which is red where something is wrong. */
export function MarkedList({ items }: MarkedListProps): ReactNode {
  return (
    <ol className="entries">
      {items.map(({ key, isCritical, content }) => (
        <li key={key} className={classNames('edge', styles.item, isCritical && styles.critical)}>
          {content}
        </li>
      ))}
    </ol>
  )
}
