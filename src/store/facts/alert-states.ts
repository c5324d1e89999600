import type { Selectable } from 'kysely'
import { invariant } from '../../base/invariant.ts'
import { ALERT_STATES, type AlertRecord, type AlertStateStore } from '../../model/alert.ts'
import { Labels } from '../../model/labels.ts'
import type { RunFacts } from './run-facts.ts'
import type { AlertStateTable } from './schema.ts'

/** Rows of one INSERT: databases limit the number of parameters, and each row has thirteen. */
const ROWS_PER_INSERT = 500

export class SqlAlertStates implements AlertStateStore {
  readonly #run: RunFacts

  constructor(run: RunFacts) {
    this.#run = run
  }

  async load(): Promise<ReadonlyMap<string, readonly AlertRecord[]>> {
    const rows = await this.#run('reading alert states', (db) =>
      db.selectFrom('alert_state').selectAll().orderBy('group_key').orderBy('position').execute(),
    )
    const groups = new Map<string, AlertRecord[]>()
    for (const row of rows) {
      const group = groups.get(row.group_key)
      if (group === undefined) groups.set(row.group_key, [recordOf(row)])
      else group.push(recordOf(row))
    }
    return groups
  }

  async replaceGroup(groupKey: string, records: readonly AlertRecord[]): Promise<void> {
    const rows = records.map((record, position) => rowOf(groupKey, position, record))
    await this.#run('writing alert states', (db) =>
      db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('alert_state').where('group_key', '=', groupKey).execute()
        for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
          const some = rows.slice(from, from + ROWS_PER_INSERT)
          await transaction.insertInto('alert_state').values(some).execute()
        }
      }),
    )
  }
}

function rowOf(groupKey: string, position: number, record: AlertRecord): AlertStateTable {
  return {
    group_key: groupKey,
    position,
    rule_key: record.ruleKey,
    fingerprint: record.fingerprint,
    labels: JSON.stringify(record.labels.flat),
    annotations: JSON.stringify(record.annotations),
    state: record.state,
    active_at_ms: record.activeAtMs,
    fired_at_ms: record.firedAtMs ?? null,
    resolved_at_ms: record.resolvedAtMs ?? null,
    last_held_at_ms: record.lastHeldAtMs,
    keep_firing_since_ms: record.keepFiringSinceMs ?? null,
    value: Object.is(record.value, -0) ? '-0' : String(record.value),
  }
}

function recordOf(row: Selectable<AlertStateTable>): AlertRecord {
  const state = ALERT_STATES.find((known) => known === row.state)
  invariant(state !== undefined, 'only known alert states are written')
  return {
    ruleKey: row.rule_key,
    fingerprint: row.fingerprint,
    // Written by `rowOf`, and by nobody else.
    labels: Labels.fromFlat(JSON.parse(row.labels) as string[]),
    annotations: JSON.parse(row.annotations) as Record<string, string>,
    state,
    activeAtMs: row.active_at_ms,
    ...(row.fired_at_ms === null ? {} : { firedAtMs: row.fired_at_ms }),
    ...(row.resolved_at_ms === null ? {} : { resolvedAtMs: row.resolved_at_ms }),
    lastHeldAtMs: row.last_held_at_ms,
    ...(row.keep_firing_since_ms === null ? {} : { keepFiringSinceMs: row.keep_firing_since_ms }),
    value: Number(row.value),
  }
}
