import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './notice.module.css'
import { Shape, type ShapeName } from './shapes.tsx'

export type NoticeKind = 'error' | 'partial' | 'good' | 'note'

const SHAPES: Readonly<Record<NoticeKind, ShapeName>> = {
  error: 'cross',
  partial: 'diamond',
  good: 'check',
  note: 'disc',
}

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
    <div className={classNames(styles.root, styles[`kind-${kind}`])} {...(kind === 'error' ? { role: 'alert' } : {})}>
      <Shape name={SHAPES[kind]} />
      <div className={styles.text}>
        <strong>{title}</strong>
        {children === undefined ? null : <div>{children}</div>}
      </div>
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
