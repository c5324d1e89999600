import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { clusterPath, alertPath, alertsPath, deliveryPath } from '../lib/paths.ts'
import type { AlertDetail, AlertItem } from '../../contract/alerts.ts'
import { deliverySentence } from '../lib/alert-marks.ts'
import { countOf, formatCount, formatShare, formatValue, isUnreportedValue } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { toFailure } from '../query/fetch-json.ts'
import { useAlertDetail } from '../query/use-alert.ts'
import { Question } from '../ui/question.tsx'
import { Shape } from '../ui/shapes.tsx'
import { Since } from '../ui/time.tsx'
import { useAlerts } from '../query/use-fleet.ts'
import { ClusterLink } from './cluster-link.tsx'
import styles from './alert-detail.module.css'
import ownStyles from './alert-situation.module.css'
import { DecisionItems, DeliveryLine } from './delivery-line.tsx'

/**
 * The situation of an alert in four lines: value against threshold, changes before the alert, other clusters with the alert,
 * and delivery. Each line unfolds to its evidence.
 */
export function AlertSituation({ alert }: { readonly alert: AlertItem }): ReactNode {
  const query = useAlertDetail(alert.fingerprint)
  const { data, error } = query
  return (
    <section className={styles.situation} aria-label="Situation">
      <Question asks="Value">
        {data?.comparison === undefined ? (
          <p>
            <strong className="nums" title={String(alert.value)}>
              {formatValue(alert.value)}
            </strong>{' '}
            {data === undefined ? null : <span className="quiet">The rule has no threshold.</span>}
          </p>
        ) : (
          <Compared comparison={data.comparison} />
        )}
      </Question>
      {data === undefined ? (
        <p className={error === null ? 'quiet situation-wait' : 'quiet'}>
          {error === null
            ? 'Loading preceding changes and other clusters…'
            : `Could not load preceding changes and other clusters: ${toFailure(error).message}`}
        </p>
      ) : (
        <>
          <Question asks="Preceding changes">
            <Changes detail={data} />
          </Question>
          <Question asks="Other clusters with this alert">
            <Elsewhere detail={data} />
          </Question>
        </>
      )}
      <Question asks="Notifications">
        <Delivery alert={alert} detail={data} />
      </Question>
    </section>
  )
}

function Compared({ comparison }: { readonly comparison: NonNullable<AlertDetail['comparison']> }): ReactNode {
  return (
    <p>
      <span className="nums" title={`${comparison.expr} ${comparison.operator} ${String(comparison.threshold)}`}>
        {comparison.text.charAt(0).toUpperCase() + comparison.text.slice(1)}
        {comparison.text.endsWith('.') ? '' : '.'}
      </span>
    </p>
  )
}

const CHANGES_FIRST = 3

