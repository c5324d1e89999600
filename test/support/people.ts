import Database from 'better-sqlite3'
import { silentLog } from '../../src/base/log.ts'
import type { Clock } from '../../src/base/clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { createPeople } from '../../src/runtime/user-actions.ts'
import type { People, PeopleStore } from '../../src/runtime/user-actions.ts'
import type { RuleAlert } from '../../src/rules/rule-status.ts'
import { createFacts, type Facts } from '../../src/store/facts/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'

/** People's commands as they ship, on a database in memory and in one thread. */
export interface MemoryPeople {
  readonly people: People
  readonly facts: Facts
  /** The same facts after a restart. */
  restart(): Promise<People>
}

export async function memoryPeople({
  clock,
  ruleAlerts = () => Promise.resolve([]),
  options = {},
  aliases = {},
  wrap = (store) => store,
  decommissionsTold = () => Promise.resolve(),
}: {
  readonly clock: Clock
  readonly ruleAlerts?: () => Promise<readonly RuleAlert[]>
  readonly options?: Readonly<Record<string, string>>
  readonly aliases?: Readonly<Record<string, string>>
  /** Puts something between the commands and what is kept, such as a disk that is full. */
  readonly wrap?: (store: PeopleStore) => PeopleStore
  readonly decommissionsTold?: () => Promise<void>
}): Promise<MemoryPeople> {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const facts = createFacts(database, new ConnectionLock())
  const start = (): Promise<People> =>
    createPeople({
      config: readConfig(new Map(Object.entries(options)), undefined, {}),
      clock,
      log: silentLog,
      store: wrap(facts),
      history: { alertRuns: facts.alertRuns, audit: facts.audit, rules: { alerts: ruleAlerts } },
      decommissionsTold,
      canonicalName: (name) => aliases[name] ?? name,
    })
  return { people: await start(), facts, restart: start }
}
