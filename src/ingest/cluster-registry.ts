import { isUuid } from '../model/cluster-identity.ts'
import type { ClaimKind, ClaimRefusal, ClusterClaim, ClusterJoin } from '../model/cluster-claim.ts'
import { ageOf, ClaimTable, isStrongerThan, REFUSED_STEP_MS, setRefusal, type ClaimSink } from './claim-table.ts'
import { clipText } from './clip-text.ts'
import type { RefusedSeries } from './refusals.ts'

/**
 * Which names are one cluster, by the claims of senders. README.md, "Names of a cluster", has the rules. Cold: called at
 * the first sight of a series, and once per OTLP resource. Claims are decided in the order in which they were first
 * made, so the stored claims lead to the same result after a restart.
 */

export interface StoredClaims {
  readonly claims: readonly ClusterClaim[]
  readonly joins: readonly ClusterJoin[]
  /** Clusters with observations. */
  readonly clusters: readonly string[]
}

export interface ClaimedName {
  readonly name: string
  readonly kind: Exclude<ClaimKind, 'bound'>
}

export interface ClaimingSender {
  /** Under which its data would be stored. */
  readonly cluster: string
  /** What `cluster` is; absent: its sender does not say. */
  readonly clusterKind?: 'uid' | 'id'
  /** To the cluster, by its token: it may write under no other name. */
  readonly isBound: boolean
  /** The other names, without `cluster` and without empty ones. */
  readonly names: readonly ClaimedName[]
}

export interface RegistryOptions {
  /** A uid, id or alias that was not reported for longer is free for another cluster. */
  readonly releaseAfterMs: number
  /** Claims of all clusters; tests pass a small number. */
  readonly claimsMax?: number
  /** Clusters that are remembered as having data; tests pass a small number. */
  readonly clustersMax?: number
}

/** `too_many_clusters`: no claim, but a cluster whose data is accepted without remembering that there is data under its name. */
export type NameRefusal = ClaimRefusal | 'too_many_clusters'

/** Clusters of which it is known that they have data without series. */
const CLUSTERS_MAX = 65_536

/** A release decides all claims again. */
const RELEASE_EVERY_MS = 60_000
/** Resolution of `lastMs`: each step is a write. */
const SEEN_STEP_MS = 60 * 60_000

/** Names of one cluster. */
interface Group {
  readonly names: Set<string>
  uid: string | undefined
  id: string | undefined
  /** At most one: a name that people chose, or to which a token is bound. */
  fixed: string | undefined
}

export class ClusterRegistry {
  readonly #options: RegistryOptions
  readonly #sink: ClaimSink
  readonly #claims: ClaimTable
  readonly #seriesOf: (cluster: string) => number
  /** By name: the clusters that claim it as an alias, without joining what is stored under it. One alone has it. */
  #aliasOf = new Map<string, Set<string>>()
  #groups = new Map<string, Group>()
  #bound = new Set<string>()
  readonly #joins = new Map<string, string>()
  /** Clusters with data. */
  readonly #clusters = new Set<string>()
  /** Refusals since the start. */
  readonly refused: Record<NameRefusal, number> = { other_identity: 0, taken: 0, too_many: 0, too_many_clusters: 0 }
  /** A decision does not apply to series that were recognised before. The caller resets it when it clears their cache. */
  isStale = false
  #recheckedMs = -Infinity
  #releasedMs = -Infinity

  /** @param seriesOf the number of series of a cluster, which also have data */
  constructor(
    options: RegistryOptions,
    seriesOf: (cluster: string) => number,
    sink: ClaimSink,
    stored: StoredClaims = { claims: [], joins: [], clusters: [] },
  ) {
    this.#options = options
    this.#seriesOf = seriesOf
    this.#sink = sink
    this.#claims = new ClaimTable(sink, options.claimsMax)
    for (const cluster of stored.clusters) this.#clusters.add(cluster)
    for (const { name, into } of stored.joins) if (into !== undefined) this.#joins.set(name, into)
    for (const claim of stored.claims) this.#claims.add({ ...claim })
    this.#decideAll()
    this.isStale = false
  }

