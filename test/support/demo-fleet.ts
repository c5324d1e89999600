import Database from 'better-sqlite3'
import { BEFORE_HISTORY_MS, DEMO_DEFAULTS, paceOf } from '../../src/cli/demo-pace.ts'
import { deriveCluster } from '../../src/fleet/derive/derive-cluster.ts'
import type { FleetViews } from '../../src/fleet/fleet-views.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'
import { createFacts } from '../../src/store/facts/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import { roleOf } from '../../sim/cast.ts'
import { observationsOf } from '../../sim/history/cluster-observations.ts'
import { historyOfPlan, tellsObjects } from '../../sim/history/history-of-plan.ts'
import { pastOfPlan } from '../../sim/history/past-of-plan.ts'
import { createPlan } from '../../sim/scenario.ts'
import { pastOptions } from '../../sim/simulate.ts'
import { fleetFactsOver } from './fleet-facts.ts'
import { putFacts } from './put-facts.ts'

/** What the demo derives from the objects of its clusters' past, with its own seed and settings, without a server and its hours of metrics. */
export async function demoFleet(presentMs: number): Promise<FleetViews> {
  const { clusters, seed } = DEMO_DEFAULTS
  const { historyMs, pastMs } = paceOf(clusters, {})
  const startMs = presentMs - historyMs - BEFORE_HISTORY_MS
  const past = pastOptions(pastMs, startMs, presentMs)!
  const facts = Array.from({ length: clusters }, (_, index) =>
    createPlan({ seed, index, role: roleOf(index), startMs, presentMs, scrapeMs: 30_000 }),
  )
    .filter(tellsObjects)
    .map((plan) => {
      const history = historyOfPlan({ ...plan, upgrades: [] }, startMs, pastOfPlan(plan, past))
      return deriveCluster(observationsOf({ ...history, tells: { objects: true, metrics: false, spans: false } }))
    })
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const { fleet } = createFacts(database, new ConnectionLock())
  await putFacts(fleet, facts)
  return (await fleetFactsOver(fleet)).fleet
}
