import type { Selectable } from 'kysely'
import { groupBy } from '../../base/group-by.ts'
import { ALERT_STATES, type AlertRecord, type AlertStateStore } from '../../model/alert.ts'
import type { Lease } from '../../model/lease.ts'
import { checkLeases } from '../postgres/leases.ts'
import { FactsTables } from './facts-tables.ts'
import { annotationsOf, insertBatches, labelsOf, listed, oneOf } from './row-values.ts'
import type { AlertStateTable } from './schema.ts'

export class SqlAlertStates extends FactsTables implements AlertStateStore {
  async load(groupKeys?: readonly string[]): Promise<ReadonlyMap<string, readonly AlertRecord[]>> {
    const rows = await this.run('reading alert states', (db) =>
      db
        .selectFrom('alert_state')
        .$if(groupKeys !== undefined, (select) => select.where('group_key', 'in', listed(db, groupKeys ?? [])))
        .selectAll()
        .orderBy('group_key')
        .orderBy('position')
        .execute(),
    )
    const groups = groupBy(rows, (row) => row.group_key)
    return new Map([...groups].map(([key, group]) => [key, group.map(recordOf)]))
  }

  async replaceGroup(groupKey: string, records: readonly AlertRecord[], under?: Lease): Promise<void> {
    const rows = records.map((record, position) => rowOf(groupKey, position, record))
    await this.transact('writing alert states', async (transaction) => {
      if (under !== undefined) await checkLeases(transaction, [under])
      await transaction.deleteFrom('alert_state').where('group_key', '=', groupKey).execute()
      for (const some of insertBatches(rows)) await transaction.insertInto('alert_state').values(some).execute()
    })
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
  return {
    ruleKey: row.rule_key,
    fingerprint: row.fingerprint,
    labels: labelsOf(row.labels),
    annotations: annotationsOf(row.annotations),
    state: oneOf(ALERT_STATES, row.state),
    activeAtMs: row.active_at_ms,
    ...(row.fired_at_ms === null ? {} : { firedAtMs: row.fired_at_ms }),
    ...(row.resolved_at_ms === null ? {} : { resolvedAtMs: row.resolved_at_ms }),
    lastHeldAtMs: row.last_held_at_ms,
    ...(row.keep_firing_since_ms === null ? {} : { keepFiringSinceMs: row.keep_firing_since_ms }),
    value: Number(row.value),
  }
}
