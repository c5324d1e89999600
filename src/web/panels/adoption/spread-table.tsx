import type { ReactNode } from 'react'
import type { SpreadItem } from '../../../contract/adoption.ts'
import { lastShare, withCompared, rolloutStepOf } from '../../lib/adoption-spread.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { classNames } from '../../ui/class-names.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'

interface SpreadTableProps {
  readonly versions: readonly SpreadItem[]
  /** Clusters that reported a version on the last counted day. */
  readonly telling: number
  readonly compared: readonly string[]
  readonly onCompare: (compared: readonly string[]) => void
}

const STAGE_WORDS: Readonly<Record<NonNullable<SpreadItem['stage']> | 'unknown', string>> = {
  rising: 'still growing',
  adopted: 'stable at 10 % or more',
  low: 'never reached 10 % on the counted days',
  replaced: 'below half of its peak share',
  gone: 'not in use',
  unknown: 'Installed before counting started, and counted for less than a week',
}

/** How far and how fast each version spread. */
export function SpreadTable({ versions, telling, compared, onCompare }: SpreadTableProps): ReactNode {
  const chooser: Column<SpreadItem> = {
    head: 'Version',
    kind: 'name',
    cell: ({ version, isStartKnown }) => (
      <label className={classNames('inline-row row-text touch', !isStartKnown && 'quiet')}>
        <input
          type="checkbox"
          aria-label={`Draw ${version}`}
          checked={compared.includes(version)}
          disabled={!isStartKnown}
          onChange={() => {
            onCompare(withCompared(compared, version))
          }}
        />
        {version}
      </label>
    ),
  }
  const now: Column<SpreadItem> = {
    head: 'Now',
    kind: 'number',
    cell: ({ clusters, share }) => (
      <>
        {formatCount(clusters)} of {formatCount(telling)}{' '}
        <span className="quiet">({share === null ? '–' : formatShare(clusters, telling)})</span>
      </>
    ),
  }
  return (
    <DataTable
      label="How fast versions spread"
      look="prose"
      isScrollable
      className="spaced"
      columns={[chooser, ...COLUMNS, now]}
      rows={versions}
      rowKey={({ version }) => version}
    />
  )
}

const COLUMNS: readonly Column<SpreadItem>[] = [
  {
    head: 'First cluster',
    className: 'nums',
    cell: ({ isStartKnown, firstDay }) => (isStartKnown ? firstDay : `before ${firstDay}`),
  },
  {
    head: '10 %',
    headTitle: 'Days until 10 % of the clusters ran this version or newer',
    kind: 'number',
    cell: (item) => daysTo(item, item.to10Days),
  },
  { head: '50 %', kind: 'number', cell: (item) => daysTo(item, item.to50Days) },
  { head: '90 %', kind: 'number', cell: (item) => daysTo(item, item.to90Days) },
  {
    head: 'Half-life',
    headTitle: 'Days from the peak until the share had halved',
    kind: 'number',
    cell: ({ halfLifeDays }) => (halfLifeDays === null ? <span className="quiet">not yet</span> : `${halfLifeDays} d`),
  },
  {
    head: 'Peak',
    kind: 'number',
    cell: ({ peakShare }) => formatShare(peakShare, 1),
    title: ({ peakDay }) => `on ${peakDay}`,
  },
  { head: 'Stage', cell: stageOf, title: ({ stage }) => STAGE_WORDS[stage ?? 'unknown'] },
]

/** The days until a share was reached. Unknown without a first day; never for a version that is over. */
function daysTo({ stage, isStartKnown }: SpreadItem, days: number | null): ReactNode {
  if (days !== null && isStartKnown) return `${days} d`
  if (days !== null) return <span className="quiet">not known</span>
  return <span className="quiet">{stage === 'gone' || stage === 'replaced' ? 'never' : 'not yet'}</span>
}

function stageOf(item: SpreadItem): ReactNode {
  const { stage } = item
  if (stage === null) return <span className="quiet">not known yet</span>
  if (stage !== 'rising' && stage !== 'adopted') return stage
  return `${stage === 'rising' ? 'rising' : 'steady'}, ${rolloutStepOf(lastShare(item) ?? 0)}`
}
