import type { ClaimKind, ClaimRefusal, ClusterClaim, ClusterJoin } from '../../model/cluster-claim.ts'
import type Database from 'better-sqlite3'
import type { ClusterObservations } from '../../model/observation.ts'
import type { ChangeSink } from '../shipping/change-log.ts'
import { Statements } from '../statements.ts'

/** Names that senders gave their clusters, accepted and refused. */

interface ClaimRow {
  readonly cluster: string
  readonly name: string
  readonly kind: string
  readonly isJoining: number
  readonly isBound: number
  readonly refusal: string | null
  readonly firstMs: number
  readonly lastMs: number
}

const COLUMNS =
  'cluster, name, kind, is_joining AS isJoining, is_bound AS isBound, refusal, first_ms AS firstMs, last_ms AS lastMs FROM cluster_claim'

export class ClusterClaims extends Statements {
  readonly #put = this.db.prepare<ClaimRow>(
    `INSERT OR REPLACE INTO cluster_claim (cluster, name, kind, is_joining, is_bound, refusal, first_ms, last_ms)
         VALUES (@cluster, @name, @kind, @isJoining, @isBound, @refusal, @firstMs, @lastMs)`,
  )
  readonly #find = this.db.prepare<[string, string], { refusal: string | null }>(
    'SELECT refusal FROM cluster_claim WHERE cluster = ? AND name = ?',
  )
  readonly #remove = this.db.prepare<[string, string]>('DELETE FROM cluster_claim WHERE cluster = ? AND name = ?')

  readonly #changes: ChangeSink | undefined

  constructor(db: Database.Database, changes?: ChangeSink) {
    super(db)
    this.#changes = changes
  }

  /** True when readers have to know: an accepted claim that is only made again changes nothing. */
  put({ joins, isBound, refusal, ...claim }: ClusterClaim): boolean {
    const before = this.#find.get(claim.cluster, claim.name)
    this.#put.run({ ...claim, isJoining: Number(joins), isBound: Number(isBound), refusal: refusal ?? null })
    this.#changes?.note({ kind: 'claim', cluster: claim.cluster, name: claim.name })
    return refusal !== undefined || before === undefined || before.refusal !== null
  }

  remove({ cluster, name }: ClusterClaim): void {
    this.#remove.run(cluster, name)
    this.#changes?.note({ kind: 'claim', cluster, name })
  }
}

export class ClusterClaimReader extends Statements {
  readonly #all = this.db.prepare<[], ClaimRow>(`SELECT ${COLUMNS}`)
  readonly #of = this.db.prepare<{ name: string }, ClaimRow>(
    `SELECT ${COLUMNS} WHERE cluster = @name UNION SELECT ${COLUMNS} WHERE name = @name`,
  )
  readonly #joins = this.db.prepare<[], { name: string; into: string }>(
    'SELECT name, joined AS "into" FROM observed_cluster WHERE joined IS NOT NULL',
  )
  readonly #changed = this.db.prepare<[number], { name: string; into: string | null; position: number }>(
    'SELECT name, joined AS "into", position FROM observed_cluster WHERE position > ? ORDER BY position',
  )
  readonly #joined = new Map<string, string>()
  #joinedPosition = 0
  readonly #members = this.db.prepare<[string], { name: string }>(
    'SELECT name FROM observed_cluster WHERE joined = ? ORDER BY name',
  )
  readonly #clusters = this.db.prepare<[], { name: string }>('SELECT name FROM observed_cluster')

  all(): readonly ClusterClaim[] {
    return this.#all.all().map(claimOf)
  }

  /** That a cluster makes, and that others make of its name. */
  of(name: string): readonly ClusterClaim[] {
    return this.#of.all({ name }).map(claimOf)
  }

  joins(): readonly ClusterJoin[] {
    return this.#joins.all()
  }

  /** What each joined name is joined into: the same map, brought up to date by the clusters that changed since the last call. */
  joined(): ReadonlyMap<string, string> {
    for (const { name, into, position } of this.#changed.iterate(this.#joinedPosition)) {
      if (into === null) this.#joined.delete(name)
      else this.#joined.set(name, into)
      this.#joinedPosition = position
    }
    return this.#joined
  }

  /** The names that are joined into a cluster. */
  members(cluster: string): readonly string[] {
    return this.#members.all(cluster).map(({ name }) => name)
  }

  /** Clusters with observations, or with a name that was joined. */
  clusters(): readonly string[] {
    return this.#clusters.all().map(({ name }) => name)
  }
}

/** Only `ClusterClaims` writes these columns. */
function claimOf({ kind, isJoining, isBound, refusal, ...claim }: ClaimRow): ClusterClaim {
  return {
    ...{ ...claim, kind: kind as ClaimKind, joins: isJoining === 1, isBound: isBound === 1 },
    ...(refusal === null ? {} : { refusal: refusal as ClaimRefusal }),
  }
}

/** How a cluster and the names that are joined into it are named. @param claims of these names, in any order, also repeated */
export function namesOf(
  cluster: string,
  members: readonly string[],
  claims: readonly ClusterClaim[],
): Pick<ClusterObservations, 'aliases' | 'members' | 'conflicts'> {
  const names = new Set([cluster, ...members])
  const aliases = new Set(members)
  for (const claim of claims) {
    if (claim.refusal === undefined && names.has(claim.cluster)) aliases.add(claim.name)
    // A name that claims this one and has no data of its own is another name of it.
    if (claim.refusal === undefined && claim.joins) aliases.add(claim.cluster)
  }
  aliases.delete(cluster)
  const conflicts = claims.filter(({ refusal }) => refusal !== undefined)
  return {
    ...(aliases.size === 0 ? {} : { aliases: [...aliases].sort() }),
    ...(members.length === 0 ? {} : { members }),
    ...(conflicts.length === 0 ? {} : { conflicts }),
  }
}
