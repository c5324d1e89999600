import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { AlertItem } from '../../contract/alerts.ts'
import { clusterPath, alertsPath, deliveryPath } from '../lib/paths.ts'
import { countOf, formatValue, isUntoldValue } from '../lib/format-number.ts'
import { useAlerts } from '../query/use-fleet.ts'
import { Question } from '../ui/question.tsx'
import styles from './alert-detail.module.css'

/** The situation at a past moment, as far as the list of alerts of that moment has it, with links to the rest. */
export function PastSituation({ alert }: { readonly alert: AlertItem }): ReactNode {
  const { alertname, cluster } = alert
  const list = useAlerts()
  const others = new Set(
    list.data?.alerts
      .filter((other) => other.alertname === alertname && other.cluster !== cluster && other.state !== 'resolved')
      .map((other) => other.cluster),
  )
  return (
    <section className={styles.situation} aria-label="Situation">
      <Question asks="Value">
        {isUntoldValue(alert.value) ? (
          <p className="quiet">Not known: it is kept of the present only.</p>
        ) : (
          <p>
            <strong className="nums">{formatValue(alert.value)}</strong> <span className="quiet">then.</span>
          </p>
        )}
      </Question>
      <Question asks="Before it">
        <p>
          {cluster === '' ? (
            'It is of no cluster, and nothing tells what changed.'
          ) : (
            <Link href={clusterPath(cluster)}>What changed on {cluster}</Link>
          )}
        </p>
      </Question>
      <Question asks="Only here?">
        {list.data === undefined ? null : others.size === 0 ? (
          <p>Yes: no other cluster had it.</p>
        ) : (
          <p>
            No: {countOf(others.size, 'other cluster')} had it. <Link href={alertsPath({ alertname })}>Show them</Link>
          </p>
        )}
      </Question>
      <Question asks="Was anybody told?">
        <p>
          <Link href={deliveryPath({ fingerprint: alert.fingerprint })}>All that was sent about it</Link>, each with its
          time.
        </p>
      </Question>
    </section>
  )
}
