import type { Kysely } from 'kysely'
import { upgradeKeyOf, type UpgradeQuery } from '../../model/fleet-facts.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { listed } from './row-values.ts'
import type { FactsSchema, UpgradeTable } from './schema.ts'

export function upgradeRowOf(record: UpgradeRecord): UpgradeTable {
  const { upgrade } = record
  return {
    id: upgrade.id,
    cluster: upgrade.cluster,
    operator: upgrade.operator,
    from_version: upgrade.from ?? null,
    to_version: upgrade.to,
    state: upgrade.state,
    is_open: isOpen(record) ? 1 : 0,
    started_key: upgradeKeyOf(upgrade, 'started') as number,
    ended_key: upgradeKeyOf(upgrade, 'ended') as number,
    duration_key: upgradeKeyOf(upgrade, 'duration') as number,
    record: JSON.stringify(record),
  }
}

/** It runs, or its workloads still follow. */
function isOpen({ upgrade: { state, phases } }: UpgradeRecord): boolean {
  if (state === 'in_progress') return true
  return state === 'succeeded' && phases.some(({ name, state }) => name === 'workloads' && state === 'in_progress')
}

/** Only `upgradeRowOf` writes this column. */
export function upgradeOfRow({ record }: Pick<UpgradeTable, 'record'>): UpgradeRecord {
  return JSON.parse(record) as UpgradeRecord
}

export function selectUpgradesOf(db: Kysely<FactsSchema>, cluster: string): Promise<readonly UpgradeTable[]> {
  return db
    .selectFrom('upgrade')
    .selectAll()
    .where('cluster', '=', cluster)
    .orderBy('started_key')
    .orderBy('id')
    .execute()
}

const SORT_COLUMNS = {
  started: 'started_key',
  ended: 'ended_key',
  duration: 'duration_key',
  cluster: 'cluster',
} as const satisfies Record<UpgradeQuery['sort'], keyof UpgradeTable>

/** One page, in the requested order, then by id in the same direction. */
export function selectUpgrades(db: Kysely<FactsSchema>, query: UpgradeQuery): Promise<readonly { record: string }[]> {
  const { cluster, clusters, operator, from, to, states, fromMs, toMs, sort, isDescending, after, limit } = query
  const column = SORT_COLUMNS[sort]
  const direction = isDescending ? 'desc' : 'asc'
  let select = db
    .selectFrom('upgrade')
    .select('record')
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit)
  if (cluster !== undefined) select = select.where('cluster', '=', cluster)
  if (clusters !== undefined) select = select.where('cluster', 'in', listed(db, clusters))
  if (operator !== undefined) select = select.where('operator', '=', operator)
  if (from !== undefined) select = select.where('from_version', '=', from)
  if (to !== undefined) select = select.where('to_version', '=', to)
  if (states !== undefined) select = select.where('state', 'in', listed(db, states))
  if (fromMs !== undefined) select = select.where('started_key', '>=', fromMs)
  if (toMs !== undefined) select = select.where('started_key', '<=', toMs)
  if (after !== undefined) {
    const beyond = isDescending ? '<' : '>'
    select = select.where((eb) =>
      eb.or([eb(column, beyond, after.key), eb.and([eb(column, '=', after.key), eb('id', beyond, after.id)])]),
    )
  }
  return select.execute()
}