  /** Stored claims, and names that are joined into another. */
  get counts(): { readonly claims: number; readonly joined: number } {
    return { claims: this.#claims.count, joined: this.#joins.size }
  }

  /** The cluster under which data sent for `cluster` is stored. */
  clusterOf(cluster: string): string {
    return this.#joins.get(cluster) ?? cluster
  }

  /** The cluster to store the sender's data under, or why the data is refused: it would mix two clusters. */
  admit(sender: ClaimingSender, nowMs: number): { readonly cluster: string } | RefusedSeries {
    const { cluster, clusterKind, isBound, names } = sender
    const isNew = !this.#clusters.has(cluster)
    const isPlain = names.length === 0 && clusterKind === undefined && !isBound
    if (isPlain && !isNew) return { cluster: this.clusterOf(cluster) }
    if (isNew) this.#remember(cluster)
    if (isBound) this.#bind(cluster, nowMs)
    if (!isBound && clusterKind !== undefined && isUuid(cluster))
      this.#claim({ cluster, name: cluster, kind: clusterKind, joins: true, isBound }, nowMs)
    // First what shows another cluster: the other names of the sender are that cluster's too.
    const group = this.#groups.get(cluster)
    const inOrder = names.toSorted((a, b) => Number(isNotOwn(group, b)) - Number(isNotOwn(group, a)))
    for (const { name, kind } of inOrder) {
      // Who is stored under its uid and has a name says that the name has the uid.
      const isNamed = !isBound && kind === 'name' && clusterKind !== undefined && isUuid(cluster) && !isUuid(name)
      if (isNamed) this.#claim({ cluster: name, name: cluster, kind: clusterKind, joins: true, isBound }, nowMs)
      else {
        const refusal = this.#claim({ cluster, name, kind, joins: !isBound && kind !== 'name', isBound }, nowMs)
        if (refusal === 'other_identity') return this.#refusal(cluster, name, kind as 'uid' | 'id')
      }
    }
    if (isNew) this.#joinGroup(this.#groups.get(cluster))
    return { cluster: this.clusterOf(cluster) }
  }

  #remember(cluster: string): void {
    if (this.#clusters.size < (this.#options.clustersMax ?? CLUSTERS_MAX)) this.#clusters.add(cluster)
    else this.refused.too_many_clusters++
  }

  /** A token is bound to the name: from now on what is stored under it is joined into no other. */
  #bind(cluster: string, nowMs: number): void {
    if (this.#bound.has(cluster)) return
    this.#bound.add(cluster)
    this.#claims.store(
      this.#claims.add({
        cluster,
        name: cluster,
        kind: 'bound',
        joins: false,
        isBound: true,
        firstMs: nowMs,
        lastMs: 0,
      }),
      nowMs,
    )
    const group = this.#groups.get(cluster)
    if (group === undefined || group.fixed === cluster) return
    if (group.names.size === 1) group.fixed = cluster
    else this.#decideAll()
  }

  /** Decides a claim, and stores it when it is new or was last stored some time ago. */
  #claim(claim: Omit<ClusterClaim, 'refusal' | 'firstMs' | 'lastMs'>, nowMs: number): ClaimRefusal | undefined {
    const { cluster, name, kind } = claim
    const known = this.#claims.get(cluster, name)
    if (known?.kind === 'bound') return undefined
    const isStronger = known !== undefined && isStrongerThan(claim, known)
    if (known !== undefined && known.refusal === undefined && !isStronger) {
      if (nowMs - known.lastMs >= SEEN_STEP_MS) this.#claims.store(known, nowMs)
      return undefined
    }
    if (known === undefined && !this.#claims.makeRoomFor(claim)) {
      // A full table must not hide that this is another cluster.
      const refusal = isNotOwn(this.#groups.get(cluster), { name, kind }) ? 'other_identity' : 'too_many'
      this.refused[refusal]++
      return refusal
    }
    const decided = known ?? this.#claims.add({ ...claim, firstMs: nowMs, lastMs: 0 })
    const before = known?.refusal
    if (isStronger) {
      decided.kind = kind === 'name' ? decided.kind : kind
      decided.joins ||= claim.joins
      decided.isBound ||= claim.isBound
      this.#aliasOf.get(name)?.delete(cluster)
    }
    let refusal = this.#decide(decided)
    if (refusal !== undefined && (this.#precedes(decided, refusal) || this.#release(decided, refusal, nowMs))) {
      this.#decideAll()
      refusal = decided.refusal
    }
    if (refusal !== undefined) this.refused[refusal]++
    setRefusal(decided, refusal)
    if (isStronger || before !== refusal || nowMs - decided.lastMs >= REFUSED_STEP_MS)
      this.#claims.store(decided, nowMs)
    return refusal
  }

  /** Who is bound to a cluster knows better than anybody else which uid and id it has. */
  #precedes(refused: ClusterClaim, refusal: ClaimRefusal): boolean {
    if (!refused.isBound || refusal !== 'other_identity') return false
    return this.#inTheWay(refused, refusal).every(({ isBound }) => !isBound)
  }

  /** All claims again, in the order in which they were made: first those of senders that are bound to the cluster. */
  #decideAll(): void {
    const all = this.#claims.inOrder()
    this.#groups = new Map()
    this.#aliasOf = new Map()
    this.#bound = new Set(all.filter(({ kind }) => kind === 'bound').map(({ cluster }) => cluster))
    for (const claim of all) {
      const { refusal: before } = claim
      setRefusal(claim, this.#decide(claim))
      if (claim.refusal !== before) this.#sink.putClaims([{ ...claim }])
    }
    for (const name of [...this.#joins.keys()]) if (!this.#groups.has(name)) this.#join(name, undefined)
    for (const group of new Set(this.#groups.values())) this.#joinGroup(group)
  }

  #decide({ cluster, name, kind, joins }: ClusterClaim): ClaimRefusal | undefined {
    if (kind === 'bound') {
      this.#groupOf(cluster)
      return undefined
    }
    const group = this.#groupOf(cluster)
    if (kind === 'name') return this.#alias(cluster, name)
    const own = ownOf(group, kind)
    if (own !== undefined && own !== name) return 'other_identity'
    group[kind] = name
    if (cluster === name) return undefined
    const refusal = joins ? this.#merge(cluster, name) : this.#alias(cluster, name)
    // A name that another cluster has does not identify this one. The owner of a name with two claims is unknown.
    if (refusal !== undefined && this.#aliasOf.get(name)?.has(cluster) !== true) group[kind] = own
    return refusal
  }

  /** The name becomes an alias, unless it is another cluster's. */
  #alias(cluster: string, name: string): ClaimRefusal | undefined {
    const group = this.#groups.get(name)
    if (group?.names.has(cluster) === true) return undefined
    const isOthers = this.#hasData(name) || (group !== undefined && group.names.size > 1)
    if (isOthers) return 'taken'
    let holders = this.#aliasOf.get(name)
    if (holders === undefined) this.#aliasOf.set(name, (holders = new Set()))
    holders.add(cluster)
    if (holders.size === 1) return undefined
    // Nothing shows which of them may have it: none has it.
    for (const holder of holders) if (holder !== cluster) this.#displace(holder, name)
    return 'taken'
  }

  #displace(cluster: string, name: string): void {
    const claim = this.#claims.get(cluster, name)
    if (claim === undefined || claim.refusal !== undefined) return
    setRefusal(claim, 'taken')
    this.#sink.putClaims([{ ...claim }])
  }

  /** Two names become one cluster, unless each already is one that people named, or the two have different uids. */
  #merge(cluster: string, name: string): ClaimRefusal | undefined {
    const [one, other] = [this.#groupOf(cluster), this.#groupOf(name)]
    if (one === other) return undefined
    if (one.fixed !== undefined && other.fixed !== undefined) return 'taken'
    if (isOther(one.uid, other.uid) || isOther(one.id, other.id)) return 'taken'
    for (const member of other.names) {
      one.names.add(member)
      this.#groups.set(member, one)
    }
    one.fixed ??= other.fixed
    one.uid ??= other.uid
    one.id ??= other.id
    for (const member of one.names) {
      for (const holder of this.#aliasOf.get(member) ?? []) if (!one.names.has(holder)) this.#displace(holder, member)
      this.#aliasOf.delete(member)
    }
    this.#joinGroup(one)
    return undefined
  }

  /** Stores under which name a group's data is stored from now on. */
  #joinGroup(group: Group | undefined): void {
    if (group === undefined) return
    const { fixed, uid, id, names } = group
    const preferred = [fixed, uid, id, ...[...names].sort()].find(
      (name) => name !== undefined && names.has(name) && this.#hasData(name),
    )
    for (const name of names) this.#join(name, preferred === undefined || preferred === name ? undefined : preferred)
  }

  #join(name: string, into: string | undefined): void {
    if (this.#joins.get(name) === into) return
    if (into === undefined) this.#joins.delete(name)
    else this.#joins.set(name, into)
    this.#sink.putJoins([{ name, into }])
    this.isStale = true
  }

  /** Removes the unreported claims that conflict with a refused one. True: some were removed. */
  #release(refused: ClusterClaim, refusal: ClaimRefusal, nowMs: number): boolean {
    const { releaseAfterMs } = this.#options
    const ageMs = ageOf(this.#inTheWay(refused, refusal), nowMs)
    // Series that were recognised once are not seen here again: they have to be, to know whether they still come.
    if (ageMs > releaseAfterMs / 2 && nowMs - this.#recheckedMs >= SEEN_STEP_MS) {
      this.#recheckedMs = nowMs
      this.isStale = true
    }
    if (ageMs <= releaseAfterMs || nowMs - this.#releasedMs < RELEASE_EVERY_MS) return false
    this.#releasedMs = nowMs
    // All at once: many clusters may have been installed again.
    for (const claim of this.#claims.all()) {
      if (claim.refusal === undefined && claim !== refused) continue
      const inTheWay = this.#inTheWay(claim, claim === refused ? refusal : claim.refusal!)
      // The refused one is made right now, whenever it was stored last.
      if (!inTheWay.includes(refused) && ageOf(inTheWay, nowMs) > releaseAfterMs) this.#claims.remove(inTheWay)
    }
    return true
  }

  #inTheWay({ cluster, name, kind }: ClusterClaim, refusal: ClaimRefusal): readonly ClusterClaim[] {
    const group = this.#groups.get(cluster)
    const isIdentity = refusal === 'other_identity'
    const subject = isIdentity ? ownOf(group, kind) : name
    if (subject === undefined) return []
    return this.#claims.ofName(subject).flatMap((claim) => {
      const claimant = claim.cluster
      if (claim.kind === 'bound' || (isIdentity ? group?.names.has(claimant) !== true : claimant === cluster)) return []
      return claim.refusal === 'other_identity' ? [] : [claim]
    })
  }

  #refusal(cluster: string, name: string, kind: 'uid' | 'id'): RefusedSeries {
    const own = ownOf(this.#groups.get(cluster), kind)
    const [got, want, of] = [name, own ?? '', cluster].map((text) => JSON.stringify(clipText(text, 80)))
    const what = kind === 'uid' ? 'uid of kube-system' : 'cluster ID of OpenShift'
    const example = `got ${what} ${got} for cluster ${of}, which has ${want}: two clusters send the same name`
    return { reason: 'cluster_conflict', example }
  }

  #hasData(name: string): boolean {
    return this.#clusters.has(name) || this.#seriesOf(name) > 0
  }

  #groupOf(name: string): Group {
    let group = this.#groups.get(name)
    if (group === undefined) {
      const isFixed = !isUuid(name) || this.#bound.has(name)
      group = { names: new Set([name]), uid: undefined, id: undefined, fixed: isFixed ? name : undefined }
      this.#groups.set(name, group)
    }
    return group
  }
}

function ownOf(group: Group | undefined, kind: ClaimKind): string | undefined {
  return kind === 'uid' || kind === 'id' ? group?.[kind] : undefined
}

/** An identity that contradicts the one of a cluster. */
function isNotOwn(group: Group | undefined, { name, kind }: Pick<ClusterClaim, 'name' | 'kind'>): boolean {
  return isOther(ownOf(group, kind), name)
}

function isOther(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}