export function Changes({ detail }: { readonly detail: AlertDetail }): ReactNode {
  const { changes, unknown, alert, changesFromMs, changesToMs } = detail
  const first = changes.slice(0, CHANGES_FIRST)
  const rest = changes.slice(CHANGES_FIRST)
  const span = formatAge(changesToMs - changesFromMs)
  const list = (some: AlertDetail['changes']): ReactNode => (
    <ul className="plain-list">
      {some.map((change, i) => (
        <li key={i} className={ownStyles.change}>
          <span className="quiet nums" title={`exact to ${formatAge(change.resolutionMs)}`}>
            {formatAge(alert.activeAtMs - change.atMs)} before
          </span>{' '}
          {change.fingerprint === undefined ? (
            <span {...(change.series === undefined ? {} : { title: change.series })}>{change.text}</span>
          ) : (
            <Link href={alertPath(change.fingerprint)}>{change.text}</Link>
          )}
        </li>
      ))}
    </ul>
  )
  return (
    <>
      {changes.length === 0 ? (
        <p>
          {unknown.length === 0
            ? `No changes in the preceding ${span}.`
            : `No changes found in the preceding ${span}, but not all sources were available.`}
        </p>
      ) : (
        list(first)
      )}
      {rest.length > 0 ? (
        <details>
          <summary>{formatCount(rest.length)} more</summary>
          {list(rest)}
        </details>
      ) : null}
      {unknown.length > 0 ? (
        <details className="quiet">
          <summary>Unavailable sources</summary>
          <ul className="plain-list">
            {unknown.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  )
}

const TRAITS_FIRST = 2
const OTHERS_FIRST = 12

function Elsewhere({ detail }: { readonly detail: AlertDetail }): ReactNode {
  const { alerts, clusters, clustersOf, shared } = detail.elsewhere
  const { alertname } = detail.alert
  if (clusters <= 1) return <p>None of {countOf(clustersOf, 'cluster')} other than this one.</p>
  return (
    <>
      <p>
        {formatCount(clusters)} of {countOf(clustersOf, 'cluster')} have this alert.{' '}
        <Link href={alertsPath({ alertname })}>Show them</Link>
      </p>
      {shared.length === 0 ? (
        <p className="quiet">No property distinguishes these clusters from the others.</p>
      ) : (
        <ul className="plain-list">
          {shared.slice(0, TRAITS_FIRST).map((trait) => (
            <Trait key={`${trait.label} ${trait.value}`} trait={trait} />
          ))}
        </ul>
      )}
      <details>
        <summary>
          {shared.length > TRAITS_FIRST
            ? `${formatCount(shared.length - TRAITS_FIRST)} more shared properties, and `
            : ''}
          which clusters
        </summary>
        <ul className="plain-list">
          {shared.slice(TRAITS_FIRST).map((trait) => (
            <Trait key={`${trait.label} ${trait.value}`} trait={trait} />
          ))}
          {alerts.slice(0, OTHERS_FIRST).map(({ fingerprint, cluster, activeAtMs, state, value }) => (
            <li key={fingerprint}>
              <ClusterLink cluster={cluster} />{' '}
              <span className="quiet">
                <Link href={alertPath(fingerprint)}>{state}</Link>, <Since atMs={activeAtMs} />, value{' '}
                {formatValue(value)}
              </span>
            </li>
          ))}
          {alerts.length > OTHERS_FIRST ? (
            <li>
              <Link href={alertsPath({ alertname })}>All of them</Link>
            </li>
          ) : null}
        </ul>
      </details>
    </>
  )
}

export function Trait({ trait }: { readonly trait: AlertDetail['elsewhere']['shared'][number] }): ReactNode {
  const { label, value, having, havingOf, restHaving, restOf } = trait
  return (
    <li>
      <strong>
        {label} {value}
      </strong>
      : {formatCount(having)} of {formatCount(havingOf)} with the alert,{' '}
      <span className="quiet">
        {restOf === 0 ? 'no other cluster reports the same' : `${formatShare(restHaving, restOf)} of the others`}
      </span>
    </li>
  )
}

function Delivery({
  alert,
  detail,
}: {
  readonly alert: AlertItem
  readonly detail: AlertDetail | undefined
}): ReactNode {
  const decisions = alert.marks?.decisions ?? []
  const deliveries = detail?.deliveries ?? []
  const { isGood, sentence } = deliverySentence(alert, deliveries)
  return (
    <>
      <p>
        {isGood ? (
          sentence
        ) : (
          <strong className="tone-warning">
            <Shape name="diamond" /> {sentence}
          </strong>
        )}{' '}
        <Link href={deliveryPath({ fingerprint: alert.fingerprint })}>Delivery</Link>
      </p>
      {decisions.length + deliveries.length > 0 ? (
        <details>
          <summary>
            {deliveries.length > 0 ? countOf(deliveries.length, 'attempt') : countOf(decisions.length, 'decision')}
          </summary>
          <ul className="plain-list">
            <DecisionItems decisions={decisions} />
            {deliveries.map((delivery) => (
              <li key={delivery.id}>
                <DeliveryLine delivery={delivery} />
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  )
}

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
        {isUnreportedValue(alert.value) ? (
          <p className="quiet">Not available: only the current value is stored.</p>
        ) : (
          <p>
            <strong className="nums">{formatValue(alert.value)}</strong> <span className="quiet">at that time</span>
          </p>
        )}
      </Question>
      <Question asks="Preceding changes">
        <p>
          {cluster === '' ? (
            'No cluster label: changes are not available.'
          ) : (
            <Link href={clusterPath(cluster)}>Changes on {cluster}</Link>
          )}
        </p>
      </Question>
      <Question asks="Other clusters with this alert">
        {list.data === undefined ? null : others.size === 0 ? (
          <p>No other cluster had this alert.</p>
        ) : (
          <p>
            {countOf(others.size, 'other cluster')} had this alert.{' '}
            <Link href={alertsPath({ alertname })}>Show them</Link>
          </p>
        )}
      </Question>
      <Question asks="Notifications">
        <p>
          <Link href={deliveryPath({ fingerprint: alert.fingerprint })}>All notifications for this alert</Link>
        </p>
      </Question>
    </section>
  )
}
