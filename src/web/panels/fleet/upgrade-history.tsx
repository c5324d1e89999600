import { memo } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import { edgePath, upgradePath } from '../../lib/fleet-paths.ts'
import { causeName } from '../../lib/fleet-words.ts'
import { stepText } from '../../lib/operator-words.ts'
import { COMPARED_MAX } from '../../lib/upgrade-view.ts'
import type { UpgradeListView, UpgradeSort } from '../../lib/upgrade-view.ts'
import { SortHead } from '../../ui/sort-head.tsx'
import { VirtualRow } from '../../ui/virtual-row.tsx'
import type { RowPlace } from '../../ui/virtual-row.tsx'
import { VirtualTable } from '../../ui/virtual-table.tsx'
import { BeganText, OutcomeMark, TookText } from './upgrade-rows.tsx'

interface UpgradeHistoryProps {
  readonly upgrades: readonly UpgradeItem[]
  readonly hasMore: boolean
  readonly view: UpgradeListView
  readonly onSort: (sort: UpgradeSort) => void
  readonly onCompare: (id: string, isChosen: boolean) => void
  readonly onNeedMore: () => void
}

/** All upgrades there were, as far as they are read. */
export function UpgradeHistory(props: UpgradeHistoryProps): ReactNode {
  const { upgrades, hasMore, view, onSort, onCompare, onNeedMore } = props
  const isFull = view.compare.length >= COMPARED_MAX
  const toggle = (id: string): void => {
    const isChosen = view.compare.includes(id)
    if (isChosen || !isFull) onCompare(id, !isChosen)
  }
  return (
    <VirtualTable
      label="Upgrades"
      className="upgrade-history"
      loaded={upgrades.length}
      total={upgrades.length + (hasMore ? 1 : 0)}
      isTotalKnown={!hasMore}
      onNeedMore={onNeedMore}
      onToggleRow={(index) => {
        const id = upgrades[index]?.id
        if (id !== undefined) toggle(id)
      }}
      head={
        <>
          <th scope="col" className="cell-select">
            <span className="visually-hidden">Compare</span>
          </th>
          <SortHead title="Cluster" sort="cluster" current={view} onSort={onSort} className="column-name" />
          <th scope="col" className="cell-beside column-step">
            Step
          </th>
          <th scope="col" className="cell-beside column-outcome">
            Outcome
          </th>
          <th scope="col" className="cell-beside">
            In the way
          </th>
          <SortHead title="Took" sort="duration" current={view} onSort={onSort} className="cell-number column-took" />
          <SortHead
            title="Began"
            sort="started"
            current={view}
            onSort={onSort}
            className="cell-beside cell-number column-began"
          />
        </>
      }
      renderRow={(index, place) => {
        const upgrade = upgrades[index]!
        return (
          <HistoryRow
            key={upgrade.id}
            upgrade={upgrade}
            isChosen={view.compare.includes(upgrade.id)}
            isFull={isFull}
            onCompare={onCompare}
            {...place}
          />
        )
      }}
    />
  )
}

interface HistoryRowProps extends RowPlace {
  readonly upgrade: UpgradeItem
  readonly isChosen: boolean
  readonly isFull: boolean
  readonly onCompare: UpgradeHistoryProps['onCompare']
}

const HistoryRow = memo(function HistoryRow(props: HistoryRowProps): ReactNode {
  const { upgrade, isChosen, isFull, onCompare, index, topPx, measure } = props
  const { id, cluster, operator, from, to, blockedBy } = upgrade
  const isDisabled = isFull && !isChosen
  const step = stepText(upgrade)
  return (
    <VirtualRow index={index} topPx={topPx} measure={measure} className={isChosen ? 'is-chosen' : ''}>
      <td className="cell-select">
        <label {...(isDisabled ? { title: `At most ${COMPARED_MAX} are compared` } : {})}>
          <input
            type="checkbox"
            aria-label={`Compare ${step} on ${cluster}`}
            checked={isChosen}
            disabled={isDisabled}
            onChange={(event) => {
              onCompare(id, event.target.checked)
            }}
          />
        </label>
      </td>
      <td className="cell-name column-name">
        <Link href={upgradePath(id)} data-row aria-label={`${cluster}: ${step}`}>
          {cluster}
        </Link>
        <span className="cell-below">
          <span className="nums">{step}</span>
          <OutcomeMark upgrade={upgrade} />
        </span>
      </td>
      <td className="cell-beside column-step nums">
        {from === null ? step : <Link href={edgePath(operator, from, to)}>{step}</Link>}
      </td>
      <td className="cell-beside column-outcome">
        <OutcomeMark upgrade={upgrade} />
      </td>
      <td className="cell-beside" {...(blockedBy === null ? {} : { title: blockedBy.text })}>
        {blockedBy === null ? null : causeName(blockedBy.cause)}
      </td>
      <td className="cell-number column-took nums">
        <TookText upgrade={upgrade} />
      </td>
      <td className="cell-beside cell-number column-began">
        <BeganText upgrade={upgrade} />
      </td>
    </VirtualRow>
  )
})
