import type { ReactNode } from 'react'

interface LegendProps {
  /** The texts of the chart say the same to a screen reader. */
  readonly isDecoration?: boolean
  readonly children: ReactNode
}

/** What the marks of a chart mean, in one line below it; left out on a phone, as the marks are. */
export function Legend({ isDecoration = false, children }: LegendProps): ReactNode {
  return (
    <p className="row quiet text-tiny space-above not-on-phone" {...(isDecoration ? { 'aria-hidden': true } : {})}>
      {children}
    </p>
  )
}
