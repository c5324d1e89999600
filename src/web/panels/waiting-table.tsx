import type { ReactNode } from 'react'
import type { WaitingUpgradeItem } from '../../contract/now.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import { GoneMark } from '../ui/gone-mark.tsx'
import { Since } from '../ui/time.tsx'
import { ClusterLink, StuckMark, UpgradeVersions } from './upgrade-cells.tsx'

/** Upgrades that somebody has to approve: what to approve, and since when. */
export function WaitingTable({ upgrades }: { readonly upgrades: readonly Steady<WaitingUpgradeItem>[] }): ReactNode {
  return (
    <table aria-label="Waiting for approval" className="data-table">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col" className="cell-beside">
            Versions
          </th>
          <th scope="col" className="cell-number">
            Waits for
          </th>
        </tr>
      </thead>
      <tbody>
        {upgrades.map((upgrade) => (
          <tr key={upgrade.id}>
            <td className="cell-name">
              <ClusterLink cluster={upgrade.cluster} /> <GoneMark row={upgrade} />
              <span className="row-note">
                {upgrade.stuck ? <StuckMark /> : null} <Plan upgrade={upgrade} />
              </span>
              <span className="cell-below cell-below-block">
                <UpgradeVersions upgrade={upgrade} />
              </span>
            </td>
            <td className="cell-beside">
              <UpgradeVersions upgrade={upgrade} />
            </td>
            <td className="cell-number">
              {upgrade.since === null ? <span className="quiet">unknown</span> : <Since atMs={msOf(upgrade.since)} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Plan({ upgrade }: { readonly upgrade: WaitingUpgradeItem }): ReactNode {
  const { namespace, installPlan, channel } = upgrade
  return (
    <>
      {installPlan === null ? 'a plan nobody named' : <code>{[namespace, installPlan].filter(Boolean).join('/')}</code>}
      {channel === null ? null : ` of ${channel}`}
    </>
  )
}
