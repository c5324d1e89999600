import type Database from 'better-sqlite3'
import type { ObjectListing, ObservationSink } from '../../model/fleet-facts.ts'
import type { ClusterClaim, ClusterJoin } from '../../model/cluster-claim.ts'
import type { MetricRun, ObjectObservation } from '../../model/observation.ts'
import { ClusterClaimReader, ClusterClaims } from './cluster-claims.ts'
import { ListingRows } from './listing-rows.ts'
import { MetricRuns } from './metric-runs.ts'
import {
  changeNumber,
  EVENTS,
  factsHash,
  factsText,
  kindNumber,
  managerText,
  packFacts,
  uidBytes,
} from './object-codec.ts'
import { ObjectRows } from './object-rows.ts'
import {
  haveSameStates,
  isNewestStored,
  statesOf,
  withSighting,
  type Sighting,
  type StateSpan,
} from './object-states.ts'
import { ObjectRoom } from './object-room.ts'
import { ObservationRetention } from './observation-retention.ts'
import { ObservedClusters } from './observed-clusters.ts'
import type { ChangeSink } from '../shipping/change-log.ts'

/**
 * Observations of clusters on the writer's side: received observations wait in memory and are written with the next
 * commit. The stored result is a function of the set of observations (object-states.ts), which may arrive late,
 * repeatedly, and in any order. README.md draws the rows.
 */
type Change =
  | {
      readonly kind: 'object'
      readonly observation: Omit<ObjectObservation, 'facts'>
      readonly number: number
      readonly text: string
    }
  | { readonly kind: 'listings'; readonly listings: readonly ObjectListing[] }
  | { readonly kind: 'claims'; readonly claims: readonly ClusterClaim[] }
  | { readonly kind: 'released'; readonly claims: readonly ClusterClaim[] }
  | { readonly kind: 'joins'; readonly joins: readonly ClusterJoin[] }
  | { readonly kind: 'runs'; readonly cluster: string; readonly fromMs: number; readonly runs: readonly MetricRun[] }

/** What one pending item takes beside its texts. */
const PENDING_BYTES = { object: 500, listing: 300, uid: 40, run: 200, claim: 300 }

const MINUTE_MS = 60_000

export class Observations implements ObservationSink {
  readonly #clusters: ObservedClusters
  readonly #claims: ClusterClaims
  readonly #objects: ObjectRows
  readonly #listings: ListingRows
  readonly #runs: MetricRuns
  readonly #room: ObjectRoom
  readonly #retention: ObservationRetention
  readonly #claimReader: ClusterClaimReader
  #pending: Change[] = []
  #pendingBytes = 0

  /**
   * @param clusterObjectStatesMax of one cluster (object-room.ts)
   * @param changes is given what is to be shipped; absent: nothing is
   */
  constructor(db: Database.Database, clusterObjectStatesMax: number, changes?: ChangeSink) {
    this.#clusters = new ObservedClusters(db, changes)
    this.#claims = new ClusterClaims(db, changes)
    this.#claimReader = new ClusterClaimReader(db)
    this.#objects = new ObjectRows(db, changes)
    this.#listings = new ListingRows(db, changes)
    this.#runs = new MetricRuns(db)
    this.#room = new ObjectRoom(db, this.#clusters, clusterObjectStatesMax)
    this.#retention = new ObservationRetention(db, this.#clusters, this.#room)
  }

  get isDurable(): boolean {
    return this.#pending.length === 0
  }

  /** Memory of pending observations. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** States of objects that were removed since the start because their cluster had too many. */
  get statesEvicted(): number {
    return this.#room.evicted
  }

