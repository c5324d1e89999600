import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { SettingClusterItem, SettingDetail } from '../../contract/fleet-configuration.ts'
import { countOf, formatCount, formatShare } from '../lib/format-number.ts'
import { clusterPath, configurationPath, settingPath } from '../lib/paths.ts'
import { valueText } from '../lib/setting-text.ts'
import { choiceField, textField, viewCodec } from '../lib/view-codec.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { BaselineButton, BaselineNote } from '../panels/fleet/baseline-choice.tsx'
import { FleetCoverageNote } from '../panels/fleet/fleet-coverage.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useView } from '../panels/use-view.ts'
import { settingCall, useSetting } from '../query/use-configuration.ts'
import { useMoment } from '../query/use-moment.ts'
import { Choice } from '../ui/choice.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'

const SHOWS = [
  { value: '', text: 'All' },
  { value: 'outliers', text: 'Outliers' },
] as const

const SETTING_VIEW = viewCodec({
  version: textField('version'),
  region: textField('region'),
  against: choiceField('against', ['', 'majority']),
  show: choiceField('show', ['', 'outliers']),
})

/** One setting: its values, and the clusters with each. */
export function SettingPage({ name }: { readonly name: string }): ReactNode {
  const { view, set } = useView(SETTING_VIEW, (search) => settingPath(name, search))
  const { show, ...asked } = view
  const query = useSetting(name, asked, show === 'outliers')
  return (
    <div className="page">
      <title>{`${name} · Daytwo`}</title>
      <PagesNav place="Fleet" />
      <h1>{name}</h1>
      <p className="quiet">
        <Link href={configurationPath({ ...asked })}>All settings</Link>
        {[asked.version, asked.region].filter((text) => text !== '').map((text) => ` · only ${text}`)}
      </p>
      <Answer query={query} what={`the setting ${name}`} skeletonLines={10}>
        {({ pages }) => {
          const [first] = pages
          return first === undefined ? null : (
            <>
              <Values detail={first} />
              <Panel
                title="Clusters"
                aside={<Choice label="Filter" options={SHOWS} value={show} onChange={set('show')} />}
              >
                <p className="quiet nums" role="status">
                  {countOf(first.total, 'cluster')}, those that differ first
                </p>
                <DataTable
                  label="Clusters with this setting"
                  columns={COLUMNS}
                  rows={pages.flatMap(({ clusters }) => clusters)}
                  rowKey={({ cluster }) => cluster}
                  csvName={name}
                  empty={<p className="quiet empty">No cluster differs.</p>}
                />
                <MoreButton query={query} text="Show more" />
              </Panel>
            </>
          )
        }}
      </Answer>
      <ApiCallNote call={{ path: settingCall(name, asked, show === 'outliers', useMoment()) }} />
    </div>
  )
}

function Values({ detail }: { readonly detail: SettingDetail }): ReactNode {
  const { values, reporting, otherClusters, reference, outliers, known, baseline, coverage } = detail
  const of = (clusters: number): string =>
    `${formatCount(clusters)} of ${formatCount(reporting)} (${formatShare(clusters, reporting)})`
  return (
    <Panel title="Values" aside={<FleetCoverageNote coverage={coverage} />}>
      <FactList
        isWide
        facts={[
          ...values.map(({ value, default: isDefault, clusters }) => ({
            name: valueText({ value, isDefault }),
            value: of(clusters),
          })),
          otherClusters === 0 ? undefined : { name: 'Other values', value: of(otherClusters) },
          {
            name: 'Compared with',
            value:
              reference === null
                ? 'nothing: no value has a majority'
                : reference.by === 'majority' && reference.default
                  ? 'the default of each version, which most clusters keep'
                  : `${valueText({ value: reference.value, isDefault: reference.default })}, of ${reference.by === 'baseline' ? 'the baseline' : 'most clusters'}`,
          },
          { name: 'Outliers', value: countOf(outliers, 'cluster') },
        ]}
      />
      <p className="quiet">
        {formatCount(reporting)} of {countOf(known, 'cluster')} report it and run a version that has it.{' '}
        <BaselineNote baseline={baseline} />
      </p>
    </Panel>
  )
}

const COLUMNS: readonly Column<SettingClusterItem>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    style: { minInlineSize: '7rem' },
    cell: ({ cluster }) => (
      <Link href={clusterPath(cluster)} data-row>
        {cluster}
      </Link>
    ),
    csv: ({ cluster }) => cluster,
    isBelowStacked: true,
    below: ({ by }) => <span>set by {by ?? 'not reported'}</span>,
  },
  {
    head: 'HCO',
    isOneLine: true,
    cell: ({ version }) => <span className="nums">{version ?? <span className="quiet">not known</span>}</span>,
    csv: ({ version }) => version,
  },
  {
    head: 'Value',
    cell: ({ value, default: isDefault, outlier }) => {
      const text = valueText({ value, isDefault })
      return outlier ? <strong>{text}</strong> : text
    },
    csv: ({ value, default: isDefault }) => valueText({ value, isDefault }),
  },
  {
    head: 'Differs',
    isOneLine: true,
    cell: ({ outlier }) => (outlier ? 'yes' : 'no'),
    csv: ({ outlier }) => String(outlier),
  },
  {
    head: 'Set by',
    isHiddenOnPhone: true,
    cell: ({ by }) => (by === null ? <span className="quiet">not reported</span> : <code>{by}</code>),
    csv: ({ by }) => by,
  },
  {
    head: 'Since',
    isHiddenOnPhone: true,
    cell: ({ since }) => <Ago at={since} none="before the first report" />,
    csv: ({ since }) => since,
  },
  {
    head: 'Baseline',
    isHeadHidden: true,
    isHiddenOnPhone: true,
    cell: ({ cluster }) => <BaselineButton cluster={cluster} />,
  },
]
