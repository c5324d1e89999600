import type { Kysely } from 'kysely'
import type { Modification } from '../../model/cluster-record.ts'
import { modificationKeyOf, type ModificationQuery } from '../../model/fleet-facts.ts'
import { listed } from './row-values.ts'
import type { FactsSchema, ModificationTable } from './schema.ts'

export function modificationRowOf(modification: Modification): ModificationTable {
  const { id, cluster, kind, component, endedMs } = modification
  return {
    id,
    cluster,
    kind,
    component,
    // A modification that was reverted at once is not open, even without a reported end.
    is_open: kind === 'jsonpatch' && endedMs === undefined ? 1 : 0,
    started_key: modificationKeyOf(modification),
    ended_ms: endedMs ?? null,
    record: JSON.stringify(modification),
  }
}

/** Only `modificationRowOf` writes this column. */
export function modificationOfRow({ record }: Pick<ModificationTable, 'record'>): Modification {
  return JSON.parse(record) as Modification
}

export function selectModificationsOf(db: Kysely<FactsSchema>, cluster: string): Promise<readonly ModificationTable[]> {
  return db
    .selectFrom('modification')
    .selectAll()
    .where('cluster', '=', cluster)
    .orderBy('started_key')
    .orderBy('id')
    .execute()
}

/** A page, newest first; `fromMs` and `toMs` are of the start, both inclusive. */
export function selectModifications(
  db: Kysely<FactsSchema>,
  { cluster, clusters, kind, component, isOpen, fromMs, toMs, after, limit }: ModificationQuery,
): Promise<readonly { record: string }[]> {
  let select = db
    .selectFrom('modification')
    .select('record')
    .orderBy('started_key', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (cluster !== undefined) select = select.where('cluster', '=', cluster)
  if (clusters !== undefined) select = select.where('cluster', 'in', listed(db, clusters))
  if (kind !== undefined) select = select.where('kind', '=', kind)
  if (component !== undefined) select = select.where('component', '=', component)
  if (isOpen !== undefined) select = select.where('is_open', '=', isOpen ? 1 : 0)
  if (fromMs !== undefined) select = select.where('started_key', '>=', fromMs)
  if (toMs !== undefined) select = select.where('started_key', '<=', toMs)
  if (after !== undefined) {
    select = select.where((eb) =>
      eb.or([eb('started_key', '<', after.key), eb.and([eb('started_key', '=', after.key), eb('id', '<', after.id)])]),
    )
  }
  return select.execute()
}
