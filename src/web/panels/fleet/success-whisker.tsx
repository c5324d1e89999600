import type { ReactNode } from 'react'
import type { EdgeItem } from '../../../contract/fleet-edges.ts'
import { successText } from '../../lib/edge-words.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { placeOnLane } from '../../ui/lane.tsx'
import styles from './success-whisker.module.css'

/** The share that succeeded as a point in its interval, on a line from none to all. */
export function SuccessWhisker({ edge }: { readonly edge: Pick<EdgeItem, 'success' | 'outcomes'> }): ReactNode {
  const { success, outcomes } = edge
  if (success === null) {
    return <span className="quiet nums">none ended, {formatCount(outcomes.inProgress)} running</span>
  }
  const { share, low, high, of } = success
  return (
    <span className={styles.root} title={successText(edge)}>
      <span className={styles.line} aria-hidden="true">
        <span className={styles.range} style={placeOnLane({ start: low, end: high })} />
        <span className={styles.point} style={{ insetInlineStart: `${100 * share}%` }} />
      </span>
      <span className="nums">
        {formatShare(Math.round(share * of), of)} of {formatCount(of)}
        <span className="quiet"> ≥ {Math.floor(100 * low)} %</span>
      </span>
    </span>
  )
}
