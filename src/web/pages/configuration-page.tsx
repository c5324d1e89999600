import type { ReactNode } from 'react'
import type { ConfigurationAnswer } from '../../contract/fleet-configuration.ts'
import { CLUSTER_VIEW } from '../lib/cluster-view.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { configurationPath } from '../lib/paths.ts'
import { choiceField, textField, viewCodec } from '../lib/view-codec.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { BaselineNote } from '../panels/fleet/baseline-choice.tsx'
import { BaselineReplay } from '../panels/fleet/baseline-replay.tsx'
import { DeprecatedApisPanel } from '../panels/fleet/deprecated-apis-panel.tsx'
import { FleetCoverageNote, NoClusterNote } from '../panels/fleet/fleet-coverage.tsx'
import { GateTable } from '../panels/fleet/gate-table.tsx'
import { KvmStackPanel } from '../panels/fleet/kvm-stack-panel.tsx'
import { SettingTable } from '../panels/fleet/setting-table.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useView } from '../panels/use-view.ts'
import { useClusterCounts } from '../query/use-clusters.ts'
import {
  configurationCall,
  deprecatedApisCall,
  kvmStackCall,
  useConfiguration,
  type ConfigurationAsked,
} from '../query/use-configuration.ts'
import { gatesCall, useGates } from '../query/use-gates.ts'
import { useMoment } from '../query/use-moment.ts'
import { Choice } from '../ui/choice.tsx'
import { FacetSelect } from '../ui/facet-select.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Panel } from '../ui/panel.tsx'

const AGAINST = [
  { value: '', text: 'Baseline' },
  { value: 'majority', text: 'Majority' },
] as const

export const CONFIGURATION_VIEW = viewCodec({
  version: textField('version'),
  region: textField('region'),
  against: choiceField('against', ['', 'majority']),
  /** A version of HCO: what the stack and the APIs are looked at for. */
  target: textField('target'),
})

/** How the clusters are configured: settings, gates, QEMU, APIs. */
export function ConfigurationPage(): ReactNode {
  const { view, change, set } = useView(CONFIGURATION_VIEW, configurationPath)
  const moment = useMoment()
  const facets = useClusterCounts(CLUSTER_VIEW.initial).data?.facets
  const { target, ...asked } = view
  const query = useConfiguration(asked)
  const hasBaseline = query.data !== undefined && query.data.baseline !== null
  const isEmpty = query.data?.coverage.clusters === 0
  const isFiltered = asked.version !== '' || asked.region !== ''
  return (
    <div className="page">
      <title>Configuration · Daytwo</title>
      <h1 className="visually-hidden">Fleet: configuration</h1>
      <PagesNav place="Fleet" />
      <FilterBar
        onReset={
          isFiltered
            ? () => {
                change({ version: '', region: '' })
              }
            : undefined
        }
      >
        <FacetSelect label="Version" values={facets?.versions ?? []} value={view.version} onChange={set('version')} />
        <FacetSelect label="Region" values={facets?.regions ?? []} value={view.region} onChange={set('region')} />
        {hasBaseline ? (
          <Choice label="Compare with" options={AGAINST} value={view.against} onChange={set('against')} />
        ) : null}
      </FilterBar>
      <Answer query={query} what="the configuration" skeletonLines={10}>
        {(answer) => <Settings answer={answer} asked={asked} />}
      </Answer>
      {isEmpty ? null : (
        <>
          {moment === undefined ? <BaselineReplay /> : null}
          <GatePanel />
          <FilterBar>
            <FacetSelect
              label="Target version"
              values={facets?.versions ?? []}
              value={target}
              onChange={set('target')}
            />
            <span className="quiet">What would a move to this version change?</span>
          </FilterBar>
          <KvmStackPanel target={target} />
          <DeprecatedApisPanel target={target} />
        </>
      )}
      <ApiCallNote call={{ path: configurationCall(asked, moment) }} title="API call: settings" />
      <ApiCallNote call={{ path: gatesCall(moment) }} title="API call: feature gates" />
      <ApiCallNote call={{ path: kvmStackCall(target, moment) }} title="API call: KVM stack" />
      <ApiCallNote call={{ path: deprecatedApisCall(target, moment) }} title="API call: deprecated APIs" />
    </div>
  )
}

function GatePanel(): ReactNode {
  return (
    <Panel title="Feature gates" id="gates">
      <Answer query={useGates()} what="the feature gates" skeletonLines={6}>
        {(answer) => <GateTable answer={answer} />}
      </Answer>
    </Panel>
  )
}

interface SettingsProps {
  readonly answer: ConfigurationAnswer
  readonly asked: ConfigurationAsked
}

function Settings({ answer, asked }: SettingsProps): ReactNode {
  const { clusters, reporting, differing, baseline, settings, coverage } = answer
  if (coverage.clusters === 0) return <NoClusterNote />
  return (
    <Panel title="Settings">
      <ListLine count={`${formatCount(differing)} of ${countOf(reporting, 'cluster')} differ`}>
        <BaselineNote baseline={baseline} />
        <FleetCoverageNote coverage={coverage} />
      </ListLine>
      <p className="quiet">
        {formatCount(reporting)} of {countOf(clusters, 'cluster')} report settings. Clusters that keep the defaults of
        their versions do not differ.
      </p>
      <SettingTable settings={settings} search={{ ...asked }} />
    </Panel>
  )
}
