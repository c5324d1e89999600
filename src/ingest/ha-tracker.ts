import type { SeenPair, SharedElection } from '../model/ha-election.ts'
import { invariant } from '../base/invariant.ts'
import { delivered, electionResultOf, type Election } from './ha-election.ts'

/**
 * All HA pairs, and the replica that may write in the current request. A pair is a cluster and, because a cluster may
 * run several Prometheis (platform and user workload), the value of the group label.
 *
 * A series belongs to a *claim*: one replica of one pair, as a small number that the identity table stores with the
 * series. Within one request a pair has one writer, even when a relay mixes the samples of both replicas.
 */
const PAIRS_MAX = 65_536
const CLAIMS_MAX = 262_144
/** Reported replicas per pair, the most recent ones. The replica label may be a pod name, which changes. */
const REPLICAS_MAX = 8

interface ReplicaActivity {
  heardMs: number
  samplesDropped: number
}

interface Pair {
  readonly cluster: string
  readonly group: string
  election: Election | undefined
  readonly replicas: Map<string, ReplicaActivity>
  /** Of this pair samples arrived since `takeSeen`: accepted ones, or only duplicates. */
  seen: 'accepted' | 'duplicates' | undefined
  /** The request for which `writer` holds. */
  request: number
  writer: string
}

interface Claim {
  readonly pair: Pair
  readonly replica: string
}

/** One pair in the report. */
export interface HaPairReport extends Election {
  readonly cluster: string
  readonly group: string
  /** The other replicas seen, most recent first. */
  readonly standbys: readonly { readonly replica: string; readonly heardMs: number; readonly samplesDropped: number }[]
}

export class HaTracker {
  readonly #failoverAfterMs: number
  readonly #pairsMax: number
  readonly #pairs = new Map<string, Pair>()
  readonly #claims: Claim[] = []
  readonly #claimIds = new Map<string, number>()
  #request = 0
  #nowMs = 0
  #forgottenMs = -Infinity
  /** The claim of the last dropped samples, and its counter. */
  #lastDropped = 0
  #lastActivity: ReplicaActivity = { heardMs: NaN, samplesDropped: 0 }

  /** @param pairsMax replicas of pairs beyond it are all accepted. Tests pass a small one. */
  constructor(failoverAfterMs: number, pairsMax = PAIRS_MAX) {
    this.#failoverAfterMs = failoverAfterMs
    this.#pairsMax = pairsMax
  }

