import type { ReactNode } from 'react'
import styles from './failure-text.module.css'

/** A failure of several lines, such as an expression with a caret below its fault: each line stays whole. */
export function FailureText({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <pre className={`edge wash-critical scrolls text-small spaced ${styles.root}`} tabIndex={0} aria-label={label}>
      {text}
    </pre>
  )
}
