import type { ReactNode } from 'react'
import styles from './skeleton.module.css'

/**
 * Stands for what is being loaded, in its rough size. Invisible for the first 150 ms: a fast answer must not flash. After
 * five seconds it says that it still waits. Paper waits for nothing, so there it says what is missing.
 */
export function Skeleton({ lines, label }: { readonly lines: number; readonly label: string }): ReactNode {
  return (
    <div className={styles.root} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} className="screen-only" />
      ))}
      <p className={`quiet screen-only ${styles.late}`}>No response yet. Still waiting.</p>
      <p className="paper-only">Not loaded when the page was printed.</p>
    </div>
  )
}
