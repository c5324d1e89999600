import type { ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { ClusterDetail } from '../../contract/fleet-clusters.ts'
import { TIMELINE_KINDS, timelineOf } from '../lib/cluster-timeline.ts'
import { CLUSTER_VIEW } from '../lib/cluster-view.ts'
import { clusterPath, clustersPath, modificationsPath, patchesPath, upgradesPath, alertsPath } from '../lib/paths.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { fittingRange, HISTORY_RANGES } from '../lib/version-lanes.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import { SEVERITIES } from '../lib/severity.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import {
  ClusterConditions,
  ClusterCoverage,
  ClusterIdentity,
  ClusterMachines,
  ClusterSettings,
} from '../panels/fleet/cluster-facts.tsx'
import { ClusterOpenUpgrades } from '../panels/fleet/cluster-open-upgrades.tsx'
import { ClusterTimeline } from '../panels/fleet/cluster-timeline.tsx'
import { DecommissionButton, GoneNote } from '../panels/fleet/decommission-dialog.tsx'
import { SilenceNote } from '../panels/fleet/silence-note.tsx'
import { HazardList } from '../panels/fleet/hazard-list.tsx'
import { UpgradeRows } from '../panels/fleet/upgrade-rows.tsx'
import { VersionHistory } from '../panels/fleet/version-history.tsx'
import { ClusterDifferences } from '../panels/fleet/cluster-differences.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useAlertOccurrences } from '../query/use-alert-occurrences.ts'
import {
  changesCall,
  clusterCall,
  storedCall,
  useChanges,
  useCluster,
  useClusterCounts,
} from '../query/use-clusters.ts'
import { useAlerts } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { useUpgrades } from '../query/use-upgrades.ts'
import { Choice } from '../ui/choice.tsx'
import { SeverityCount } from '../ui/marks.tsx'
import { ClusterStateMark } from '../ui/outcome-marks.tsx'
import { TitleLine } from '../ui/title-line.tsx'
import { Panel } from '../ui/panel.tsx'
import { useKeys } from '../ui/use-keys.ts'

/** Object changes that the timeline loads. */
const CHANGES_READ = 500
const RUNS_WINDOW_MS = 7 * 86_400_000

/** One cluster: its problems, its changes, its configuration. */
export function ClusterPage({ name }: { readonly name: string }): ReactNode {
  const query = useCluster(name)
  const moment = useMoment()
  const [, navigate] = useLocation()
  useKeys({
    Esc: () => {
      navigate(clustersPath())
    },
  })
  return (
    <div className="page">
      <title>{`${name} · Daytwo`}</title>
      <PagesNav place="Fleet" />
      {query.data === undefined ? <h1>{name}</h1> : null}
      <Answer query={query} what={`the cluster ${name}`} skeletonLines={14}>
        {(cluster) => <ClusterAnswer cluster={cluster} />}
      </Answer>
      <ApiCallNote call={{ path: clusterCall(name, moment) }} title="API call: the cluster" />
      <ApiCallNote call={{ path: changesCall({ cluster: name, limit: CHANGES_READ }) }} title="API call: changes" />
      <ApiCallNote call={{ path: storedCall(name) }} title="API call: stored data of the cluster (admin)" />
    </div>
  )
}

