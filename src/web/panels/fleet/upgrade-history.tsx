import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import { edgePath, upgradePath } from '../../lib/paths.ts'
import { causeName, stepText } from '../../lib/fleet-names.ts'
import { COMPARED_MAX, type UpgradeListView, type UpgradeSort } from '../../lib/upgrade-view.ts'
import type { Column } from '../../ui/data-table.tsx'
import { selectColumn } from '../../ui/select-column.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import { StartedText, OutcomeMark, DurationText } from './upgrade-rows.tsx'

interface UpgradeHistoryProps {
  readonly upgrades: readonly UpgradeItem[]
  readonly hasMore: boolean
  readonly view: UpgradeListView
  readonly onSort: (sort: UpgradeSort) => void
  readonly onCompare: (id: string, isChosen: boolean) => void
  readonly onNeedMore: () => void
}

/** The history of upgrades, as far as it is read. */
export function UpgradeHistory(props: UpgradeHistoryProps): ReactNode {
  const { upgrades, hasMore, view, onSort, onCompare, onNeedMore } = props
  const isFull = view.compare.length >= COMPARED_MAX
  const toggle = (id: string): void => {
    const isChosen = view.compare.includes(id)
    if (isChosen || !isFull) onCompare(id, !isChosen)
  }
  return (
    <VirtualDataTable
      label="Upgrades"
      columns={[
        selectColumn<UpgradeItem>({
          verb: 'Compare',
          nameOf: (upgrade) => `${stepText(upgrade)} on ${upgrade.cluster}`,
          isChosen: ({ id }) => view.compare.includes(id),
          onChoose: ({ id }, isChosen) => {
            onCompare(id, isChosen)
          },
          fullReason: isFull ? `At most ${COMPARED_MAX} upgrades can be compared` : undefined,
        }),
        ...COLUMNS,
      ]}
      rows={upgrades}
      rowKey={({ id }) => id}
      rowClass={({ id }) => view.compare.includes(id) && 'is-chosen'}
      sort={view}
      onSort={onSort}
      total={upgrades.length + (hasMore ? 1 : 0)}
      isTotalKnown={!hasMore}
      onNeedMore={onNeedMore}
      onToggleRow={(index) => {
        const id = upgrades[index]?.id
        if (id !== undefined) toggle(id)
      }}
    />
  )
}

const COLUMNS: readonly Column<UpgradeItem, UpgradeSort>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    sort: 'cluster',
    style: { inlineSize: 'min(12rem, 48vw)' },
    cell: (upgrade) => (
      <Link href={upgradePath(upgrade.id)} data-row aria-label={`${upgrade.cluster}: ${stepText(upgrade)}`}>
        {upgrade.cluster}
      </Link>
    ),
    below: (upgrade) => (
      <>
        <span className="nums">{stepText(upgrade)}</span>
        <OutcomeMark upgrade={upgrade} />
      </>
    ),
  },
  {
    head: 'Upgrade path',
    isHiddenOnPhone: true,
    style: { inlineSize: '15rem' },
    className: 'nums',
    cell: (upgrade) => {
      const { operator, from, to } = upgrade
      return from === null ? stepText(upgrade) : <Link href={edgePath(operator, from, to)}>{stepText(upgrade)}</Link>
    },
  },
  {
    head: 'Outcome',
    isHiddenOnPhone: true,
    style: { inlineSize: '8rem' },
    cell: (upgrade) => <OutcomeMark upgrade={upgrade} />,
  },
  {
    head: 'Blocked by',
    isHiddenOnPhone: true,
    title: ({ blockedBy }) => blockedBy?.text,
    cell: ({ blockedBy }) => (blockedBy === null ? null : causeName(blockedBy.cause)),
  },
  {
    head: 'Duration',
    kind: 'number',
    sort: 'duration',
    style: { inlineSize: '10rem' },
    cell: (upgrade) => <DurationText upgrade={upgrade} />,
  },
  {
    head: 'Started',
    kind: 'number',
    sort: 'started',
    isHiddenOnPhone: true,
    style: { inlineSize: '9rem' },
    cell: (upgrade) => <StartedText upgrade={upgrade} />,
  },
]
