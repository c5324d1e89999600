import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { StrandedItem, StrandedItems } from '../../../contract/fleet-stranded.ts'
import { clusterPath, clustersPath, upgradesPath } from '../../lib/paths.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { STRANDED_WORDS, strandedCount, strandedSentence } from '../../lib/edge-text.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { ListLine } from '../../ui/list-line.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Ago } from '../../ui/time.tsx'
import { FleetCoverageNote, NoClusterNote } from './fleet-coverage.tsx'

/** Versions that no cluster leaves successfully: clusters, reason, outcomes of upgrades from them. */
export function StrandedTable({ answer }: { readonly answer: StrandedItems }): ReactNode {
  const { stranded, total, coverage } = answer
  if (coverage.clusters === 0) return <NoClusterNote />
  return (
    <>
      <ListLine
        count={
          stranded.length === 0
            ? 'No stranded versions'
            : `${countOf(stranded.length, 'stranded version')}: ${formatCount(total)} of ${countOf(coverage.clusters, 'cluster')} (${formatShare(total, coverage.clusters)})`
        }
      >
        <span className="quiet">
          HCO versions, except the newest, with no successful upgrade in 90 days or no update offered
        </span>
        <FleetCoverageNote coverage={coverage} />
      </ListLine>
      {stranded.length === 0 ? (
        <p className="empty quiet">Every version except the newest had a successful upgrade in the last 90 days.</p>
      ) : (
        <DataTable
          label="Stranded versions"
          look="boxed"
          columns={COLUMNS}
          rows={stranded}
          rowKey={({ version }) => version}
        />
      )}
    </>
  )
}

const NAMES_SHOWN = 3

const COLUMNS: readonly Column<StrandedItem>[] = [
  {
    head: 'Version',
    kind: 'name',
    cell: ({ version }) => (
      <Link className="nums" href={upgradesPath({ from: version })} data-row title={`Upgrades from ${version}`}>
        {version}
      </Link>
    ),
  },
  {
    head: 'Clusters',
    cell: (item) => (
      <>
        <Link href={clustersPath({ version: item.version })}>{strandedCount(item)}</Link>:{' '}
        <span>
          {item.names.slice(0, NAMES_SHOWN).map((name) => (
            <span key={name} className="inline-item">
              <Link href={clusterPath(name)}>{name}</Link>
            </span>
          ))}{' '}
          {item.clusters > NAMES_SHOWN ? (
            <span className="quiet">and {formatCount(item.clusters - NAMES_SHOWN)} more</span>
          ) : null}
        </span>
      </>
    ),
  },
  {
    head: 'Reason',
    cell: (item) => (
      <>
        <Shape name={item.reason === 'failing' ? 'triangle' : 'ring'} /> <strong>{STRANDED_WORDS[item.reason]}</strong>{' '}
        <span className="quiet">{strandedSentence(item)}</span>
      </>
    ),
  },
  {
    head: 'Succeeded in 90 days',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ endedLately, succeededLately }) =>
      endedLately === 0 ? (
        <span className="quiet">none ended</span>
      ) : (
        `${formatCount(succeededLately)} of ${formatCount(endedLately)}`
      ),
  },
  {
    head: 'Last upgrade',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ lastLeftAt }) => <Ago at={lastLeftAt} none="none" />,
  },
]
