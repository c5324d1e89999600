import type { ReactNode } from 'react'
import type { OpenUpgradeItem } from '../../contract/now.ts'
import { formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import { PhaseCell, PhaseEnd, Started, ClusterLink, UpgradeVersions } from './upgrade-cells.tsx'
import { GoneMark } from '../ui/gone-mark.tsx'
import { Until } from '../ui/time.tsx'

interface UpgradeListProps {
  readonly upgrades: readonly Steady<OpenUpgradeItem>[]
}

/** Upgrades whose control plane is under way. */
export function UpgradingTable({ upgrades }: UpgradeListProps): ReactNode {
  return (
    <table aria-label="Upgrades under way" className="data-table">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col" className="cell-beside">
            Versions
          </th>
          <th scope="col" className="cell-beside">
            Phase
          </th>
          <th scope="col" className="cell-number">
            Phase ends
          </th>
          <th scope="col" className="cell-number cell-beside">
            Started
          </th>
        </tr>
      </thead>
      <tbody>
        {upgrades.map((upgrade) => (
          <tr key={upgrade.id}>
            <td className="cell-name cell-nowrap">
              <ClusterLink cluster={upgrade.cluster} /> <GoneMark row={upgrade} />
              <span className="cell-below cell-below-block cell-wraps">
                <UpgradeVersions upgrade={upgrade} />
                <span>
                  <PhaseCell upgrade={upgrade} />
                </span>
              </span>
            </td>
            <td className="nums cell-nowrap cell-beside">
              <UpgradeVersions upgrade={upgrade} />
            </td>
            <td className="cell-beside">
              <PhaseCell upgrade={upgrade} />
            </td>
            <td className="cell-number">
              <PhaseEnd endsAt={upgrade.phaseEndsAt} />
            </td>
            <td className="cell-number cell-beside">
              <Started upgrade={upgrade} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Upgrades whose control plane is done, and whose virtual machines still move to the new launcher. */
export function FollowingTable({ upgrades }: UpgradeListProps): ReactNode {
  return (
    <table aria-label="Machines that follow" className="data-table">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col" className="cell-beside">
            Versions
          </th>
          <th scope="col" className="cell-number">
            Machines left
          </th>
          <th scope="col" className="cell-number">
            None left
          </th>
        </tr>
      </thead>
      <tbody>
        {upgrades.map((upgrade) => (
          <tr key={upgrade.id}>
            <td className="cell-name">
              <ClusterLink cluster={upgrade.cluster} /> <GoneMark row={upgrade} />
              <span className="row-note">
                {upgrade.phase === 'workloads' && !upgrade.stuck ? null : <PhaseCell upgrade={upgrade} />}
              </span>
              <span className="cell-below cell-below-block">
                <UpgradeVersions upgrade={upgrade} />
              </span>
            </td>
            <td className="cell-beside">
              <UpgradeVersions upgrade={upgrade} />
            </td>
            <td className="cell-number nums">
              <MachinesLeft machines={upgrade.machines} />
            </td>
            <td className="cell-number">
              <MachinesEta machines={upgrade.machines} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type Machines = OpenUpgradeItem['machines']

function MachinesLeft({ machines }: { readonly machines: Machines }): ReactNode {
  if (machines === null) return <span className="quiet">unknown</span>
  const { outdated, outdatedAtStart } = machines
  return (
    <>
      {formatCount(outdated)}
      {outdatedAtStart === null ? null : <span className="quiet"> of {formatCount(outdatedAtStart)}</span>}
    </>
  )
}

function MachinesEta({ machines }: { readonly machines: Machines }): ReactNode {
  const etaAt = machines?.etaAt ?? null
  if (etaAt === null) return <span className="quiet">no pace</span>
  return (
    <>
      in <Until atMs={msOf(etaAt)} />
    </>
  )
}
