/**
 * The past values of a cluster, as one row: JSON by key, deflated, because values repeat themselves. A year of a cluster is a few
 * kilobytes; `bench/past-values.ts` has the figures.
 */
import { constants } from 'node:zlib'
import type { Kysely } from 'kysely'
import type { ValueInterval } from '../../model/cluster-value.ts'
import { deflate, inflate } from '../bytes.ts'
import { replaceRows } from './replace-rows.ts'
import { listed } from './row-values.ts'
import type { ClusterValuesTable, FactsSchema } from './schema.ts'

type StoredValue = readonly [fromMs: number, untilMs: number | null, value: unknown]

export function encodeValues(values: readonly ValueInterval[]): Uint8Array {
  const byKey = new Map<string, StoredValue[]>()
  for (const { key, fromMs, untilMs = null, value } of values) {
    const known = byKey.get(key)
    if (known === undefined) byKey.set(key, [[fromMs, untilMs, value]])
    else known.push([fromMs, untilMs, value])
  }
  return deflate(JSON.stringify([...byKey]), { level: constants.Z_BEST_SPEED })
}

/** Throws `MalformedBytesError`. */
export function decodeValues(bytes: Uint8Array): readonly ValueInterval[] {
  const byKey = JSON.parse(Buffer.from(inflate(bytes)).toString()) as readonly (readonly [
    string,
    readonly StoredValue[],
  ])[]
  return byKey.flatMap(([key, stored]) =>
    stored.map(([fromMs, untilMs, value]): ValueInterval => {
      return { key, fromMs, ...(untilMs === null ? {} : { untilMs }), value }
    }),
  )
}

export async function selectValues(
  db: Kysely<FactsSchema>,
  clusters: readonly string[],
): Promise<readonly ClusterValuesTable[]> {
  return db.selectFrom('cluster_values').selectAll().where('cluster', 'in', listed(db, clusters)).execute()
}

export async function writeValues(
  db: Kysely<FactsSchema>,
  changes: readonly { readonly cluster: string; readonly values: readonly ValueInterval[] }[],
): Promise<void> {
  const removed = changes.filter(({ values }) => values.length === 0).map(({ cluster }) => cluster)
  if (removed.length > 0) await db.deleteFrom('cluster_values').where('cluster', 'in', listed(db, removed)).execute()
  const rows = changes.filter(({ values }) => values.length > 0)
  await replaceRows(
    db,
    'cluster_values',
    rows.map(({ cluster, values }) => ({ cluster, payload: encodeValues(values) })),
  )
}
