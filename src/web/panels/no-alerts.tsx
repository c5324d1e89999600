import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { coverageSentence } from '../lib/now-summary.ts'
import { ROUTES } from '../lib/paths.ts'
import { useNow } from '../query/use-fleet.ts'
import { Notice } from '../ui/notice.tsx'
import { useNowMs } from '../ui/server-clock.ts'
import { Since } from '../ui/time.tsx'
import styles from './alert-detail.module.css'

/** The empty list with its coverage: without reporting clusters it means nothing. */
export function EmptyAlerts({
  asOfMs,
  isPartial,
}: {
  readonly asOfMs: number
  readonly isPartial: boolean
}): ReactNode {
  const now = useNow().data
  const nowMs = useNowMs()
  const isBlind = now?.clusters.reporting === 0
  const sentence =
    now === undefined ? (
      <>
        Last checked <Since atMs={asOfMs} suffix=" ago" />.
      </>
    ) : (
      coverageSentence(now, nowMs)
    )
  if (isPartial)
    return (
      <Notice kind="note" title="No alert from the rules that work">
        {sentence}
      </Notice>
    )
  if (isBlind) {
    return (
      <Notice kind="note" title="No alert, and no cluster that could raise one">
        No cluster is reporting. <Link href={ROUTES.now}>How to connect one</Link>
      </Notice>
    )
  }
  return (
    <Notice kind="good" title="Nothing fires, nothing waits.">
      {sentence}
    </Notice>
  )
}

/** The link is of an alert that no longer exists. */
export function MissingAlert({
  listPath,
  pastPath,
}: {
  readonly listPath: string
  /** The address of its occurrences. */
  readonly pastPath: string
}): ReactNode {
  return (
    <div className={styles.root}>
      <Notice kind="note" title="This alert is not in the list any more">
        It has resolved a while ago, or its rule has changed. <Link href={pastPath}>When it fired</Link>{' '}
        <Link href={listPath}>All alerts</Link>
      </Notice>
    </div>
  )
}
