import type { ReactNode } from 'react'
import type { OpenUpgradeItem } from '../../contract/now.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import { phaseWords } from '../lib/phase-words.ts'
import { baselineWords } from '../lib/upgrade-words.ts'
import { GoneMark } from '../ui/gone-mark.tsx'
import { Since } from '../ui/time.tsx'
import { ClusterLink, Started, UpgradeVersions } from './upgrade-cells.tsx'

/** Upgrades that do not get further: on what, since when, and what is usual. */
export function StuckTable({ upgrades }: { readonly upgrades: readonly Steady<OpenUpgradeItem>[] }): ReactNode {
  return (
    <table aria-label="Stuck upgrades" className="data-table">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col" className="cell-beside">
            Versions
          </th>
          <th scope="col" className="cell-beside">
            Cause
          </th>
          <th scope="col" className="cell-number">
            Stands still
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
                <Cause upgrade={upgrade} />
              </span>
            </td>
            <td className="nums cell-nowrap cell-beside">
              <UpgradeVersions upgrade={upgrade} />
            </td>
            <td className="cell-beside">
              <Cause upgrade={upgrade} />
            </td>
            <td className="cell-number">
              {upgrade.stalledSince === null ? 'unknown' : <Since atMs={msOf(upgrade.stalledSince)} />}
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

function Cause({ upgrade }: { readonly upgrade: OpenUpgradeItem }): ReactNode {
  const { cause, phase, baseline, silentSince } = upgrade
  return (
    <span>
      <span className="cause">{cause?.text ?? 'Cause unknown.'}</span>
      <span className="quiet">
        {phaseWords(phase)}: {baselineWords(baseline)}
        {silentSince === null ? null : (
          <>
            ; silent for <Since atMs={msOf(silentSince)} />, nobody knows whether it still is
          </>
        )}
      </span>
    </span>
  )
}
