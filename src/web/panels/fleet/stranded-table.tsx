import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { StrandedItem, StrandedItems } from '../../../contract/fleet-stranded.ts'
import { clusterPath, clustersPath, upgradesPath } from '../../lib/fleet-paths.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { STRANDED_WORDS, strandedCount, strandedSentence } from '../../lib/stranded-words.ts'
import { ListLine } from '../../ui/list-line.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Since } from '../../ui/time.tsx'
import { FleetCoverageNote, NoClusterNote } from './fleet-coverage.tsx'

/** Versions from which nobody is known to get on: how many are on them, why, and what upgrades from them became. */
export function StrandedTable({ answer }: { readonly answer: StrandedItems }): ReactNode {
  const { stranded, total, coverage } = answer
  if (coverage.clusters === 0) return <NoClusterNote />
  return (
    <>
      <ListLine
        count={
          stranded.length === 0
            ? 'No version is stranded'
            : `${countOf(stranded.length, 'stranded version')}: ${formatCount(total)} of ${countOf(coverage.clusters, 'cluster')} (${formatShare(total, coverage.clusters)})`
        }
      >
        <span className="quiet">
          of HCO, not the newest, and no upgrade from it succeeded in 90 days or none is offered
        </span>
        <FleetCoverageNote coverage={coverage} />
      </ListLine>
      {stranded.length === 0 ? (
        <p className="empty quiet">From every version that is not the newest somebody got on in the last 90 days.</p>
      ) : (
        <div className="table-box">
          <table className="data-table alert-table" aria-label="Stranded versions">
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">Clusters</th>
                <th scope="col">Why</th>
                <th scope="col" className="cell-beside cell-number">
                  Succeeded in 90 days
                </th>
                <th scope="col" className="cell-beside cell-number">
                  Last left
                </th>
              </tr>
            </thead>
            <tbody>
              {stranded.map((item) => (
                <StrandedRow key={item.version} item={item} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

const NAMES_SHOWN = 3

function StrandedRow({ item }: { readonly item: StrandedItem }): ReactNode {
  const { version, reason, clusters, names, endedLately, succeededLately, lastLeftAt } = item
  return (
    <tr>
      <td className="cell-name nums">
        <Link href={upgradesPath({ from: version })} data-row title={`Upgrades from ${version}`}>
          {version}
        </Link>
      </td>
      <td>
        <Link href={clustersPath({ version })}>{strandedCount(item)}</Link>:{' '}
        <span>
          {names.slice(0, NAMES_SHOWN).map((name) => (
            <span key={name} className="inline-item">
              <Link href={clusterPath(name)}>{name}</Link>
            </span>
          ))}{' '}
          {clusters > NAMES_SHOWN ? (
            <span className="quiet">and {formatCount(clusters - NAMES_SHOWN)} more</span>
          ) : null}
        </span>
      </td>
      <td>
        <Shape name={reason === 'failing' ? 'triangle' : 'ring'} /> <strong>{STRANDED_WORDS[reason]}</strong>{' '}
        <span className="quiet">{strandedSentence(item)}</span>
      </td>
      <td className="cell-beside cell-number nums">
        {endedLately === 0 ? (
          <span className="quiet">none ended</span>
        ) : (
          `${formatCount(succeededLately)} of ${formatCount(endedLately)}`
        )}
      </td>
      <td className="cell-beside cell-number">
        {lastLeftAt === null ? (
          <span className="quiet">never seen</span>
        ) : (
          <Since atMs={Date.parse(lastLeftAt)} suffix=" ago" />
        )}
      </td>
    </tr>
  )
}
