import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterUpgrade } from '../../contract/now.ts'
import { alertsPath } from '../lib/paths.ts'
import { Shape } from '../ui/shapes.tsx'
import { Since } from '../ui/time.tsx'

const PHASES: Readonly<Record<ClusterUpgrade['phase'], string>> = {
  olm: 'operator install',
  operands: 'components',
}

interface UpgradeTableProps {
  readonly label: string
  readonly upgrades: readonly ClusterUpgrade[]
  /** Causes are a column only where there are some. */
  readonly hasCause: boolean
}

/** Upgrades that are under way, one per cluster. A cluster leads to what fires on it. */
export function UpgradeTable({ label, upgrades, hasCause }: UpgradeTableProps): ReactNode {
  return (
    <table aria-label={label} className="data-table">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col" className="cell-beside">
            Versions
          </th>
          <th scope="col" className="cell-beside">
            {hasCause ? 'Cause' : 'Phase'}
          </th>
          <th scope="col" className="cell-number">
            No change for
          </th>
          <th scope="col" className="cell-number cell-beside">
            Started
          </th>
        </tr>
      </thead>
      <tbody>
        {upgrades.map((upgrade) => (
          <tr key={`${upgrade.cluster} ${upgrade.to}`}>
            <td className="cell-name cell-nowrap">
              <Link href={alertsPath({ cluster: upgrade.cluster })}>{upgrade.cluster}</Link>
              <span className="cell-below cell-below-block cell-wraps">
                <Versions upgrade={upgrade} />
                <span>{hasCause ? <Cause upgrade={upgrade} /> : <Phase upgrade={upgrade} />}</span>
              </span>
            </td>
            <td className="nums cell-nowrap cell-beside">
              <Versions upgrade={upgrade} />
            </td>
            <td className="cell-beside">{hasCause ? <Cause upgrade={upgrade} /> : <Phase upgrade={upgrade} />}</td>
            <td className="cell-number">
              <Since atMs={upgrade.lastChangeMs} />
            </td>
            <td className="cell-number cell-beside">
              <Since atMs={upgrade.startedAtMs} suffix=" ago" />{' '}
              <span className="quiet" title="How exact the times are: the spacing of the samples they were seen in">
                ±{upgrade.resolutionSeconds} s
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Versions({ upgrade }: { readonly upgrade: ClusterUpgrade }): ReactNode {
  return (
    <span className="nums cell-nowrap">
      {upgrade.from ?? 'unknown'} → <span className="visually-hidden">to </span>
      {upgrade.to}
    </span>
  )
}

function Phase({ upgrade }: { readonly upgrade: ClusterUpgrade }): ReactNode {
  return (
    <>
      {upgrade.isStuck ? (
        <span className="tone-critical stuck-mark">
          <Shape name="triangle" /> stuck
        </span>
      ) : null}
      {PHASES[upgrade.phase]} <span className="quiet">{upgrade.detail}</span>
    </>
  )
}

function Cause({ upgrade }: { readonly upgrade: ClusterUpgrade }): ReactNode {
  return (
    <>
      <span className="cause">{upgrade.cause ?? 'Cause unknown.'}</span>
      {upgrade.cause?.includes(upgrade.detail) === true ? null : (
        <span className="quiet">
          {PHASES[upgrade.phase]}: {upgrade.detail}
        </span>
      )}
    </>
  )
}
