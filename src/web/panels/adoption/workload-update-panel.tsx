import { useId, useState, type ReactNode } from 'react'
import type { WorkloadsAnswer } from '../../../contract/adoption.ts'
import { adoptionCall, type AskParams } from '../../lib/adoption-call.ts'
import { atLeast } from '../../lib/adoption-view.ts'
import { dayTicks, shortDay } from '../../lib/day-ticks.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { workloadUpdate, type WorkloadUpdate } from '../../lib/workload-update.ts'
import { stackedAreas, steppedLine } from '../../lib/stacked-areas.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { ChartArea, ChartLine, Hatches, StepChart } from '../../ui/step-chart.tsx'
import { ChartBeside, ChartPanel, type AdoptionPart } from './chart-panel.tsx'
import { LineSwatch, Swatch } from './swatch.tsx'

const PROMQL =
  '1 - sum(max by (cluster) (kubevirt_vmi_number_of_outdated)) / sum(kubevirt_vmi_phase_count{phase="running"})'

interface WorkloadUpdatePanelProps extends AdoptionPart {
  readonly version: string
  /** False until the version is known. */
  readonly isAsked: boolean
}

/** Workload update: VMs whose control plane runs the version, and VMs whose launcher does. */
export function WorkloadUpdatePanel({ version, isAsked, ...part }: WorkloadUpdatePanelProps): ReactNode {
  const { view, asked } = part
  const callFor = (params: AskParams): string => adoptionCall('workloads', view, params)
  const query = useAdoption<WorkloadsAnswer>(callFor(asked), isAsked)
  return (
    <ChartPanel
      {...part}
      name="workloads"
      title="Workload updates"
      lead={`VMs with a control plane on ${version} or newer, and VMs with a virt-launcher of that version. Hatched: VMs remaining.`}
      query={query}
      basisOf={({ basis }) => basis}
      callFor={callFor}
      promql={PROMQL}
      chart={(answer) => <WorkloadUpdateChart answer={answer} version={version} />}
      table={(answer) => <MachinesTable answer={answer} />}
    />
  )
}

function WorkloadUpdateChart({
  answer,
  version,
}: {
  readonly answer: WorkloadsAnswer
  readonly version: string
}): ReactNode {
  const [pointed, setPointed] = useState<number>()
  const id = useId()
  const { days, versions } = answer
  const follow = workloadUpdate(
    answer,
    atLeast(
      versions.map((one) => one.version),
      version,
    ),
  )
  if (follow.last === undefined) {
    return <p className="quiet empty">No cluster reports running VMs (from kubevirt_vmi_phase_count or objects).</p>
  }
  const { planned, real, last, clusters } = follow
  const shown = pointed ?? days.indexOf(last.day)
  const first = planned.findIndex((share) => share !== null)
  return (
    <>
      <p className="spaced">
        <strong>
          {formatCount(last.real)} of {countOf(last.machines, 'VM')} run the virt-launcher of {version} or newer (
          {formatShare(last.real, last.machines)})
        </strong>
        {last.planned > last.real ? (
          <>; {formatCount(last.planned - last.real)} more have an upgraded control plane and an older virt-launcher.</>
        ) : (
          '; no VM with an upgraded control plane has an older virt-launcher.'
        )}
      </p>
      <ChartBeside legend={<WorkloadUpdateLegend follow={follow} day={shown} days={days} />}>
        <StepChart
          label={`VMs on ${version} or newer, by control plane and by virt-launcher`}
          places={days.length}
          ticks={(widthPx) => dayTicks(days, Math.floor(widthPx / 70))}
          levels={[0, 0.5, 1].map((at) => ({ at, text: `${100 * at} %` }))}
          heightPx={200}
          pointed={pointed}
          onPoint={setPointed}
        >
          {(scale) => {
            const isReported = planned.map((share) => share !== null)
            const bands = [
              { key: 'real', values: real.map((share) => share ?? 0) },
              { key: 'outdated', values: planned.map((share, day) => (share ?? 0) - (real[day] ?? 0)) },
            ]
            const [reached, outdated] = stackedAreas(bands, isReported, scale)
            return (
              <>
                <Hatches id={id} />
                <ChartArea d={reached!.path} fill="--dt-series-1" />
                <ChartArea d={outdated!.path} fill="unreported" hatches={id} />
                <ChartLine d={steppedLine(clusters, scale)} color="--dt-text" dashes="2 4" />
              </>
            )
          }}
        </StepChart>
      </ChartBeside>
      {first > 0 ? <p className="quiet">{shortDay(days[first]!)} is the first day with reported VMs.</p> : null}
    </>
  )
}

interface LegendRow {
  readonly name: string
  readonly swatch: ReactNode
  readonly share: number | null | undefined
}

const LEGEND_COLUMNS: readonly Column<LegendRow>[] = [
  {
    head: 'Level',
    kind: 'name',
    cell: ({ name, swatch }) => (
      <>
        {swatch} {name}
      </>
    ),
  },
  {
    head: 'Share',
    kind: 'number',
    cell: ({ share }) => (share === null || share === undefined ? 'not known' : formatShare(share, 1)),
  },
]

interface WorkloadUpdateLegendProps {
  readonly follow: WorkloadUpdate
  readonly day: number
  readonly days: readonly string[]
}

function WorkloadUpdateLegend({ follow, day, days }: WorkloadUpdateLegendProps): ReactNode {
  return (
    <DataTable
      label="Both levels on one day"
      caption={shortDay(days[day]!)}
      look="prose"
      columns={LEGEND_COLUMNS}
      rows={[
        {
          name: 'Clusters on this version',
          swatch: <LineSwatch color="--dt-text" dashes="2 4" />,
          share: follow.clusters[day],
        },
        { name: 'VMs on these clusters', swatch: <Swatch fill="unreported" />, share: follow.planned[day] },
        { name: 'On the new virt-launcher', swatch: <Swatch fill="--dt-series-1" />, share: follow.real[day] },
      ]}
      rowKey={({ name }) => name}
    />
  )
}

type VersionWorkloads = WorkloadsAnswer['versions'][number]

const COUNT_NAMES = { clusters: 'Clusters', machines: 'VMs', outdated: 'Older virt-launcher' } as const

function MachinesTable({ answer: { days, versions } }: { readonly answer: WorkloadsAnswer }): ReactNode {
  const last = Math.max(
    0,
    days.findLastIndex((_, day) => versions.some(({ clusters }) => clusters[day]! > 0)),
  )
  return (
    <DataTable
      label="VMs by version"
      caption={shortDay(days[last]!)}
      look="prose"
      columns={[
        { head: 'Version', kind: 'name', cell: ({ version }) => version },
        ...(['clusters', 'machines', 'outdated'] as const).map((count): Column<VersionWorkloads> => ({
          id: count,
          head: COUNT_NAMES[count],
          kind: 'number',
          cell: (row) => formatCount(row[count][last]!),
        })),
        {
          head: 'On the new virt-launcher',
          kind: 'number',
          cell: ({ share }) => (typeof share[last] === 'number' ? formatShare(share[last], 1) : 'no VMs'),
        },
      ]}
      rows={versions}
      rowKey={({ version }) => version}
    />
  )
}
