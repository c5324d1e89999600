import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import { silentLog } from '../../src/base/log.ts'
import type { Clock } from '../../src/base/clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { externalAlertOptionsOf } from '../../src/config/folder-options.ts'
import { createDecommissions, type Decommissions } from '../../src/fleet/clusters/decommissions.ts'
import { createAcceptances, type Acceptances } from '../../src/fleet/readiness/acceptances.ts'
import { createBaselineChoice, type BaselineChoice } from '../../src/fleet/configuration/baseline.ts'
import { createAlerts, type Alerts, type AlertStore } from '../../src/notify/alerts.ts'
import { createUserActions, type UserActions } from '../../src/notify/user-actions.ts'
import type { RuleAlert } from '../../src/model/alert.ts'
import { createFacts, type Facts } from '../../src/store/facts/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'

/** Users' actions and alerts as they ship, on a database in memory and in one thread. */
export interface People extends UserActions, Alerts {
  readonly decommissions: Decommissions
  readonly acceptances: Acceptances
  readonly baseline: BaselineChoice
  readonly runbookWork: Facts['runbookWork']
}

export interface MemoryPeople {
  readonly people: People
  readonly facts: Facts
  /** The same facts after a restart. */
  restart(options?: Readonly<Record<string, string>>): Promise<People>
}

export async function memoryPeople({
  clock,
  ruleAlerts = () => [],
  options = {},
  aliases = {},
  wrap = (store) => store,
  decommissionsTold = () => Promise.resolve(),
  risksAccepted = () => Promise.resolve(),
  baselineTold = () => Promise.resolve(),
}: {
  readonly clock: Clock
  readonly ruleAlerts?: () => readonly RuleAlert[]
  readonly options?: Readonly<Record<string, string>>
  readonly aliases?: Readonly<Record<string, string>>
  /** Puts something between the commands and what is kept, such as a disk that is full. */
  readonly wrap?: (
    store: Facts,
  ) => AlertStore & { readonly decommissions?: Pick<Facts['decommissions'], 'list' | 'find' | 'write'> }
  readonly decommissionsTold?: () => Promise<void>
  readonly risksAccepted?: () => Promise<void>
  readonly baselineTold?: () => Promise<void>
}): Promise<MemoryPeople> {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const facts = createFacts(database, new ConnectionLock())
  const start = async (present = options): Promise<People> => {
    const config = readConfig(new Map(Object.entries(present)), undefined, {})
    const store = wrap(facts)
    const userActions = await createUserActions(store, facts.audit)
    const alerts = await createAlerts({
      store,
      runs: facts.alertRuns,
      rules: { alerts: ruleAlerts },
      userActions,
      canonicalName: (name) => aliases[name] ?? name,
      options: {
        external: externalAlertOptionsOf(config),
        silenceRetentionMs: config['retention.silences'],
        alertRetentionMs: config['retention.alerts'],
      },
      clock,
      log: silentLog,
    })
    const decommissions = await createDecommissions(
      store.decommissions ?? facts.decommissions,
      randomUUID,
      decommissionsTold,
    )
    const acceptances = await createAcceptances(facts.acceptedRisks, randomUUID, risksAccepted)
    const baseline = createBaselineChoice(facts.configurationBaseline, baselineTold)
    return { ...userActions, ...alerts, decommissions, acceptances, baseline, runbookWork: facts.runbookWork }
  }
  return { people: await start(), facts, restart: start }
}