  /** The cluster with the most states of objects, of those that changed since the start. */
  fullestCluster(): { readonly cluster: string; readonly states: number } | undefined {
    const fullest = this.#room.fullest()
    return fullest && { cluster: this.#clusters.nameOf(fullest.cluster), states: fullest.count }
  }

  admits({ cluster: name, uid, facts }: Pick<ObjectObservation, 'cluster' | 'uid' | 'facts'>): boolean {
    const cluster = this.#clusters.knownId(name)
    if (cluster === undefined || !this.#room.isFull(cluster)) return true
    return this.#objects.isKnown(cluster, uidBytes(uid), kindNumber(facts.kind))
  }

  putObjects(observations: readonly ObjectObservation[]): void {
    for (const { facts, ...observation } of observations) {
      const text = factsText(facts)
      const bytes = PENDING_BYTES.object + text.length + JSON.stringify(observation).length
      this.#wait({ kind: 'object', observation, number: kindNumber(facts.kind), text }, bytes)
    }
  }

  putListings(listings: readonly ObjectListing[]): void {
    if (listings.length === 0) return
    let bytes = listings.length * PENDING_BYTES.listing
    for (const { uids } of listings) for (const uid of uids) bytes += PENDING_BYTES.uid + uid.length
    this.#wait({ kind: 'listings', listings }, bytes)
  }

  putClaims(claims: readonly ClusterClaim[]): void {
    if (claims.length > 0) this.#wait({ kind: 'claims', claims }, bytesOfClaims(claims))
  }

  removeClaims(claims: readonly ClusterClaim[]): void {
    if (claims.length > 0) this.#wait({ kind: 'released', claims }, bytesOfClaims(claims))
  }

  putJoins(joins: readonly ClusterJoin[]): void {
    if (joins.length > 0) this.#wait({ kind: 'joins', joins }, joins.length * PENDING_BYTES.claim)
  }

  putRuns(cluster: string, fromMs: number, runs: readonly MetricRun[]): void {
    this.#wait({ kind: 'runs', cluster, fromMs, runs }, (runs.length + 1) * PENDING_BYTES.run)
  }

  /** What was stored about names of clusters until now. */
  storedClaims(): { claims: readonly ClusterClaim[]; joins: readonly ClusterJoin[]; clusters: readonly string[] } {
    const reader = this.#claimReader
    return { claims: reader.all(), joins: reader.joins(), clusters: reader.clusters() }
  }

  /** Call in the transaction of a commit; then call `written` after the commit, or `failed`. */
  write(): void {
    if (this.isDurable) return
    for (const change of this.#pending) this.#apply(change)
    // A removed object may appear again, with another number.
    if (this.#room.settle()) this.#objects.forget()
    this.#clusters.settle()
  }

  written(): void {
    if (this.isDurable) return
    this.#room.written()
    this.#pending = []
    this.#pendingBytes = 0
  }

  failed(): void {
    this.#clusters.forget()
    this.#objects.forget()
    this.#runs.forget()
    this.#room.forget()
  }

  /** Removes some older observations; true when there may be more. The connection must be free. */
  removeSome(floorMs: number): boolean {
    const isMore = this.#retention.removeSome(floorMs)
    // A removed object may appear again, with another number.
    this.#objects.forget()
    return isMore
  }

  #wait(change: Change, bytes: number): void {
    this.#pending.push(change)
    this.#pendingBytes += bytes
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case 'object':
        this.#observe(change.observation, change.number, change.text)
        return
      case 'listings':
        for (const listing of change.listings) this.#list(listing)
        return
      case 'claims':
        for (const claim of change.claims) if (this.#claims.put(claim)) this.#touchNames(claim)
        return
      case 'released':
        for (const claim of change.claims) {
          this.#claims.remove(claim)
          this.#touchNames(claim)
        }
        return
      case 'joins':
        for (const { name, into } of change.joins) this.#clusters.join(name, into)
        return
      case 'runs': {
        const cluster = this.#clusters.idOf(change.cluster)
        if (this.#runs.replaceFrom(cluster, change.fromMs, change.runs)) this.#clusters.touch(cluster)
      }
    }
  }

  #touchNames({ cluster, name }: ClusterClaim): void {
    this.#clusters.touchKnown(cluster)
    this.#clusters.touchKnown(name)
  }

  #observe(observation: Omit<ObjectObservation, 'facts'>, kind: number, text: string): void {
    const { cluster: name, uid, namespace, name: objectName, resourceVersion, change, observedMs } = observation
    this.#clusters.seen(name, observedMs)
    // The deletion of an Event is ignored: each expires after an hour or so.
    if (kind === EVENTS && change === 'deleted') return
    const cluster = this.#clusters.idOf(name)
    const object = this.#objects.idOf({ cluster, uid: uidBytes(uid), kind, namespace, name: objectName })
    const seen: Sighting = {
      version: Number(resourceVersion),
      ms: observedMs,
      change: changeNumber(change),
      manager: managerText(observation.manager),
    }
    const state = { isDeleted: change === 'deleted', hash: factsHash(text), first: seen, last: seen, seenMs: seen.ms }
    const isNew = isNewestStored(kind) ? this.#keepNewest(object, state, text) : this.#keep(object, kind, state, text)
    if (!isNew) return
    this.#clusters.touchObjects(cluster)
    this.#room.added(cluster)
  }

  /** True when the result for readers changes. */
  #keep(object: number, kind: number, seen: StateSpan, text: string): boolean {
    const known = this.#objects.state(object, seen.isDeleted, seen.hash)
    if (known === undefined) {
      this.#objects.put(object, { ...seen, facts: packFacts(text) })
      return true
    }
    const moved = withSighting(known, seen.first)
    if (moved === known) return false
    if (this.#objects.hasMany(object)) {
      this.#objects.move(object, moved)
      return true
    }
    // As a rule the present state is listed once more.
    if (moved.first === known.first && moved.last === known.last && !this.#objects.isOtherNewer(object, known)) {
      this.#objects.touch(object, moved)
      return false
    }
    const before = statesOf(kind, this.#objects.states(object))
    this.#objects.move(object, moved)
    if (!haveSameStates(before, statesOf(kind, this.#objects.states(object)))) return true
    return moved.last.ms > known.last.ms && this.#listings.wasMissing(object, known.last.ms)
  }

  #keepNewest(object: number, seen: StateSpan, text: string): boolean {
    const known = this.#objects.newest(object)
    const isNewer = known === undefined || seen.last.version > known.last.version
    const isTie = known !== undefined && seen.last.version === known.last.version
    if (isNewer || (isTie && seen.hash > known.hash)) {
      this.#objects.removeStates(object)
      this.#objects.put(object, { ...seen, facts: packFacts(text) })
      return true
    }
    if (!isTie || seen.hash !== known.hash) return false
    const moved = withSighting(known, seen.first)
    if (moved.last === known.last) return false
    this.#objects.move(object, moved)
    return true
  }

  #list({ cluster: name, resource, namespace, observedMs, uids }: ObjectListing): void {
    const kind = kindNumber(resource)
    if (kind === -1) return
    this.#clusters.seen(name, observedMs)
    const cluster = this.#clusters.idOf(name)
    const minute = Math.floor(observedMs / MINUTE_MS)
    const { isOther, unseen } = this.#listings.add({ cluster, kind, namespace }, minute, uids.map(uidBytes))
    if (isOther) this.#clusters.touchObjects(cluster)
    this.#room.added(cluster, unseen)
  }
}

function bytesOfClaims(claims: readonly ClusterClaim[]): number {
  return claims.reduce((sum, { cluster, name }) => sum + PENDING_BYTES.claim + cluster.length + name.length, 0)
}
