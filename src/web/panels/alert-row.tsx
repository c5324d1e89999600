import { memo, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { AlertItem } from '../../contract/alerts.ts'
import { isHeldBack, marksOf } from '../lib/alert-marks.ts'
import { formatAlertValue } from '../lib/format-number.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { HistoryStrip } from '../ui/history-strip.tsx'
import { AlertMarkList, ImpactMark, SeverityMark, StateMark } from '../ui/marks.tsx'
import { SelectBox } from '../ui/select-column.tsx'
import { SeverityBelow } from '../ui/severity-column.tsx'
import { Since } from '../ui/time.tsx'
import type { Selection } from './alert-selection.tsx'

interface AlertRowProps {
  readonly alert: AlertItem
  readonly ownLabels: string | undefined
  /** The label of the group above, whose value the row does not repeat. */
  readonly below: string
  readonly path: string
  readonly isOpen: boolean
  readonly onOpen: (fingerprint: string) => void
  readonly isChosen: boolean
  readonly onChoose: Selection['set']
  readonly strip: readonly number[] | undefined
}

/** Memoized: a key press or a poll must not render hundreds of rows again. */
export const AlertRow = memo(function AlertRow(props: AlertRowProps): ReactNode {
  const { alert, ownLabels, below, path, isOpen, onOpen, isChosen, onChoose, strip } = props
  const { fingerprint, alertname } = alert
  const cluster = alert.cluster === '' ? 'no cluster' : alert.cluster
  const marks = marksOf(alert)
  const isNamed = below !== 'alertname'
  const isPlaced = isNamed && below !== 'cluster'
  return (
    <tr
      className={[
        `alert-row row-${alert.state}`,
        isOpen ? 'is-open' : '',
        below === '' ? '' : 'is-below',
        isHeldBack(alert) ? 'is-held' : '',
      ].join(' ')}
      onClick={(event) => {
        // The link handles its own clicks (a modifier opens a tab), and selecting text does not open the alert.
        if (event.target instanceof Element && event.target.closest('a, .cell-select') !== null) return
        if (getSelection()?.isCollapsed === false) return
        onOpen(fingerprint)
      }}
    >
      <td className="cell-select">
        <SelectBox
          name={`Select ${alertname} on ${cluster}`}
          chosen={isChosen ? 'all' : 'none'}
          onChoose={(isNowChosen) => {
            onChoose([fingerprint], isNowChosen)
          }}
        />
      </td>
      <td className="cell-severity">
        <SeverityMark severity={alert.severity} />
      </td>
      <td className="cell-name">
        <Link href={path} data-row data-alert={fingerprint} {...(isOpen ? { 'aria-current': 'true' } : {})}>
          {isNamed ? (
            <AlertName name={alertname} />
          ) : (
            <>
              <span className="visually-hidden">{alertname} on </span>
              {cluster}
            </>
          )}
        </Link>
        {ownLabels === undefined ? null : <span className="own-labels">{ownLabels}</span>}
        <span className="cell-below">
          <SeverityBelow severity={alert.severity} />
          {isPlaced ? cluster : null}
          {alert.healthImpact === 'none' ? null : <ImpactMark impact={alert.healthImpact} />}
          {alert.state === 'firing' ? null : <StateMark state={alert.state} />}
          <AlertMarkList marks={marks} />
        </span>
      </td>
      <td className="cell-beside">{isPlaced ? cluster : null}</td>
      <td className="cell-beside">
        <ImpactMark impact={alert.healthImpact} />
      </td>
      <td className="cell-beside">
        <span className="mark-line">
          <StateMark state={alert.state} />
          <AlertMarkList marks={marks} />
        </span>
      </td>
      <td className="cell-beside cell-strip">
        <HistoryStrip shares={strip} />
      </td>
      <td className="cell-number">
        <Since atMs={alert.resolvedAtMs ?? alert.firedAtMs ?? alert.activeAtMs} />
      </td>
      <td className="cell-number cell-beside nums" title={String(alert.value)}>
        {formatAlertValue(alert.value)}
      </td>
    </tr>
  )
})
