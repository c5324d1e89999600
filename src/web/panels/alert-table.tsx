import { useState, type ReactNode } from 'react'
import { summaryOf, type AlertGroup } from '../lib/alert-groups.ts'
import type { AlertItem } from '../../contract/alerts.ts'
import type { AlertView } from '../lib/alert-view.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { alertPath } from '../lib/paths.ts'
import { useStrips } from '../query/use-alert.ts'
import { Button } from '../ui/button.tsx'
import { AlertName } from '../ui/alert-name.tsx'
import { ImpactMark, SeverityMark } from '../ui/marks.tsx'
import { SelectBox } from '../ui/select-column.tsx'
import { SeverityBelow } from '../ui/severity-column.tsx'
import { Since } from '../ui/time.tsx'
import { UnfoldButton } from '../ui/unfold-button.tsx'
import { AlertRow } from './alert-row.tsx'
import type { Selection } from './alert-selection.tsx'

/** Rows that are rendered at first: a browser renders these at once, but not ten thousand. */
const ROWS_STEP = 100
/** Groups of a list up to this length are open at first; those of a longer list are closed. */
const OPEN_GROUPS_ALERTS_MAX = 40

/** The columns after the name, with their classes. */
const HEADS = [
  ['Cluster', 'cell-beside'],
  ['Operator', 'cell-beside'],
  ['State', 'cell-beside'],
  ['24 h', 'cell-beside cell-strip'],
  ['Since', 'cell-number'],
  ['Value', 'cell-number cell-beside'],
] as const

export interface AlertTableProps {
  readonly groups: readonly AlertGroup[]
  /** The alerts with the values of the newest answer, by fingerprint. */
  readonly current: ReadonlyMap<string, AlertItem>
  /** The labels in which alerts of one name differ, by fingerprint. */
  readonly ownLabels: ReadonlyMap<string, string>
  readonly view: AlertView
  readonly openFingerprint: string | undefined
  /** The same function for the life of the page. */
  readonly onOpen: (fingerprint: string) => void
  readonly selection: Selection
}

/**
 * The alerts as rows below their groups. Its own table and no `DataTable`: groups are bodies with a row of their own that
 * spans columns, and memoized rows keep ten thousand alerts fast.
 */
