import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { FiringGroup } from '../../contract/now.ts'
import { formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import { alertPath, alertsPath } from '../lib/paths.ts'
import { toHealthImpact, toSeverity } from '../lib/severity.ts'
import type { Steady } from '../lib/steady-list.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { GoneMark } from '../ui/gone-mark.tsx'
import { ImpactMark, SeverityMark } from '../ui/marks.tsx'
import { Since } from '../ui/time.tsx'

/** What fires, one row per alert name, worst first as the server ranks it. A single alert opens at once, with its runbook. */
export function FiringGroups({ groups }: { readonly groups: readonly Steady<FiringGroup>[] }): ReactNode {
  return (
    <table aria-label="Firing by alert" className="data-table">
      <thead>
        <tr>
          <th scope="col" className="cell-severity">
            Severity
          </th>
          <th scope="col">Alert</th>
          <th scope="col" className="cell-beside">
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
            <td className="cell-severity">
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
                <AlertName name={group.alertname} />
              </Link>{' '}
              <GoneMark row={group} />
              <span className="cell-below">
                <span className={`below-severity tone-${toSeverity(group.severity)}`} aria-hidden="true">
                  {group.severity}
                </span>
                {toHealthImpact(group.healthImpact) === 'none' ? null : <ImpactMark impact={group.healthImpact} />}
              </span>
            </td>
            <td className="cell-beside">
              <ImpactMark impact={group.healthImpact} />
            </td>
            <td className="cell-number nums">
              {formatCount(group.clusters)}
              {group.alerts === group.clusters ? null : (
                <span className="quiet"> · {formatCount(group.alerts)} alerts</span>
              )}
            </td>
            <td className="cell-number">
              <Since atMs={msOf(group.newestAt)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