  /** There is no room for one more claim, and `forgetClaims` may make some. */
  get isFull(): boolean {
    if (this.#claims.length >= CLAIMS_MAX) return true
    return this.#pairs.size >= this.#pairsMax && this.#nowMs - this.#forgottenMs >= this.#failoverAfterMs
  }

  /** Starts a request. */
  begin(nowMs: number): void {
    this.#request++
    this.#nowMs = nowMs
  }

  /** The claim of a series, above 0; 0 when there is no room, and then every replica's samples are accepted. */
  claimOf(cluster: string, group: string, replica: string): number {
    const id = JSON.stringify([cluster, group, replica])
    const known = this.#claimIds.get(id)
    if (known !== undefined) return known
    const pair = this.#claims.length >= CLAIMS_MAX ? undefined : this.#pairOf(cluster, group)
    if (pair === undefined) return 0
    const claim = this.#claims.push({ pair, replica })
    this.#claimIds.set(id, claim)
    return claim
  }

  /** Whether another replica delivers the samples of this claim. */
  isDuplicate(claim: number): boolean {
    const { pair, replica } = this.#claimAt(claim)
    if (pair.request !== this.#request) {
      const result = electionResultOf(pair.election, replica, this.#nowMs, this.#failoverAfterMs)
      pair.writer = result === 'standby' && pair.election !== undefined ? pair.election.replica : replica
      pair.request = this.#request
    }
    return pair.writer !== replica
  }

  /** The cluster of a claim. */
  clusterOf(claim: number): string {
    return this.#claimAt(claim).pair.cluster
  }

  /** Records accepted samples of a claim that is not a duplicate. */
  taken(claim: number): void {
    const { pair, replica } = this.#claimAt(claim)
    pair.election = delivered(pair.election, replica, this.#nowMs, this.#failoverAfterMs)
    pair.seen = 'accepted'
    this.#activityOf(pair, replica).heardMs = this.#nowMs
  }

  /** HOT: once per series of a standby. Samples of a claim were dropped as duplicates. */
  dropped(claim: number, samples: number): void {
    if (claim === this.#lastDropped && this.#lastActivity.heardMs === this.#nowMs) {
      this.#lastActivity.samplesDropped += samples
      return
    }
    const { pair, replica } = this.#claimAt(claim)
    const activity = this.#activityOf(pair, replica)
    pair.seen ??= 'duplicates'
    activity.heardMs = this.#nowMs
    activity.samplesDropped += samples
    this.#lastDropped = claim
    this.#lastActivity = activity
  }

  /** The pairs of which samples arrived since the last call. */
  takeSeen(): readonly SeenPair[] {
    const seen: SeenPair[] = []
    for (const pair of this.#pairs.values()) {
      if (pair.seen === undefined) continue
      const { cluster, group, election } = pair
      const isAccepted = pair.seen === 'accepted' && election !== undefined
      seen.push({ cluster, group, ...(isAccepted ? { delivered: election.replica } : {}) })
      pair.seen = undefined
    }
    return seen
  }

  /** What all processes have elected takes the place of what this one has. */
  adopt(elections: readonly SharedElection[], nowMs: number): void {
    for (const { cluster, group, replica, silentMs } of elections) {
      const pair = this.#pairOf(cluster, group)
      if (pair === undefined) continue
      const known = pair.election
      const heardMs = nowMs - silentMs
      pair.election =
        known?.replica === replica
          ? { ...known, heardMs: Math.max(known.heardMs, heardMs) }
          : { replica, sinceMs: nowMs, heardMs, failovers: (known?.failovers ?? -1) + 1 }
    }
  }

  /** One sentence on why the samples of a claim are dropped. */
  explain(claim: number): string {
    const { pair, replica } = this.#claimAt(claim)
    return `replica ${replica} of ${pair.cluster} is on standby, ${pair.writer} is elected`
  }

  /** Removes all claims and the pairs without an active election; elections stay. Claim numbers start over. */
  forgetClaims(): void {
    this.#claims.length = 0
    this.#claimIds.clear()
    this.#forgottenMs = this.#nowMs
    this.#lastDropped = 0
    for (const [key, { election }] of this.#pairs) {
      const isSilent = election === undefined || this.#nowMs - election.heardMs >= this.#failoverAfterMs
      if (isSilent) this.#pairs.delete(key)
    }
  }

  /** At most `max` pairs with an election, the last change first; `pairs` is how many there are. */
  report(max: number): { readonly pairs: number; readonly elections: readonly HaPairReport[] } {
    const elected = [...this.#pairs.values()].flatMap((pair) =>
      pair.election === undefined ? [] : [{ pair, election: pair.election }],
    )
    elected.sort((a, b) => b.election.sinceMs - a.election.sinceMs)
    const elections = elected.slice(0, max).map(({ pair, election }) => ({
      cluster: pair.cluster,
      group: pair.group,
      ...election,
      standbys: [...pair.replicas]
        .filter(([replica]) => replica !== election.replica)
        .map(([replica, activity]) => ({ replica, ...activity }))
        .reverse(),
    }))
    return { pairs: elected.length, elections }
  }

  #claimAt(claim: number): Claim {
    const found = this.#claims[claim - 1]
    invariant(found !== undefined, 'a claim in the identity table is known')
    return found
  }

  #pairOf(cluster: string, group: string): Pair | undefined {
    const key = JSON.stringify([cluster, group])
    const known = this.#pairs.get(key)
    if (known !== undefined) return known
    if (this.#pairs.size >= this.#pairsMax) return undefined
    const pair: Pair = {
      cluster,
      group,
      election: undefined,
      replicas: new Map(),
      seen: undefined,
      request: 0,
      writer: '',
    }
    this.#pairs.set(key, pair)
    return pair
  }

  /**
   * Moves the replica to the end of its pair's list; evicts the first, last seen the longest ago, when the list is
   * full.
   */
  #activityOf(pair: Pair, replica: string): ReplicaActivity {
    const activity = pair.replicas.get(replica) ?? { heardMs: 0, samplesDropped: 0 }
    pair.replicas.delete(replica)
    pair.replicas.set(replica, activity)
    if (pair.replicas.size > REPLICAS_MAX) pair.replicas.delete(pair.replicas.keys().next().value ?? '')
    return activity
  }
}
