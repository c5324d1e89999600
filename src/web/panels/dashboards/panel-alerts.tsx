import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { PanelAlert } from '../../../contract/dashboards.ts'
import { countOf } from '../../lib/format-number.ts'
import { alertsPath, rulePath, runbookPath } from '../../lib/paths.ts'
import { Popover } from '../../ui/popover.tsx'
import { Shape } from '../../ui/shapes.tsx'
import styles from './panel-alerts.module.css'

/** The alerts about what a panel shows, with their runbooks: first those that fire. */
export function PanelAlertList({ alerts }: { readonly alerts: readonly PanelAlert[] }): ReactNode {
  const order = [...alerts].sort((a, b) => b.firing - a.firing)
  return (
    <ul className={`text-small ${styles.root}`}>
      {order.map(({ name, hasRunbook, firing }) => (
        <li key={name}>
          <Link href={rulePath(name)}>{name}</Link>
          {firing > 0 ? (
            <Link className="nums" href={alertsPath({ text: name })}>
              {firing} firing
            </Link>
          ) : (
            <span className="quiet">not firing</span>
          )}
          {hasRunbook ? <Link href={runbookPath(name)}>Runbook</Link> : <span className="quiet">no runbook</span>}
        </li>
      ))}
    </ul>
  )
}

/** The same behind a button, for the head of a panel. */
export function PanelAlertButton({
  alerts,
  title,
}: {
  readonly alerts: readonly PanelAlert[]
  readonly title: string
}): ReactNode {
  const firing = alerts.reduce((sum, one) => sum + one.firing, 0)
  const says = firing > 0 ? `${firing} firing` : countOf(alerts.length, 'alert')
  return (
    <Popover
      side="right"
      className={styles.button}
      label={`Alerts related to ${title}`}
      button={
        <>
          {firing > 0 ? <Shape name="ring" /> : null}
          <span className="nums">
            {says}
            <span className="visually-hidden"> related to {title}</span>
          </span>
        </>
      }
    >
      {() => <PanelAlertList alerts={alerts} />}
    </Popover>
  )
}
