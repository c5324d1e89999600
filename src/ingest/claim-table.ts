import type { ClaimRefusal, ClusterClaim, ClusterJoin } from '../model/cluster-claim.ts'

/**
 * The claims of names that senders made, by cluster and by name, each stored with the next commit. Bounded for each cluster and in
 * total. Which of them are accepted is decided by `cluster-registry.ts`.
 */

/** Where claims are stored: durable with the next commit. */
export interface ClaimSink {
  putClaims(claims: readonly ClusterClaim[]): void
  removeClaims(claims: readonly ClusterClaim[]): void
  putJoins(joins: readonly ClusterJoin[]): void
}

/** Of 10,000 clusters with a uid, an id and two names each, three times. All are decided again in a fifth of a second. */
const CLAIMS_MAX = 131_072
/** Of one cluster: a sender that makes up a new name each time must not fill the table. */
const NAMES_MAX = 16
/** Resolution of `lastMs`; a refused claim that is made again is stored as often. */
export const REFUSED_STEP_MS = 10 * 60_000

type Claim = { -readonly [K in keyof ClusterClaim]: ClusterClaim[K] }

export class ClaimTable {
  readonly #sink: ClaimSink
  readonly #claimsMax: number
  /** By cluster and name. */
  readonly #claims = new Map<string, Map<string, Claim>>()
  /** By name: the clusters with a claim of it. */
  readonly #claimants = new Map<string, Set<string>>()
  #count = 0

  /** @param claimsMax claims of all clusters */
  constructor(sink: ClaimSink, claimsMax = CLAIMS_MAX) {
    this.#sink = sink
    this.#claimsMax = claimsMax
  }

  get count(): number {
    return this.#count
  }

  get(cluster: string, name: string): Claim | undefined {
    return this.#claims.get(cluster)?.get(name)
  }

  /** The claims of a name, of whatever cluster. */
  ofName(name: string): readonly Claim[] {
    return [...(this.#claimants.get(name) ?? [])].map((cluster) => this.#claims.get(cluster)!.get(name)!)
  }

  /** Claims may be removed meanwhile. */
  *all(): Iterable<Claim> {
    for (const names of [...this.#claims.values()]) yield* [...names.values()]
  }

  /** All, in the order in which they are decided: first those of senders that are bound to the cluster. */
  inOrder(): readonly Claim[] {
    return [...this.all()].sort(
      (a, b) =>
        Number(b.isBound) - Number(a.isBound) ||
        a.firstMs - b.firstMs ||
        compare(a.cluster, b.cluster) ||
        compare(a.name, b.name),
    )
  }

  /** In memory: `store` stores it. */
  add(claim: Claim): Claim {
    const { cluster, name } = claim
    let names = this.#claims.get(cluster)
    if (names === undefined) this.#claims.set(cluster, (names = new Map<string, Claim>()))
    if (!names.has(name)) this.#count++
    names.set(name, claim)
    let claimants = this.#claimants.get(name)
    if (claimants === undefined) this.#claimants.set(name, (claimants = new Set()))
    claimants.add(cluster)
    return claim
  }

  remove(claims: readonly ClusterClaim[]): void {
    for (const { cluster, name } of claims) {
      if (this.#claims.get(cluster)?.delete(name) === true) this.#count--
      this.#claimants.get(name)?.delete(cluster)
      if (this.#claims.get(cluster)?.size === 0) this.#claims.delete(cluster)
      if (this.#claimants.get(name)?.size === 0) this.#claimants.delete(name)
    }
    this.#sink.removeClaims(claims)
  }

  /** Stores a claim that was made now. */
  store(claim: Claim, nowMs: number): void {
    claim.lastMs = nowMs - (nowMs % REFUSED_STEP_MS)
    this.#sink.putClaims([{ ...claim }])
  }

  /** Whether a new claim has room. What others made up for a cluster leaves room for what the senders bound to it claim. */
  makeRoomFor({ cluster, isBound }: Pick<ClusterClaim, 'cluster' | 'isBound'>): boolean {
    const names = this.#claims.get(cluster)
    const isFull = (names?.size ?? 0) >= NAMES_MAX
    if (!isFull && this.#count < this.#claimsMax) return true
    const madeUp = isBound
      ? [...(names?.values() ?? [])].find((own) => !own.isBound && own.refusal !== undefined)
      : undefined
    if (madeUp === undefined) return false
    this.remove([madeUp])
    return true
  }
}

/** A claim only becomes stronger: else two senders of one cluster would have it decided again with each request. */
export function isStrongerThan(claim: Pick<ClusterClaim, 'kind' | 'joins' | 'isBound'>, known: ClusterClaim): boolean {
  if ((claim.joins && !known.joins) || (claim.isBound && !known.isBound)) return true
  return known.kind === 'name' && claim.kind !== 'name'
}

/** Since the newest of some claims was made last; negative when there are none. */
export function ageOf(claims: readonly ClusterClaim[], nowMs: number): number {
  return claims.length === 0 ? -Infinity : nowMs - Math.max(...claims.map(({ lastMs }) => lastMs))
}

export function setRefusal(claim: Claim, refusal: ClaimRefusal | undefined): void {
  if (refusal === undefined) delete claim.refusal
  else claim.refusal = refusal
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
