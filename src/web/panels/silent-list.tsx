import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { SilentClusterItem } from '../../contract/now.ts'
import { clusterPath } from '../lib/fleet-paths.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import { phaseWords } from '../lib/phase-words.ts'
import { GoneMark } from '../ui/gone-mark.tsx'
import { Since } from '../ui/time.tsx'
import { StuckMark, Versions } from './upgrade-cells.tsx'

/** Clusters that used to report and do not now. Where an upgrade was open, nobody knows how it goes on. */
export function SilentList({ clusters }: { readonly clusters: readonly Steady<SilentClusterItem>[] }): ReactNode {
  return (
    <table aria-label="Silent clusters" className="data-table">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col">Last version</th>
          <th scope="col" className="cell-number">
            Last seen
          </th>
        </tr>
      </thead>
      <tbody>
        {clusters.map(({ cluster, version, lastSeenAt, upgrade, isGone = false }) => (
          <tr key={cluster}>
            <td className="cell-name">
              <Link href={clusterPath(cluster)}>{cluster}</Link> <GoneMark row={{ isGone }} />
              {upgrade === null ? null : (
                <span className="own-labels">
                  in an upgrade then: <Versions from={upgrade.from} to={upgrade.to} />, {phaseWords(upgrade.phase)}{' '}
                  {upgrade.stuck ? <StuckMark /> : null}
                </span>
              )}
            </td>
            <td className="nums">{version ?? 'unknown'}</td>
            <td className="cell-number">
              <Since atMs={msOf(lastSeenAt)} suffix=" ago" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
