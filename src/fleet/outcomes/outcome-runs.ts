/** Occurrences of alerts with the work on them, the revision of their runbook, and what ended them. Pure. */
import { groupBy } from '../../base/group-by.ts'
import { runKeyOf, type StoredAlertRun } from '../../model/alert-run.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { RunbookRevision, RunbookStep, WorkEntry } from '../../model/runbook-work.ts'
import type { UpgradeSpan } from '../../model/upgrade.ts'
import type { LastReport } from '../clusters/cluster-index.ts'
import { endOf, type EndFacts, type EndVerdict } from './end-cause.ts'
import { workStateOf, type Recorded, type WorkState } from './work-state.ts'

export interface OutcomeRun {
  readonly run: StoredAlertRun
  readonly entries: readonly WorkEntry[]
  readonly work: WorkState
  /** That people worked with, otherwise the one in use when the alert fired; absent: none was recorded by then. */
  readonly revision?: string
  /** The texts of all recorded revisions, by key. */
  readonly steps: ReadonlyMap<string, RunbookStep>
  /** The acknowledgement or the first entry of the work, whichever was first; absent: neither was there before the end. */
  readonly acknowledged?: Recorded
  /** Absent while it is firing. */
  readonly end?: EndVerdict
}

export interface OutcomeFacts {
  readonly runs: readonly StoredAlertRun[]
  /** Of these runs at least. */
  readonly entries: readonly WorkEntry[]
  /** Of the runbook of these runs, oldest first. */
  readonly revisions: readonly RunbookRevision[]
  /** Of the clusters of these runs. */
  readonly upgrades: readonly UpgradeSpan[]
  /** By the name of the cluster; a cluster without one is unknown. */
  readonly reports: ReadonlyMap<string, LastReport>
}

/** How long before the oldest occurrence an upgrade may have started that still ran then. */
export const UPGRADE_START_BEFORE_MS = 30 * 86_400_000

export function outcomeRuns({ runs, entries, revisions, upgrades, reports }: OutcomeFacts): readonly OutcomeRun[] {
  const entriesByRun = groupBy(entries, runKeyOf)
  const upgradesByCluster = groupBy(upgrades, ({ cluster }) => cluster)
  const steps = new Map(revisions.flatMap((revision) => revision.steps.map((step) => [step.key, step] as const)))
  return runs.map((run) => {
    const cluster = clusterOf(run.labels)
    const own = entriesByRun.get(runKeyOf(run)) ?? []
    const work = workStateOf(own)
    const revision = own.at(-1)?.revision ?? revisions.findLast(({ fromMs }) => fromMs <= run.firedAtMs)?.revision
    const acknowledged = acknowledgementOf(run, work)
    const end = endOf({
      ...{ run, work, steps, cluster: clusterFact(cluster, reports) },
      upgrades: upgradesByCluster.get(cluster) ?? [],
    })
    return {
      ...{ run, entries: own, work, steps },
      ...(revision === undefined ? {} : { revision }),
      ...(acknowledged && { acknowledged }),
      ...(end && { end }),
    }
  })
}

function clusterFact(cluster: string, reports: OutcomeFacts['reports']): EndFacts['cluster'] {
  if (cluster === '') return { kind: 'none' }
  const report = reports.get(cluster)
  if (report === undefined) return { kind: 'unknown' }
  const { lastSeenMs } = report
  return { kind: 'known', ...(lastSeenMs === undefined ? {} : { lastSeenMs }) }
}

/** Work that is recorded after the end is not an acknowledgement. */
function acknowledgementOf(run: StoredAlertRun, { started }: WorkState): Recorded | undefined {
  const { acknowledgedAtMs: atMs, acknowledgedBy: by, resolvedAtMs = Infinity } = run
  const stated = atMs === undefined ? [] : [{ atMs, by: by ?? '' }]
  return [...stated, ...(started === undefined ? [] : [started])]
    .filter((one) => one.atMs <= resolvedAtMs)
    .sort((a, b) => a.atMs - b.atMs)[0]
}
