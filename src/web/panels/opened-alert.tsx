import type { ComponentProps, ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { AlertItem, AlertItems } from '../../contract/alerts.ts'
import { ALERT_VIEW } from '../lib/alert-view.ts'
import { alertsPath, resolvedPath } from '../lib/paths.ts'
import { toFailure } from '../query/fetch-json.ts'
import { useAlertDetail } from '../query/use-alert.ts'
import { useMoment } from '../query/use-moment.ts'
import { Notice } from '../ui/notice.tsx'
import { AlertDetail } from './alert-detail.tsx'
import styles from './alert-detail.module.css'
import { Answer } from './answer.tsx'

/** The alert of the address. Loaded independently of the list: the link of a page must work when the list fails. */
export interface Opened {
  readonly alert: AlertItem | undefined
  /** The loaded answers do not have the alert. */
  readonly isMissing: boolean
  /** The query to wait for, while the alert is neither loaded nor missing. */
  readonly query: UseQueryResult
}

/** The alert from the list, or from its own query when the list failed or lacks it. */
export function useOpenedAlert(fingerprint: string | undefined, list: UseQueryResult<AlertItems>): Opened {
  // The query of one alert is of the present only.
  const isPast = useMoment() !== undefined
  const own = useAlertDetail(fingerprint)
  const listed = list.data?.alerts.find((alert) => alert.fingerprint === fingerprint)
  const alone = isPast || own.error !== null ? undefined : own.data?.alert
  const isListRead = list.data !== undefined && list.error === null
  if (isPast) return { alert: listed, isMissing: isListRead, query: list }
  return {
    alert: list.error === null ? (listed ?? alone) : (alone ?? listed),
    isMissing: own.error !== null && (isListRead || toFailure(own.error).status === 404),
    query: own,
  }
}

interface OpenedAlertProps extends Omit<ComponentProps<typeof AlertDetail>, 'alert'> {
  readonly fingerprint: string
  readonly opened: Opened
}

export function OpenedAlert({ fingerprint, opened, ...callbacks }: OpenedAlertProps): ReactNode {
  const { alert, isMissing, query } = opened
  if (alert !== undefined) return <AlertDetail alert={alert} {...callbacks} />
  if (isMissing) return <MissingAlert fingerprint={fingerprint} />
  return (
    <div className={styles.root}>
      <Answer query={query} what="the alert" skeletonLines={8}>
        {() => null}
      </Answer>
    </div>
  )
}

/** The link is of an alert that no longer exists. */
function MissingAlert({ fingerprint }: { readonly fingerprint: string }): ReactNode {
  return (
    <div className={styles.root}>
      <Notice kind="note" title="This alert is not active any more">
        The alert has resolved, or its rule has changed.{' '}
        <Link href={resolvedPath({ fingerprint })}>Previous occurrences</Link>{' '}
        <Link href={alertsPath(ALERT_VIEW.initial)}>All alerts</Link>
      </Notice>
    </div>
  )
}
