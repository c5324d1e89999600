import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { FiringGroup } from '../../contract/now.ts'
import { formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import { alertPath, alertsPath } from '../lib/paths.ts'
import { toHealthImpact } from '../lib/severity.ts'
import type { Steady } from '../lib/steady-list.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { GoneMark } from '../ui/gone-mark.tsx'
import { ImpactMark } from '../ui/marks.tsx'
import { SEVERITY_COLUMN, SeverityBelow } from '../ui/severity-column.tsx'
import { Since } from '../ui/time.tsx'

/** Firing alerts, one row per alert name, most severe first as the server sorts. A single alert opens at once, with its runbook. */
export function FiringGroups({ groups }: { readonly groups: readonly Steady<FiringGroup>[] }): ReactNode {
  return (
    <DataTable
      label="Firing by alert"
      columns={COLUMNS}
      rows={groups}
      rowKey={({ alertname, severity, healthImpact }) => `${alertname} ${severity} ${healthImpact}`}
    />
  )
}

const COLUMNS: readonly Column<Steady<FiringGroup>>[] = [
  SEVERITY_COLUMN,
  {
    head: 'Alert',
    kind: 'name',
    cell: (group) => (
      <>
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
      </>
    ),
    below: ({ severity, healthImpact }) => (
      <>
        <SeverityBelow severity={severity} />
        {toHealthImpact(healthImpact) === 'none' ? null : <ImpactMark impact={healthImpact} />}
      </>
    ),
  },
  { head: 'Operator', isHiddenOnPhone: true, cell: ({ healthImpact }) => <ImpactMark impact={healthImpact} /> },
  {
    head: 'Clusters',
    kind: 'number',
    cell: ({ clusters, alerts }) => (
      <>
        {formatCount(clusters)}
        {alerts === clusters ? null : <span className="quiet"> · {formatCount(alerts)} alerts</span>}
      </>
    ),
  },
  { head: 'Newest', kind: 'number', cell: ({ newestAt }) => <Since atMs={msOf(newestAt)} /> },
]