function ClusterAnswer({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const versions = useClusterCounts(CLUSTER_VIEW.initial).data?.facets?.versions ?? []
  const isPresent = useMoment() === undefined
  const { open, states, readiness } = cluster
  return (
    <>
      <TitleLine
        title={cluster.cluster}
        tools={isPresent && cluster.gone === null ? <DecommissionButton cluster={cluster} /> : undefined}
      >
        <span className="mark-line">
          {states.map((state) => (
            <ClusterStateMark key={state} state={state} />
          ))}
        </span>
        <FiringNote cluster={cluster.cluster} />
      </TitleLine>
      <GoneNote cluster={cluster} />
      <SilenceNote silence={cluster.silence} />
      <div className="columns">
        <div>
          {open.length === 0 ? null : (
            <Panel title="Active upgrades">
              <ClusterOpenUpgrades open={open} />
            </Panel>
          )}
          {readiness === null ? null : (
            <Panel
              title="Known hazards"
              aside={readiness.hazards.length === 0 ? undefined : formatCount(readiness.hazards.length)}
            >
              <HazardList cluster={cluster.cluster} readiness={readiness} />
            </Panel>
          )}
          <HistoryPanel cluster={cluster} />
          <UpgradesPanel cluster={cluster} />
          <TimelinePanel cluster={cluster} />
        </div>
        <div>
          <ClusterIdentity cluster={cluster} versions={versions} />
          <ClusterCoverage cluster={cluster} />
          <ClusterConditions cluster={cluster} />
          <ClusterMachines cluster={cluster} />
          <ClusterDifferences cluster={cluster.cluster} />
          <ClusterSettings cluster={cluster} />
        </div>
      </div>
    </>
  )
}

function FiringNote({ cluster }: { readonly cluster: string }): ReactNode {
  const { data, error } = useAlerts()
  if (data === undefined) {
    return error === null ? null : <span className="quiet">Could not load the alerts of this cluster.</span>
  }
  const { alerts } = data
  const firing = alerts.filter((alert) => alert.cluster === cluster && alert.state === 'firing')
  if (firing.length === 0) return <span className="quiet">No firing alerts on this cluster.</span>
  return (
    <span className="mark-line">
      <Link href={alertsPath({ cluster })}>{countOf(firing.length, 'alert')} firing</Link>
      {SEVERITIES.map((severity) => ({
        severity,
        count: firing.filter((alert) => alert.severity === severity).length,
      }))
        .filter(({ count }) => count > 0)
        .map(({ severity, count }) => (
          <SeverityCount key={severity} severity={severity} count={formatCount(count)} />
        ))}
    </span>
  )
}

/** A part of the page's search, changed without a new page of history. */
function useChoice<T extends string>(
  cluster: string,
  name: string,
  options: readonly T[],
  first: T,
): readonly [T, (value: T) => void] {
  const search = useSearch()
  const [, navigate] = useLocation()
  const params = new URLSearchParams(search)
  const chosen = options.find((option) => option === params.get(name)) ?? first
  const set = (value: T): void => {
    const rest = Object.fromEntries([...params].filter(([key]) => key !== name))
    navigate(withSearch(clusterPath(cluster), searchOf({ ...rest, [name]: value })), { replace: true })
  }
  return [chosen, set]
}

function HistoryPanel({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const nowMs = Date.parse(cluster.asOf)
  const [range, setRange] = useChoice(
    cluster.cluster,
    'range',
    HISTORY_RANGES.map(({ name }) => name),
    fittingRange(cluster.intervals, nowMs),
  )
  return (
    <Panel
      title="Versions over time"
      aside={
        <Choice
          label="Range"
          options={HISTORY_RANGES.map(({ name, text }) => ({ value: name, text }))}
          value={range}
          onChange={setRange}
        />
      }
    >
      <VersionHistory intervals={cluster.intervals} range={range} nowMs={nowMs} />
    </Panel>
  )
}

const UPGRADES_SHOWN = 8

function UpgradesPanel({ cluster: { cluster, upgradeCount } }: { readonly cluster: ClusterDetail }): ReactNode {
  const upgrades = useUpgrades({ cluster })
  return (
    <Panel
      title="Upgrades"
      aside={
        upgradeCount > UPGRADES_SHOWN ? (
          <Link href={upgradesPath({ cluster })}>all {formatCount(upgradeCount)}</Link>
        ) : (
          countOf(upgradeCount, 'upgrade')
        )
      }
    >
      <Answer query={upgrades} what="the upgrades" skeletonLines={3}>
        {(answer) => <UpgradeRows upgrades={answer.upgrades.slice(0, UPGRADES_SHOWN)} />}
      </Answer>
    </Panel>
  )
}

function TimelinePanel({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const name = cluster.cluster
  const [kind, setKind] = useChoice(name, 'show', ['all', ...TIMELINE_KINDS], 'all')
  const changes = useChanges({ cluster: name, limit: CHANGES_READ })
  const upgrades = useUpgrades({ cluster: name }).data?.upgrades ?? []
  const moment = useMoment()
  const toMs = moment === undefined ? undefined : Date.parse(moment)
  // A whole hour, so that the request stays the same.
  const fromMs = Math.floor((Date.parse(cluster.asOf) - RUNS_WINDOW_MS) / 3_600_000) * 3_600_000
  const runs = useAlertOccurrences(name, fromMs, toMs).data?.runs ?? []
  return (
    <Panel
      title="Changes"
      aside={
        <Choice
          label="Show"
          options={[
            { value: 'all', text: 'All' },
            { value: 'objects', text: 'Objects' },
            { value: 'upgrades', text: 'Upgrades' },
            { value: 'alerts', text: 'Alerts' },
            { value: 'modifications', text: 'Modifications' },
            ...(cluster.decommissions.length === 0 ? [] : [{ value: 'cluster', text: 'Decommissioning' } as const]),
          ]}
          value={kind}
          onChange={setKind}
        />
      }
    >
      {cluster.coverage.objects ? null : (
        <p className="quiet">Objects not reported: only upgrades, alerts and modifications are known.</p>
      )}
      <Answer query={changes} what="the changes" skeletonLines={6}>
        {(answer) => {
          const items = timelineOf({
            firstSeenMs: Date.parse(cluster.firstSeenAt),
            changes: answer.changes,
            upgrades,
            modifications: cluster.modifications,
            decommissions: cluster.decommissions,
            runs,
          }).filter((item) => kind === 'all' || item.kind === kind)
          return (
            <>
              <ClusterTimeline key={kind} items={items} />
              {answer.hasMore ? (
                <p className="quiet">Only the newest {formatCount(CHANGES_READ)} object states are shown.</p>
              ) : null}
            </>
          )
        }}
      </Answer>
      {cluster.modifications.length === 0 ? null : (
        <p>
          <Link href={modificationsPath({ cluster: name })}>
            {countOf(cluster.modifications.length, 'modification')} of this cluster
          </Link>
          {cluster.modifications.some(({ kind: its, endedAt }) => its === 'jsonpatch' && endedAt === null) ? (
            <>
              {', '}
              <Link href={patchesPath({ cluster: name })}>its JSON patches in the next version</Link>
            </>
          ) : null}
        </p>
      )}
    </Panel>
  )
}
