import type { ClaimKind, ClaimRefusal, ClusterClaim } from '../../model/cluster-claim.ts'
import { compareText } from '../../model/labels.ts'
import type { Connection } from './postgres.ts'

/** Names of clusters, as all collectors together know them: a name that one has joined is joined. */

interface ClaimRow {
  readonly cluster: string
  readonly name: string
  readonly kind: string
  readonly joins: boolean
  readonly isBound: boolean
  readonly refusal: string | null
  readonly firstMs: number
  readonly lastMs: number
}

export async function joinsOf(connection: Connection): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.query<{ name: string; into: string }>(
    `SELECT DISTINCT ON (name) name, joined AS "into" FROM collected_cluster JOIN observed_cluster ON id = cluster
       WHERE joined IS NOT NULL ORDER BY name, joined`,
  )
  return new Map(rows.map(({ name, into }) => [name, into]))
}

/** The names that are joined into a cluster. */
export async function membersOf(connection: Connection, cluster: string): Promise<readonly string[]> {
  const rows = await connection.query<{ name: string }>(
    `SELECT name FROM (SELECT name, min(joined) AS joined FROM collected_cluster JOIN observed_cluster ON id = cluster
         WHERE cluster IN (SELECT cluster FROM collected_cluster WHERE joined = $1) GROUP BY name) AS one
       WHERE joined = $1 ORDER BY name`,
    [cluster],
  )
  return rows.map(({ name }) => name)
}

/** Claims that names make and that others make of them. */
export async function claimsOf(connection: Connection, names: readonly string[]): Promise<readonly ClusterClaim[]> {
  const rows = await connection.query<ClaimRow>(
    `SELECT cluster, name, kind, is_joining AS joins, is_bound AS "isBound", refusal, first_ms AS "firstMs",
       last_ms AS "lastMs" FROM cluster_claim WHERE cluster = ANY($1::text[]) OR name = ANY($1::text[])`,
    [names],
  )
  const claims = new Map<string, ClaimRow>()
  for (const row of rows) {
    const key = `${row.cluster}\0${row.name}`
    const known = claims.get(key)
    claims.set(key, known === undefined ? row : mergedClaim(known, row))
  }
  const all = [...claims.values()]
  return all
    .map((claim) => asDecided(claim, all))
    .sort(byNames)
    .map(({ kind, refusal, ...claim }) => ({
      ...{ ...claim, kind: kind as ClaimKind },
      ...(refusal === null ? {} : { refusal: refusal as ClaimRefusal }),
    }))
}

/** A cluster has one uid and one id: of several, each accepted by another collector, the first claim counts. */
function asDecided(claim: ClaimRow, all: readonly ClaimRow[]): ClaimRow {
  if (claim.refusal !== null || (claim.kind !== 'uid' && claim.kind !== 'id')) return claim
  const isFirst = all.every((other) => {
    const isRival = other.cluster === claim.cluster && other.kind === claim.kind && other.refusal === null
    return !isRival || other.name === claim.name || precedes(claim, other)
  })
  return isFirst ? claim : { ...claim, refusal: 'other_identity' }
}

function precedes(one: ClaimRow, other: ClaimRow): boolean {
  if (one.isBound !== other.isBound) return one.isBound
  return one.firstMs < other.firstMs || (one.firstMs === other.firstMs && one.name < other.name)
}

/** A claim that one collector accepted is accepted. */
function mergedClaim(one: ClaimRow, other: ClaimRow): ClaimRow {
  const isOther = (one.refusal !== null && other.refusal === null) || (one.refusal === other.refusal && !one.isBound)
  return {
    ...(isOther ? other : one),
    firstMs: Math.min(one.firstMs, other.firstMs),
    lastMs: Math.max(one.lastMs, other.lastMs),
  }
}

function byNames(a: ClaimRow, b: ClaimRow): number {
  return compareText(a.cluster, b.cluster) || compareText(a.name, b.name)
}
