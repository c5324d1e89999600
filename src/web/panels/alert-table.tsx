import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { Link } from 'wouter'
import type { AlertItem } from '../../contract/alerts.ts'
import type { AlertGroup, AlertView } from '../lib/alert-view.ts'
import { countOf, formatValue } from '../lib/format-number.ts'
import { alertPath } from '../lib/paths.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { ImpactMark, SeverityMark, StateMark } from '../ui/marks.tsx'
import { Since } from '../ui/time.tsx'

/** Rows that are drawn before somebody asks for more: a browser draws these at once, and ten thousand not. */
const ROWS_STEP = 200

interface AlertTableProps {
  readonly groups: readonly AlertGroup[]
  /** What tells an alert from others of its name, by fingerprint. */
  readonly ownLabels: ReadonlyMap<string, string>
  readonly view: AlertView
  readonly openFingerprint: string | undefined
  readonly onOpen: (fingerprint: string) => void
}

/** The alerts as rows. A row is a link; the whole row can be pressed. */
export function AlertTable({ groups, ownLabels, view, openFingerprint, onOpen }: AlertTableProps): ReactNode {
  const [rowsMax, setRowsMax] = useState(ROWS_STEP)
  const total = groups.reduce((sum, group) => sum + group.alerts.length, 0)
  return (
    <>
      <table aria-label="Alerts" className="data-table alert-table">
        <thead>
          <tr>
            <th scope="col" className="cell-severity">
              Severity
            </th>
            <th scope="col">Alert</th>
            <th scope="col" className="cell-beside">
              Cluster
            </th>
            <th scope="col" className="cell-beside">
              Operator
            </th>
            <th scope="col" className="cell-beside">
              State
            </th>
            <th scope="col" className="cell-number">
              Since
            </th>
            <th scope="col" className="cell-number cell-beside">
              Value
            </th>
          </tr>
        </thead>
        {withinRows(groups, rowsMax).map((group) => (
          <tbody key={group.key}>
            {group.key === '' && view.groupBy === 'none' ? null : (
              <tr className="group-row">
                <th colSpan={7} scope="rowgroup">
                  {group.key === '' ? 'no cluster' : group.key}{' '}
                  <span className="quiet nums">{countOf(group.size, 'alert')}</span>
                </th>
              </tr>
            )}
            {group.alerts.map((alert) => (
              <AlertRow
                key={alert.fingerprint}
                alert={alert}
                ownLabels={ownLabels.get(alert.fingerprint)}
                path={alertPath(alert.fingerprint, view)}
                isOpen={alert.fingerprint === openFingerprint}
                onOpen={onOpen}
              />
            ))}
          </tbody>
        ))}
      </table>
      {total > rowsMax ? (
        <Button
          variant="link"
          onClick={() => {
            setRowsMax(rowsMax + 5 * ROWS_STEP)
          }}
        >
          Show more: {countOf(total - rowsMax, 'alert')} left
        </Button>
      ) : null}
    </>
  )
}

interface AlertRowProps {
  readonly alert: AlertItem
  readonly ownLabels: string | undefined
  readonly path: string
  readonly isOpen: boolean
  readonly onOpen: (fingerprint: string) => void
}

function AlertRow({ alert, ownLabels, path, isOpen, onOpen }: AlertRowProps): ReactNode {
  const cluster = alert.cluster === '' ? 'no cluster' : alert.cluster
  return (
    <tr
      className={`alert-row row-${alert.state} ${isOpen ? 'is-open' : ''}`}
      onClick={(event) => {
        // The link does it by itself, and a modifier means another tab; selecting text is not opening.
        if (event.target instanceof Element && event.target.closest('a') !== null) return
        if (getSelection()?.isCollapsed === false) return
        onOpen(alert.fingerprint)
      }}
    >
      <td className="cell-severity">
        <SeverityMark severity={alert.severity} />
      </td>
      <td className="cell-name">
        <Link href={path} data-alert={alert.fingerprint} {...(isOpen ? { 'aria-current': 'true' } : {})}>
          <AlertName name={alert.alertname} />
        </Link>
        {ownLabels === undefined ? null : <span className="own-labels">{ownLabels}</span>}
        <span className="cell-below">
          <span className={`below-severity tone-${alert.severity}`} aria-hidden="true">
            {alert.severity}
          </span>
          {cluster}
          {alert.healthImpact === 'none' ? null : <ImpactMark impact={alert.healthImpact} />}
          {alert.state === 'firing' ? null : <StateMark state={alert.state} />}
        </span>
      </td>
      <td className="cell-beside">{cluster}</td>
      <td className="cell-beside">
        <ImpactMark impact={alert.healthImpact} />
      </td>
      <td className="cell-beside">
        <StateMark state={alert.state} />
      </td>
      <td className="cell-number">
        <Since atMs={alert.resolvedAtMs ?? alert.firedAtMs ?? alert.activeAtMs} />
      </td>
      <td className="cell-number cell-beside nums" title={String(alert.value)}>
        {formatValue(alert.value)}
      </td>
    </tr>
  )
}

interface DrawnGroup extends AlertGroup {
  /** Alerts of the group, drawn or not. */
  readonly size: number
}

function withinRows(groups: readonly AlertGroup[], rowsMax: number): DrawnGroup[] {
  const drawn: DrawnGroup[] = []
  let left = rowsMax
  for (const { key, alerts } of groups) {
    if (left <= 0) break
    drawn.push({ key, size: alerts.length, alerts: alerts.slice(0, left) })
    left -= alerts.length
  }
  return drawn
}
