import { choiceField, viewCodec } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { GateDetail } from '../../contract/fleet-gates.ts'
import { clusterPath, clustersPath, gatePath } from '../lib/paths.ts'
import { operatorName } from '../lib/fleet-names.ts'
import { countOf, formatCount, formatShare } from '../lib/format-number.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { FleetCoverageNote } from '../panels/fleet/fleet-coverage.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { gateCall, useGate } from '../query/use-gates.ts'
import { useMoment } from '../query/use-moment.ts'
import { Choice } from '../ui/choice.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'

const SHOWS = [
  { value: '', text: 'All', source: '', on: '' },
  { value: 'patched', text: 'By JSON patch', source: 'jsonpatch', on: '' },
  { value: 'on', text: 'On', source: '', on: 'true' },
  { value: 'off', text: 'Off', source: '', on: 'false' },
] as const

const GATE_VIEW = viewCodec({
  show: choiceField(
    'show',
    SHOWS.map(({ value }) => value),
  ),
})

/** The clusters and versions that set a feature gate. */
export function GatePage({ gate }: { readonly gate: string }): ReactNode {
  const { view, set } = useView(GATE_VIEW, (search) => gatePath(gate, search))
  const show = SHOWS.find(({ value }) => value === view.show) ?? SHOWS[0]
  const asked = { gate, source: show.source, on: show.on }
  const query = useGate(asked)
  return (
    <div className="page">
      <title>{`${gate} · Daytwo`}</title>
      <PagesNav place="Fleet" />
      <h1>{gate}</h1>
      <Answer query={query} what={`the feature gate ${gate}`} skeletonLines={10}>
        {({ pages }) => {
          const [first] = pages
          return first === undefined ? null : (
            <>
              <GateSummary detail={first} />
              <Panel
                title="Clusters that set it"
                aside={<Choice label="Filter" options={SHOWS} value={show.value} onChange={set('show')} />}
              >
                <UseTable uses={pages.flatMap(({ uses }) => uses)} total={first.total} />
                <MoreButton query={query} text="Show more" />
              </Panel>
            </>
          )
        }}
      </Answer>
      <ApiCallNote call={{ path: gateCall(asked, useMoment()) }} />
    </div>
  )
}

function GateSummary({ detail }: { readonly detail: GateDetail }): ReactNode {
  const { on, off, patched, telling, versions, coverage } = detail
  const of = (count: number): string =>
    `${formatCount(count)} of ${formatCount(telling)} (${formatShare(count, telling)})`
  return (
    <Panel title="Use" aside={<FleetCoverageNote coverage={coverage} />}>
      <FactList
        isWide
        facts={[
          { name: 'On in HyperConverged', value: of(on) },
          { name: 'Off in HyperConverged', value: of(off) },
          { name: 'Set by JSON patch', value: countOf(patched, 'cluster') },
          {
            name: 'On, by version of HCO',
            value:
              versions.length === 0
                ? 'no cluster'
                : versions.map(({ version, clusters }) => (
                    <span key={version} className="inline-item nums">
                      {version === null ? 'not reported' : <Link href={clustersPath({ version })}>{version}</Link>} (
                      {formatCount(clusters)})
                    </span>
                  )),
          },
        ]}
      />
      <p className="quiet">
        {formatCount(telling)} of {countOf(coverage.clusters, 'cluster')} report the settings of HyperConverged. A gate
        that is not set has the default of its version.
      </p>
    </Panel>
  )
}

function UseTable({ uses, total }: Pick<GateDetail, 'uses' | 'total'>): ReactNode {
  if (uses.length === 0) return <p className="quiet empty">No cluster matches this filter.</p>
  return (
    <>
      <p className="quiet nums" role="status">
        {uses.length < total ? `${formatCount(uses.length)} of ${formatCount(total)}` : countOf(total, 'place')},
        patches first
      </p>
      <DataTable
        label="Clusters that set it"
        columns={USE_COLUMNS}
        rows={uses}
        rowKey={({ cluster, source, component, spelled }, i) =>
          `${cluster} ${source} ${component ?? ''} ${spelled} ${i}`
        }
      />
    </>
  )
}

const USE_COLUMNS: readonly Column<GateDetail['uses'][number]>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    style: { minInlineSize: '7rem' },
    isBelowStacked: true,
    cell: ({ cluster }) => (
      <Link href={clusterPath(cluster)} data-row>
        {cluster}
      </Link>
    ),
    below: (use) => (
      <>
        <span>
          <UseSource use={use} />
        </span>
        <span>
          set by <UseManager use={use} />
        </span>
      </>
    ),
  },
  {
    head: 'HCO',
    isOneLine: true,
    cell: ({ version }) => <span className="nums">{version ?? <span className="quiet">not known</span>}</span>,
  },
  { head: 'Set', isOneLine: true, cell: ({ on }) => (on ? 'on' : 'off') },
  { head: 'Where', isHiddenOnPhone: true, cell: (use) => <UseSource use={use} /> },
  { head: 'Set by', isHiddenOnPhone: true, cell: (use) => <UseManager use={use} /> },
  {
    head: 'Since',
    cell: ({ since }) => <Ago at={since} none="before the first report" />,
  },
]

interface UseProps {
  readonly use: GateDetail['uses'][number]
}

function UseManager({ use: { by } }: UseProps): ReactNode {
  return by === null ? <span className="quiet">not reported</span> : <code>{by}</code>
}

function UseSource({ use: { source, component } }: UseProps): ReactNode {
  if (source === 'hyperconverged') return 'HyperConverged'
  return (
    <>
      <strong>JSON patch</strong> of {operatorName(component ?? '')}
    </>
  )
}