export function AlertTable(props: AlertTableProps): ReactNode {
  const { groups, openFingerprint } = props
  const [rowsMax, setRowsMax] = useState(ROWS_STEP)
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const total = groups.reduce((sum, group) => sum + group.alerts.length, 0)
  const isGroupOpen = (group: AlertGroup): boolean =>
    toggled.get(group.id) ??
    (total <= OPEN_GROUPS_ALERTS_MAX ||
      groups.length === 1 ||
      group.alerts.some(({ fingerprint }) => fingerprint === openFingerprint))
  const { drawn, left } = withinRows(groups, isGroupOpen, rowsMax)
  const strips = useStrips(
    drawn.flatMap(({ parts }) => parts.flatMap(({ alerts }) => alerts.map((one) => one.fingerprint))),
  )
  const folding = groups.filter(({ alerts }) => alerts.length > 1)
  const areAllOpen = folding.every(isGroupOpen)
  return (
    <>
      <table aria-label="Alerts" className="data-table alert-table">
        <thead>
          <tr>
            <th scope="col" className="cell-select">
              <span className="visually-hidden">Selected</span>
            </th>
            <th scope="col" className="cell-severity">
              Severity
            </th>
            <th scope="col">
              Alert{' '}
              {folding.length > 1 && groups.some(({ by }) => by !== '') ? (
                <Button
                  variant="inline"
                  className="fold-all"
                  onClick={() => {
                    setToggled(new Map(folding.map(({ id }) => [id, !areAllOpen])))
                  }}
                >
                  {areAllOpen ? 'Close all groups' : 'Open all groups'}
                </Button>
              ) : null}
            </th>
            {HEADS.map(([text, className]) => (
              <th key={text} scope="col" className={className}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        {drawn.map((group) => (
          <GroupBody
            key={group.id}
            {...props}
            group={group}
            isOpen={isGroupOpen(group)}
            onToggle={() => {
              setToggled(new Map(toggled).set(group.id, !isGroupOpen(group)))
            }}
            strips={strips}
          />
        ))}
      </table>
      {left > 0 ? (
        <Button
          variant="link"
          onClick={() => {
            setRowsMax(rowsMax + 10 * ROWS_STEP)
          }}
        >
          Show more: {countOf(left, 'alert')} left
        </Button>
      ) : null}
    </>
  )
}

interface GroupBodyProps extends AlertTableProps {
  readonly group: AlertGroup
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly strips: ReadonlyMap<string, readonly number[]>
}

function GroupBody(props: GroupBodyProps): ReactNode {
  const { group, isOpen, onToggle, current, ownLabels, view, openFingerprint, onOpen, selection, strips } = props
  const isFolding = group.alerts.length > 1 && group.by !== ''
  return (
    <tbody className={isFolding ? 'is-group' : ''}>
      {isFolding ? (
        <AlertGroupRow group={group} current={current} isOpen={isOpen} onToggle={onToggle} selection={selection} />
      ) : null}
      {group.parts.map((part) => (
        <PartRows key={part.id} label={group.partsBy} part={part} size={group.parts.length}>
          {part.alerts.map(({ fingerprint }) => {
            const alert = current.get(fingerprint)
            return alert === undefined ? null : (
              <AlertRow
                key={fingerprint}
                alert={alert}
                ownLabels={ownLabels.get(fingerprint) === part.value ? undefined : ownLabels.get(fingerprint)}
                below={isFolding ? group.by : ''}
                path={alertPath(fingerprint, view)}
                isOpen={fingerprint === openFingerprint}
                onOpen={onOpen}
                isChosen={selection.chosen.has(fingerprint)}
                onChoose={selection.set}
                strip={strips.get(fingerprint)}
              />
            )
          })}
        </PartRows>
      ))}
    </tbody>
  )
}

interface PartRowsProps {
  readonly label: string
  readonly part: AlertGroup['parts'][number]
  /** Number of parts of the group. */
  readonly size: number
  readonly children: ReactNode
}

/** A part of a large group below the common label value; a single part has no heading. */
function PartRows({ label, part, size, children }: PartRowsProps): ReactNode {
  if (label === '' || size === 1 || part.alerts.length === 0) return children
  return (
    <>
      <tr className="part-row">
        <td className="cell-select" />
        <td />
        <th colSpan={7} scope="col">
          <span className="quiet">{label}</span> {part.value === '' ? 'not set' : part.value}
        </th>
      </tr>
      {children}
    </>
  )
}

/** The groups, with alerts up to the number of rendered rows; a closed group has none. */
function withinRows(
  groups: readonly AlertGroup[],
  isOpen: (group: AlertGroup) => boolean,
  rowsMax: number,
): { readonly drawn: readonly AlertGroup[]; readonly left: number } {
  const drawn: AlertGroup[] = []
  let room = rowsMax
  let left = 0
  for (const group of groups) {
    const isFolding = group.alerts.length > 1 && group.by !== ''
    if (room <= 0) {
      left += group.alerts.length
    } else if (isFolding && !isOpen(group)) {
      drawn.push({ ...group, parts: [] })
      room--
    } else {
      const parts = group.parts.map((part) => {
        const alerts = part.alerts.slice(0, Math.max(0, room))
        room -= alerts.length
        left += part.alerts.length - alerts.length
        return { ...part, alerts }
      })
      drawn.push({ ...group, parts })
    }
  }
  return { drawn, left }
}

interface AlertGroupRowProps {
  readonly group: AlertGroup
  readonly current: ReadonlyMap<string, AlertItem>
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly selection: Selection
}

/** A group of alerts as one row: highest severity, count, clusters. */
function AlertGroupRow({ group, current, isOpen, onToggle, selection }: AlertGroupRowProps): ReactNode {
  const alerts = group.alerts.map((alert) => current.get(alert.fingerprint) ?? alert)
  const { severity, healthImpact, clusters, states, marks, heldCount, newestAtMs } = summaryOf(alerts)
  const fingerprints = alerts.map(({ fingerprint }) => fingerprint)
  const chosenCount = fingerprints.filter((one) => selection.chosen.has(one)).length
  const title = titleOf(group)
  const where = clusters.length === 1 ? clusters[0]! || 'no cluster' : countOf(clusters.length, 'cluster')
  const names = new Set(alerts.map(({ alertname }) => alertname)).size
  const beside = group.by === 'cluster' ? countOf(names, 'alert name') : where
  // Two kinds of marks fit in a line; the rows of the alerts show more.
  const held = marks.length <= 2 ? listOf(marks) : `${formatCount(heldCount)} suppressed`
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
