import type { ReactNode } from 'react'
import type { AlertItem } from '../../contract/alerts.ts'
import { summaryOf, type AlertGroup } from '../lib/alert-groups.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { ImpactMark, SeverityMark } from '../ui/marks.tsx'
import { SelectBox } from '../ui/select-column.tsx'
import { SeverityBelow } from '../ui/severity-column.tsx'
import { Since } from '../ui/time.tsx'
import { UnfoldButton } from '../ui/unfold-button.tsx'
import type { Selection } from './alert-selection.ts'

interface AlertGroupRowProps {
  readonly group: AlertGroup
  readonly current: ReadonlyMap<string, AlertItem>
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly selection: Selection
}

/** A group of alerts as one row: highest severity, count, clusters. */
export function AlertGroupRow({ group, current, isOpen, onToggle, selection }: AlertGroupRowProps): ReactNode {
  const alerts = group.alerts.map((alert) => current.get(alert.fingerprint) ?? alert)
  const { severity, healthImpact, clusters, states, marks, heldCount, newestAtMs } = summaryOf(alerts)
  const fingerprints = alerts.map(({ fingerprint }) => fingerprint)
  const chosenCount = fingerprints.filter((one) => selection.chosen.has(one)).length
  const title = titleOf(group)
  const where = clusters.length === 1 ? clusters[0]! || 'no cluster' : countOf(clusters.length, 'cluster')
  const names = new Set(alerts.map(({ alertname }) => alertname)).size
  const beside = group.by === 'cluster' ? countOf(names, 'alert name') : where
  // Two kinds of marks fit in a line; the rows of the alerts show more.
  const held = marks.length <= 2 ? listOf(marks) : `${formatCount(heldCount)} held back`
  return (
    <tr
      className={`alert-row group-row ${isOpen ? 'is-unfolded' : ''}`}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('button, .cell-select') !== null) return
        onToggle()
      }}
    >
      <td className="cell-select">
        <SelectBox
          name={`Select all of ${title}`}
          chosen={chosenCount === fingerprints.length ? 'all' : chosenCount > 0 ? 'some' : 'none'}
          onChoose={(isChosen) => {
            selection.set(fingerprints, isChosen)
          }}
        />
      </td>
      <td className="cell-severity">
        <SeverityMark severity={severity} />
      </td>
      <th scope="rowgroup" className="cell-name">
        <UnfoldButton isOpen={isOpen} onToggle={onToggle}>
          {group.by === 'alertname' ? <AlertName name={title} /> : title}{' '}
          <span className="quiet nums cell-nowrap">{countOf(alerts.length, 'alert')}</span>
        </UnfoldButton>
        <span className="cell-below">
          <SeverityBelow severity={severity} />
          {beside}
          {healthImpact === 'none' ? null : <ImpactMark impact={healthImpact} />}
          {held === '' ? null : <span>{held}</span>}
        </span>
      </th>
      <td className="cell-beside cell-nowrap">{beside}</td>
      <td className="cell-beside">
        <ImpactMark impact={healthImpact} />
      </td>
      <td className="cell-beside quiet nums" colSpan={2}>
        {[listOf(states), held].filter((text) => text !== '').join(', ')}
      </td>
      <td className="cell-number">
        <Since atMs={newestAtMs} />
      </td>
      <td className="cell-beside" />
    </tr>
  )
}

const listOf = (counts: readonly { readonly word: string; readonly count: number }[]): string =>
  counts.map(({ word, count }) => `${formatCount(count)} ${word}`).join(', ')

function titleOf({ by, value }: AlertGroup): string {
  if (by === 'alertname') return value
  if (by === 'cluster') return value === '' ? 'no cluster' : value
  return value === '' ? `without ${by}` : `${by} ${value}`
}
