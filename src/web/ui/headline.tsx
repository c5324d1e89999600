import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './headline.module.css'
import { Shape } from './shapes.tsx'

const SHAPES = { good: 'check', unsure: 'dash', stuck: 'triangle' } as const
export type HeadlineKind = keyof typeof SHAPES

interface HeadlineProps {
  /** Absent: nothing is good or bad. */
  readonly kind?: HeadlineKind
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** The answer of a page in one line: what is strong in it first, and what that is based on. */
export function Headline({ kind, className, children }: HeadlineProps): ReactNode {
  const tone = kind === 'good' ? styles.good : kind === 'stuck' && styles.stuck
  return (
    <p className={classNames(styles.root, tone, className)}>
      {kind === undefined ? null : <Shape name={SHAPES[kind]} />}
      <span>{children}</span>
    </p>
  )
}
