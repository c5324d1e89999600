import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './headline.module.css'
import { Shape } from './shapes.tsx'

const SIGNS = {
  good: <Shape name="check" className="tone-good" />,
  unsure: <Shape name="dash" />,
  stuck: <Shape name="triangle" className="tone-critical" />,
} as const
export type HeadlineKind = keyof typeof SIGNS

interface HeadlineProps {
  /** Absent: nothing is good or bad. */
  readonly kind?: HeadlineKind
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** The answer of a page in one line: what is strong in it first, and what that is based on. */
export function Headline({ kind, className, children }: HeadlineProps): ReactNode {
  return (
    <p className={classNames('row row-text quiet', styles.root, className)}>
      {kind === undefined ? null : SIGNS[kind]}
      <span className="fills">{children}</span>
    </p>
  )
}
