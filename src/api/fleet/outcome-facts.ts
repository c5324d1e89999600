/** Reads what outcomes follow from: the work on occurrences, revisions, and the upgrades and reports of their clusters. */
import type { Clock } from '../../base/clock.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { outcomeRuns, UPGRADE_START_BEFORE_MS, type OutcomeRun } from '../../fleet/outcomes/outcome-runs.ts'
import type { StoredAlertRun } from '../../model/alert-run.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import type { ApiPeople } from './people.ts'
import type { RunbookCatalog } from './runbooks.ts'

export interface WorkDeps {
  readonly ports: PortsOf<WorkPorts>
  readonly catalog: RunbookCatalog
  readonly clock: Clock
}

export interface WorkPorts {
  readonly people: ApiPeople
  readonly fleet: FleetViews
}

/** In the order of the runs. @param runbook absent: the revisions of all runbooks are read */
export async function outcomesOf(
  { people, fleet }: WorkPorts,
  runs: readonly StoredAlertRun[],
  runbook: string | undefined,
  nowMs: number,
): Promise<readonly OutcomeRun[]> {
  const view = fleet({ nowMs })
  const clusters = [...new Set(runs.map(({ labels }) => clusterOf(labels)))].filter((cluster) => cluster !== '')
  const oldestMs = runs.reduce((oldest, { firedAtMs }) => Math.min(oldest, firedAtMs), nowMs)
  const [entries, revisions, upgrades, reports] = await Promise.all([
    people.runbookWork.entries(runs.map(({ fingerprint, activeAtMs }) => ({ fingerprint, activeAtMs }))),
    people.runbookWork.revisions(runbook),
    view.upgradeSpans(clusters, oldestMs - UPGRADE_START_BEFORE_MS),
    view.lastReports(clusters),
  ])
  const byCluster = clusters.flatMap((cluster, i) => {
    const report = reports[i]
    return report === undefined ? [] : [[cluster, report] as const]
  })
  return outcomeRuns({ runs, entries, revisions, upgrades, reports: new Map(byCluster) })
}
