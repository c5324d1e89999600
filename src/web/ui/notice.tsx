import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './notice.module.css'
import { Shape } from './shapes.tsx'

export type NoticeKind = 'error' | 'partial' | 'good' | 'note'

const SIGNS: Readonly<Record<NoticeKind, ReactNode>> = {
  error: <Shape name="cross" className="tone-critical" />,
  partial: <Shape name="diamond" className="tone-warning" />,
  good: <Shape name="check" className="tone-good" />,
  note: <Shape name="disc" className="quiet" />,
}

const WASHES = { error: 'wash-critical', partial: 'wash-warning', good: 'wash-good', note: 'wash-none' } as const

interface NoticeProps {
  readonly kind: NoticeKind
  readonly title: string
  readonly children?: ReactNode
  /** Buttons or links, at the end. */
  readonly actions?: ReactNode
}

/** Something the reader must know about the part of the page it stands in. Errors are announced, the rest is not. */
export function Notice({ kind, title, children, actions }: NoticeProps): ReactNode {
  return (
    <div
      className={classNames('row box', styles.root, 'edge', WASHES[kind])}
      {...(kind === 'error' ? { role: 'alert' } : {})}
    >
      {SIGNS[kind]}
      <div className={classNames('fills', styles.text)}>
        <strong>{title}</strong>
        {children === undefined ? null : <div>{children}</div>}
      </div>
      {actions === undefined ? null : <div className={classNames('row screen-only', styles.actions)}>{actions}</div>}
    </div>
  )
}
