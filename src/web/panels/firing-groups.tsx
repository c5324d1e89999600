import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { FiringGroup } from '../../contract/now.ts'
import { formatCount } from '../lib/format-number.ts'
import { alertPath, alertsPath } from '../lib/paths.ts'
import { ImpactMark, SeverityMark } from '../ui/marks.tsx'
import { Since } from '../ui/time.tsx'

/** What fires, one row per alert name, worst first as the server ranks it. A single alert opens at once, with its runbook. */
export function FiringGroups({ groups }: { readonly groups: readonly FiringGroup[] }): ReactNode {
  return (
    <table aria-label="Firing by alert" className="data-table">
      <thead>
        <tr>
          <th scope="col">Severity</th>
          <th scope="col">Alert</th>
          <th scope="col" className="cell-wide-only">
            Operator
          </th>
          <th scope="col" className="cell-number">
            Clusters
          </th>
          <th scope="col" className="cell-number">
            Newest
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={`${group.alertname} ${group.severity} ${group.healthImpact}`}>
            <td>
              <SeverityMark severity={group.severity} />
            </td>
            <td className="cell-name">
              <Link
                href={
                  group.alerts === 1
                    ? alertPath(group.fingerprint)
                    : alertsPath({ alertname: group.alertname, states: ['firing'] })
                }
              >
                {group.alertname}
              </Link>
            </td>
            <td className="cell-wide-only">
              <ImpactMark impact={group.healthImpact} />
            </td>
            <td className="cell-number nums">
              {formatCount(group.clusters)}
              {group.alerts === group.clusters ? null : (
                <span className="quiet"> · {formatCount(group.alerts)} alerts</span>
              )}
            </td>
            <td className="cell-number">
              <Since atMs={group.newestAtMs} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
