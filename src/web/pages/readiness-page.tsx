import type { ReactNode } from 'react'
import type { ReadinessItems, ReadyClusterItem } from '../../contract/readiness.ts'
import { READINESS_VERDICTS } from '../../model/readiness.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { READINESS_VIEW, readinessPath } from '../lib/readiness-view.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { valueChips } from '../panels/fleet/cluster-fields.tsx'
import { FleetCoverageNote, NoClusterNote } from '../panels/fleet/fleet-coverage.tsx'
import { AcceptancesPanel, CalibrationPanel } from '../panels/fleet/readiness-history.tsx'
import {
  ClusterList,
  HazardClusters,
  HazardTable,
  MissingTable,
  type ReadinessProps,
} from '../panels/fleet/readiness-tables.tsx'
import { VerdictMark } from '../panels/fleet/verdict-mark.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useView } from '../panels/use-view.ts'
import { useMoment } from '../query/use-moment.ts'
import { ACCEPTANCES_PATH, readinessCall, useReadinessCounts } from '../query/use-readiness.ts'
import { FacetSelect } from '../ui/facet-select.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Panel } from '../ui/panel.tsx'
import { Select } from '../ui/select.tsx'

/** Which clusters can be upgraded to a version, which hazards the others have, and what is not known. */
export function ReadinessPage(): ReactNode {
  const { view, change, set } = useView(READINESS_VIEW, readinessPath)
  const counts = useReadinessCounts(view)
  const moment = useMoment()
  return (
    <div className="page">
      <title>Readiness · Daytwo</title>
      <h1 className="visually-hidden">Fleet: upgrade readiness</h1>
      <PagesNav place="Fleet" />
      <Answer query={counts} what="the readiness of the fleet" skeletonLines={12}>
        {(answer) => (
          <>
            <FilterBar
              search={{
                label: 'Search clusters',
                placeholder: 'Cluster name',
                value: view.text,
                onChange: set('text'),
              }}
              chips={[
                ...valueChips('version', view.versions, (versions) => {
                  change({ versions })
                }),
                ...valueChips('region', view.region === '' ? [] : [view.region], () => {
                  change({ region: '' })
                }),
              ]}
            >
              <Select
                label="Upgrade to"
                none={`Upgrade to: ${targetName(answer.target)}`}
                options={answer.targets.map(({ to, operator, version }) => ({
                  value: to,
                  text: targetName({ operator, version }),
                }))}
                value={view.to}
                onChange={set('to')}
              />
              <FacetSelect
                label="Version"
                values={answer.facets?.versions ?? []}
                value=""
                isMany
                onChange={(version) => {
                  change({ versions: [...new Set([...view.versions, version])] })
                }}
              />
            </FilterBar>
            <ReadinessAnswer view={view} answer={answer} />
          </>
        )}
      </Answer>
      {moment === undefined ? (
        <>
          <AcceptancesPanel />
          <CalibrationPanel />
        </>
      ) : null}
      <ApiCallNote call={{ path: readinessCall(view, moment) }} title="API call: readiness" />
      {moment === undefined ? <ApiCallNote call={{ path: ACCEPTANCES_PATH }} title="API call: accepted risks" /> : null}
    </div>
  )
}

function targetName({ operator, version }: Pick<ReadinessItems['target'], 'operator' | 'version'>): string {
  return operator === 'openshift' ? `OpenShift ${version}` : version
}

function ReadinessAnswer({ view, answer }: ReadinessProps): ReactNode {
  const { coverage, facets, reached, others, target } = answer
  if (coverage.clusters === 0) return <NoClusterNote />
  const of = (verdict: ReadyClusterItem['verdict']): number => facets?.verdicts[verdict] ?? 0
  const candidates = of('ready') + of('at_risk') + of('not_recommended') + of('unknown')
  return (
    <>
      <ListLine count={`${countOf(candidates, 'cluster')} behind ${targetName(target)}`}>
        <span className="quiet">
          {formatCount(reached)} already there
          {others === 0 ? null : `, ${countOf(others, 'cluster')} without this operator or platform`}. Daytwo advises
          and blocks nothing.
        </span>
        <FleetCoverageNote coverage={coverage} />
      </ListLine>
      <p className="row row-text space-below">
        {READINESS_VERDICTS.map((verdict) => (
          <span key={verdict} className="inline-item nums">
            {formatCount(of(verdict))} <VerdictMark verdict={verdict} />
          </span>
        ))}
      </p>
      <div className="parts">
        <Panel title="Ready" aside={formatCount(of('ready'))}>
          <ClusterList
            view={view}
            of={{ verdict: 'ready' }}
            label="Ready clusters"
            empty="No cluster is ready: the other columns show what to fix first."
          />
        </Panel>
        <Panel title="Hazards" aside={`${countOf(of('at_risk') + of('not_recommended'), 'cluster')} with a risk`}>
          <HazardTable view={view} answer={answer} />
        </Panel>
        <Panel title="Unknown" aside={formatCount(of('unknown'))}>
          <div className="space-below">
            <MissingTable answer={answer} />
          </div>
          <ClusterList view={view} of={{ verdict: 'unknown' }} label="Clusters with unknown readiness" empty={null} />
        </Panel>
      </div>
      {view.hazard === '' ? null : <HazardClusters view={view} answer={answer} />}
    </>
  )
}
