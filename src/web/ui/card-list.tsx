import type { ReactNode } from 'react'
import styles from './card-list.module.css'
import { classNames } from './class-names.ts'

interface CardListProps {
  /** Side by side where there is room. */
  readonly isGrid?: boolean
  /** Each a `Card`. */
  readonly children: ReactNode
}

/** A list whose items have more to say than fits in a row of a table. */
export function CardList({ isGrid = false, children }: CardListProps): ReactNode {
  return <ul className={classNames('entries', styles.root, isGrid && styles.grid)}>{children}</ul>
}

interface CardProps {
  /** The address links to this card: it is marked, and scrolled into view. */
  readonly isCurrent?: boolean
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Card({ isCurrent = false, actions, children }: CardProps): ReactNode {
  return (
    <li
      className={classNames('box', styles.card)}
      ref={(card) => {
        if (isCurrent) card?.scrollIntoView({ block: 'nearest' })
      }}
      aria-current={isCurrent ? 'true' : undefined}
    >
      {children}
      {actions === undefined ? null : <p className={classNames(styles.actions, 'row')}>{actions}</p>}
    </li>
  )
}
