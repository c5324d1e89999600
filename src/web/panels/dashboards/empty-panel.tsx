import type { ReactNode } from 'react'
import { useEmptyPanelReasons, type EmptyPanel as Asked } from '../../query/use-empty-reasons.ts'
import styles from './dashboard-panel.module.css'

/** A panel is small: more reasons than these are those of its other queries, and stand on the page of PromQL. */
const REASONS_MAX = 2

/** Nothing, and why: what nobody sends, what is not of this time, or that a condition holds for nothing. */
export function EmptyPanel(asked: Asked): ReactNode {
  const { data, error } = useEmptyPanelReasons(asked)
  const isUnknown = error !== null || data?.length === 0
  return (
    <div className={`quiet text-small centered ${styles.empty}`}>
      <strong>No series in this time.</strong>{' '}
      {isUnknown ? 'Nothing matches: nobody sends this, or the condition does not hold.' : null}
      {(data ?? []).slice(0, REASONS_MAX).map(({ text }) => (
        <span key={text}>{text} </span>
      ))}
    </div>
  )
}
