import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { SilentCluster } from '../../contract/now.ts'
import { alertsPath } from '../lib/paths.ts'
import { Since } from '../ui/time.tsx'

/** Clusters that used to report and do not now. */
export function SilentList({ clusters }: { readonly clusters: readonly SilentCluster[] }): ReactNode {
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
        {clusters.map(({ cluster, version, lastSeenMs }) => (
          <tr key={cluster}>
            <td className="cell-name cell-nowrap">
              <Link href={alertsPath({ cluster })}>{cluster}</Link>
            </td>
            <td className="nums">{version ?? 'unknown'}</td>
            <td className="cell-number">
              <Since atMs={lastSeenMs} suffix=" ago" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
