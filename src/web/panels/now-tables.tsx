import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { edgePath, alertPath, alertsPath } from '../lib/paths.ts'
import { phaseWords, SILENCE_CAUSE_WORDS } from '../lib/fleet-names.ts'
import type { FiringGroup, FallingEdgeItem, SilentClusterItem } from '../../contract/now.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import { toHealthImpact } from '../lib/severity.ts'
import type { Stable } from '../lib/stable-list.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { GoneMark } from '../ui/gone-mark.tsx'
import { ImpactMark } from '../ui/marks.tsx'
import { SEVERITY_COLUMN, SeverityBelow } from '../ui/severity-column.tsx'
import { Since } from '../ui/time.tsx'
import { outcomesWords } from '../lib/now-summary.ts'
import { StepLink, StuckMark, Versions } from './upgrade-cells.tsx'
import { ClusterLink } from './cluster-link.tsx'

/** Firing alerts, one row per alert name, most severe first as the server sorts. A single alert opens at once, with its runbook. */
export function FiringGroups({ groups }: { readonly groups: readonly Stable<FiringGroup>[] }): ReactNode {
  return (
    <DataTable
      label="Firing by alert"
      columns={FIRING_COLUMNS}
      rows={groups}
      rowKey={({ alertname, severity, healthImpact }) => `${alertname} ${severity} ${healthImpact}`}
    />
  )
}

const FIRING_COLUMNS: readonly Column<Stable<FiringGroup>>[] = [
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
    cell: ({ clusters, alerts }) =>
      clusters === 0 ? (
        <span className="quiet">{countOf(alerts, 'alert')}</span>
      ) : (
        <>
          {formatCount(clusters)}
          {alerts === clusters ? null : <span className="quiet"> · {formatCount(alerts)} alerts</span>}
        </>
      ),
  },
  { head: 'Newest', kind: 'number', cell: ({ newestAt }) => <Since atMs={msOf(newestAt)} /> },
]

const AGAINST: Readonly<Record<FallingEdgeItem['against'], string>> = {
  before: 'earlier, on this path',
  other_edges: 'on other paths to this version',
}

const EDGE_COLUMNS: readonly Column<Stable<FallingEdgeItem>>[] = [
  {
    head: 'Upgrade path',
    kind: 'name',
    cell: (edge) => (
      <>
        <StepLink step={edge} href={edgePath(edge.operator, edge.from, edge.to)} /> <GoneMark row={edge} />
      </>
    ),
    below: ({ other, against }) => `${outcomesWords(other)} ${AGAINST[against]}`,
  },
  { head: 'Recent success rate', kind: 'number', cell: ({ lately }) => outcomesWords(lately) },
  {
    head: 'Compared with',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ other, against }) => (
      <>
        {outcomesWords(other)} <span className="quiet">{AGAINST[against]}</span>
      </>
    ),
  },
]

/** Regressing upgrade paths: fewer upgrades succeed than before, or than on other paths to the same version. */
export function FallingEdgesTable({ edges }: { readonly edges: readonly Stable<FallingEdgeItem>[] }): ReactNode {
  return (
    <DataTable
      label="Regressing upgrade paths"
      columns={EDGE_COLUMNS}
      rows={edges}
      rowKey={({ operator, from, to }) => `${operator} ${from} ${to}`}
    />
  )
}

/** Clusters that reported earlier and do not report now. Whether an upgrade that was active goes on is unknown. */
export function SilentList({ clusters }: { readonly clusters: readonly Stable<SilentClusterItem>[] }): ReactNode {
  return (
    <DataTable label="Silent clusters" columns={SILENT_COLUMNS} rows={clusters} rowKey={({ cluster }) => cluster} />
  )
}

const SILENT_COLUMNS: readonly Column<Stable<SilentClusterItem>>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    cell: (row) => (
      <>
        <ClusterLink cluster={row.cluster} /> <GoneMark row={row} />
        {row.upgrade === null ? null : (
          <span className="own-labels">
            in an upgrade at that time: <Versions from={row.upgrade.from} to={row.upgrade.to} />,{' '}
            {phaseWords(row.upgrade.phase)} {row.upgrade.stuck ? <StuckMark /> : null}
          </span>
        )}
      </>
    ),
  },
  { head: 'Cause', cell: ({ cause }) => cause && SILENCE_CAUSE_WORDS[cause] },
  { head: 'Last version', cell: ({ version }) => <span className="nums">{version ?? 'unknown'}</span> },
  { head: 'Last seen', kind: 'number', cell: ({ lastSeenAt }) => <Since atMs={msOf(lastSeenAt)} suffix=" ago" /> },
]
