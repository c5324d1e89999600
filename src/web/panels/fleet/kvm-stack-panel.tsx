import type { ReactNode } from 'react'
import type { KvmStackAnswer, MachineTypeUseItem, MigrationItem } from '../../../contract/fleet-configuration.ts'
import { formatCount } from '../../lib/format-number.ts'
import { useKvmStack } from '../../query/use-configuration.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Answer } from '../answer.tsx'
import { ClusterNames } from './cluster-names.tsx'

/** QEMU and libvirt of the fleet, machine types of VMs, hazards of live migration on the way to a target. */
export function KvmStackPanel({ target }: { readonly target: string }): ReactNode {
  return (
    <Panel title="KVM stack" aside="from public sources, each named">
      <Answer query={useKvmStack(target)} what="the KVM stack" skeletonLines={6}>
        {(answer) => <KvmStack answer={answer} />}
      </Answer>
    </Panel>
  )
}

function KvmStack({ answer }: { readonly answer: KvmStackAnswer }): ReactNode {
  const { stacks, machineTypes, migrations, target, reporting } = answer
  return (
    <>
      <DataTable
        label="QEMU and libvirt by version of KubeVirt"
        columns={STACK_COLUMNS}
        rows={stacks}
        rowKey={({ kubevirt }) => kubevirt}
        empty={<p className="quiet">No cluster reports a version of KubeVirt.</p>}
      />
      {target === null ? null : (
        <>
          <h3 className="panel-part-head">Live migration to KubeVirt {target.kubevirt}</h3>
          <DataTable
            label="Hazards of live migration"
            columns={MIGRATION_COLUMNS}
            rows={migrations}
            rowKey={({ from }) => from}
            empty={<p className="quiet">All clusters run this version or a newer one.</p>}
          />
        </>
      )}
      <h3 className="panel-part-head">Machine types of VMs</h3>
      <DataTable
        label="Machine types of VMs"
        columns={MACHINE_COLUMNS}
        rows={machineTypes}
        rowKey={({ machineType }) => machineType}
        csvName="machine-types"
        empty={
          <p className="quiet">No cluster reports machine types: KubeVirt 1.4 and newer do, by kubevirt_vm_info.</p>
        }
      />
      {reporting === 0 ? null : <p className="quiet">{formatCount(reporting)} clusters report machine types.</p>}
    </>
  )
}

/** Sources are links to other sites. */
function Sources({ sources }: { readonly sources: readonly string[] }): ReactNode {
  if (sources.length === 0) return <span className="quiet">none found</span>
  return sources.map((source) => (
    <span key={source} className="inline-item">
      <a href={source} target="_blank" rel="noreferrer">
        {source.replace(/^https:\/\/(github|gitlab)\.com\//, '').replace(/^redhat\/centos-stream\/src\//, '')}
      </a>
    </span>
  ))
}

const unknown = <span className="quiet">not known</span>

const STACK_COLUMNS: readonly Column<KvmStackAnswer['stacks'][number]>[] = [
  { head: 'KubeVirt', cell: ({ kubevirt }) => <span className="nums">{kubevirt}</span> },
  { head: 'QEMU', cell: ({ qemu }) => qemu ?? unknown },
  { head: 'libvirt', isHiddenOnPhone: true, cell: ({ libvirt }) => libvirt ?? unknown },
  { head: 'Base', isHiddenOnPhone: true, cell: ({ base }) => base ?? unknown },
  { head: 'Clusters', cell: ({ clusters }) => <ClusterNames clusters={clusters} /> },
  { head: 'Source', isHiddenOnPhone: true, cell: ({ sources }) => <Sources sources={sources} /> },
]

const BACKWARD = {
  none: 'possible: the same QEMU',
  hazard: 'not for VMs that started or moved there',
  unknown: 'not known',
} as const

const MIGRATION_COLUMNS: readonly Column<MigrationItem>[] = [
  { head: 'From', cell: ({ from }) => <span className="nums">{from}</span> },
  { head: 'QEMU', cell: ({ qemuFrom, qemuTo }) => `${qemuFrom ?? 'not known'} → ${qemuTo ?? 'not known'}` },
  { head: 'Migration back', cell: ({ backward }) => BACKWARD[backward] },
  {
    head: 'Known hazards',
    cell: ({ known, skipsMinors }) => (
      <>
        {skipsMinors ? <p>More than one minor: KubeVirt supports one at a time.</p> : null}
        {known.map(({ text, source }) => (
          <p key={source}>
            {text} <Sources sources={[source]} />
          </p>
        ))}
        {known.length === 0 && !skipsMinors ? <span className="quiet">none reported</span> : null}
      </>
    ),
  },
  { head: 'Clusters', isHiddenOnPhone: true, cell: ({ clusters }) => <ClusterNames clusters={clusters} /> },
]

const STATES = {
  current: 'current',
  deprecated: 'deprecated',
  removed: 'removed: VMs do not start',
  alias: 'alias: changes with QEMU',
  foreign: 'not of Enterprise Linux',
  unknown: 'not known',
} as const

const MACHINE_COLUMNS: readonly Column<MachineTypeUseItem>[] = [
  {
    head: 'Machine type',
    kind: 'name',
    cell: ({ machineType }) => <code>{machineType}</code>,
    csv: ({ machineType }) => machineType,
  },
  { head: 'VMs', kind: 'number', cell: ({ vms }) => formatCount(vms), csv: ({ vms }) => vms },
  {
    head: 'State',
    cell: ({ state, removedIn }) => `${STATES[state]}${removedIn === null ? '' : `; removed in ${removedIn}`}`,
    csv: ({ state }) => state,
  },
  {
    head: 'Reported as deprecated',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ deprecatedOn }) => (deprecatedOn === 0 ? '–' : formatCount(deprecatedOn)),
    csv: ({ deprecatedOn }) => deprecatedOn,
  },
  { head: 'Clusters', isHiddenOnPhone: true, cell: ({ clusters }) => <ClusterNames clusters={clusters} /> },
  { head: 'Source', isHiddenOnPhone: true, cell: ({ sources }) => <Sources sources={sources} /> },
]
