import type { Appender } from '../model/appender.ts'
import type { Attributes } from '../model/attribute.ts'
import type { ClaimRefusal } from '../model/cluster-claim.ts'
import { CLUSTER_LABEL } from '../model/cluster-identity.ts'
import type { Labels } from '../model/labels.ts'
import type { Refusal } from '../model/refusal.ts'
import type { SeriesRef } from '../model/series.ts'
import type { Admission } from './admission.ts'
import { ClusterRegistry, type ClaimingSender, type ClaimSink, type StoredClaims } from './cluster-registry.ts'
import { clusterOfResource } from './cluster-claim.ts'
import { ClusterActivityTable, type ClusterActivity } from './cluster-activity.ts'
import { HaTracker, type HaPairReport } from './ha-tracker.ts'
import type { IngestOptions } from './options.ts'
import { RefusalJournal, type ReasonReport, type RefusedSeries } from './refusals.ts'
import { SeriesLimits, type LimitReport } from './series-limits.ts'

/** `sender`: as which it was sent. */
export type IdentifiedResource = { readonly cluster: string; readonly sender: ClaimingSender } | RefusedSeries

type Admitted = Extract<Admission, { readonly kind: 'admitted' }>

/** Outcomes of all requests since the start, in any format: the response of `/debug/ingest`. */
export interface IngestReport {
  readonly refusals: readonly ReasonReport[]
  readonly clusters: {
    /** Clusters seen. */
    readonly count: number
    readonly bySamples: readonly ClusterActivity[]
    readonly byRefused: readonly ClusterActivity[]
  }
  readonly identities: {
    /** Names of clusters that senders claimed, and names that were joined into another cluster. */
    readonly claims: number
    readonly joined: number
    /** Claims that were refused, by reason. */
    readonly refused: Readonly<Record<ClaimRefusal, number>>
  }
  readonly limits: readonly LimitReport[]
  readonly replicas: { readonly pairs: number; readonly elections: readonly HaPairReport[] }
}

/**
 * The checks and counters that all formats share: HA election, series limits per cluster, and the record of outcomes.
 * One instance serves all formats; otherwise a cluster could exceed its limits by using two formats, and two replicas
 * could both be elected.
 */
export class Intake {
  readonly appender: Appender
  readonly options: IngestOptions
  readonly replicas: HaTracker
  readonly registry: ClusterRegistry
  readonly activity = new ClusterActivityTable()
  readonly #limits: SeriesLimits
  readonly #journal = new RefusalJournal()
  readonly #forgetters: (() => void)[] = []
  #nowMs = 0
  #forgottenMs = -Infinity

  /** @param claims where claims of names are stored, and those stored before; absent: in memory alone */
  constructor(
    appender: Appender,
    options: IngestOptions,
    claims: { readonly sink: ClaimSink; readonly stored?: StoredClaims } = { sink: IN_MEMORY },
  ) {
    this.appender = appender
    this.options = options
    this.replicas = new HaTracker(options.haFailoverAfterMs)
    this.#limits = new SeriesLimits(options, (cluster) => appender.seriesOf(cluster))
    const { identityReleaseAfterMs: releaseAfterMs } = options
    const seriesOf = (cluster: string): number => appender.seriesOf(cluster)
    this.registry = new ClusterRegistry({ releaseAfterMs }, seriesOf, claims.sink, claims.stored)
  }

  /**
   * Replica claims are numbers that start over when there are too many: `forget` is called then, and must drop all of
   * them.
   */
  onClaimsForgotten(forget: () => void): void {
    this.#forgetters.push(forget)
  }

  /** Starts a request. */
  begin(nowMs: number): void {
    this.#nowMs = nowMs
    this.replicas.begin(nowMs)
    const isRecheckDue = this.registry.isStale && Math.abs(nowMs - this.#forgottenMs) >= FORGET_EVERY_MS
    if (!this.replicas.isFull && !isRecheckDue) return
    this.#forgottenMs = nowMs
    this.registry.isStale = false
    for (const forget of this.#forgetters) forget()
    this.replicas.forgetClaims()
  }

  /**
   * The cluster of an admitted series by all names that its labels claim: the labels with that cluster, or a refusal. Not
   * to be remembered when refused: the name may be free later.
   */
  identify(admission: Admitted): Admission {
    const { sender, replica } = admission
    if (sender === undefined) return admission
    const admitted = this.registry.admit(sender, this.#nowMs)
    if ('reason' in admitted) return { kind: 'refused', ...admitted }
    const { cluster } = admitted
    if (cluster === sender.cluster) return admission
    return {
      ...admission,
      labels: admission.labels.with(CLUSTER_LABEL, cluster),
      ...(replica === undefined ? {} : { replica: { ...replica, cluster } }),
    }
  }

  /** The cluster of an OTLP resource, empty when no attribute names one; or why its items are refused. */
  clusterOfResource(
    attributes: Attributes,
    { cluster: boundCluster, nowMs }: { readonly cluster?: string; readonly nowMs: number },
  ): IdentifiedResource {
    const claim = clusterOfResource(attributes, boundCluster, this.options.identityLabels)
    if (claim.kind === 'foreign') return { reason: 'cluster_mismatch', example: claim.example }
    const { sender } = claim
    if (sender.cluster === '') return { cluster: '', sender }
    const admitted = this.registry.admit(sender, nowMs)
    return 'reason' in admitted ? admitted : { ...admitted, sender }
  }

  /** The series of an admitted label set, created if limits allow; a refused label set may succeed later. */
  resolve(labels: Labels): SeriesRef | RefusedSeries {
    const known = this.appender.find(labels)
    if (known !== undefined) return known
    const cluster = labels.get(CLUSTER_LABEL)
    return this.#limits.refusalOf(cluster, this.#nowMs) ?? this.#make(labels, cluster)
  }

  /** The series of label sets that belong together and name one cluster; the limits on a cluster leave room for all or none. */
  resolveAll(labelSets: readonly Labels[]): SeriesRef[] | RefusedSeries {
    const cluster = labelSets[0]?.get(CLUSTER_LABEL) ?? ''
    const newcomers = labelSets.filter((labels) => this.appender.find(labels) === undefined)
    if (newcomers.length > 0) {
      const refused = this.#limits.refusalOf(cluster, this.#nowMs, newcomers.length)
      if (refused !== undefined) return refused
    }
    const refs: SeriesRef[] = []
    for (const labels of labelSets) {
      const ref = this.appender.find(labels) ?? this.#make(labels, cluster)
      if (typeof ref !== 'number') return ref
      refs.push(ref)
    }
    return refs
  }

  /**
   * The sender of an admitted series, as a number to store with it: above 0 the claim of a replica (ha-tracker.ts),
   * below 0 the negated number of a cluster (cluster-activity.ts), 0 for no cluster.
   */
  senderOf({ labels, replica }: Admitted): number {
    const claim = replica === undefined ? 0 : this.replicas.claimOf(replica.cluster, replica.group, replica.name)
    return claim === 0 ? -this.activity.numberOf(labels.get(CLUSTER_LABEL)) : claim
  }

  /** The number of a sender's cluster (cluster-activity.ts). */
  clusterNumberOf(sender: number): number {
    return sender > 0 ? this.activity.numberOf(this.replicas.clusterOf(sender)) : -sender
  }

  /** Notes what one request had refused. @param boundCluster the one that the sender's token is bound to */
  note(refusals: readonly Refusal[], boundCluster: string | undefined, nowMs: number): void {
    this.#journal.record(refusals, boundCluster, nowMs)
  }

  /** What became of all requests so far; lists of clusters and of elections have at most `max` entries. */
  report(nowMs: number, max: number): IngestReport {
    const { activity, replicas } = this
    return {
      refusals: this.#journal.report(),
      clusters: {
        count: activity.clusterCount,
        bySamples: activity.top('taken', max),
        byRefused: activity.top('refused', max),
      },
      identities: { ...this.registry.counts, refused: { ...this.registry.refused } },
      limits: this.#limits.report(activity.names(), nowMs),
      replicas: replicas.report(max),
    }
  }

  #make(labels: Labels, cluster: string): SeriesRef | RefusedSeries {
    const ref = this.appender.resolve(labels)
    if (ref === undefined) {
      const limit = `store.series-max, ${this.options.seriesMax}`
      return { reason: 'series_limit', example: `got one more series than ${limit}: ${labels.toString()}`, cluster }
    }
    this.#limits.made(cluster)
    return ref
  }
}

/** After a name was joined, known series are recognised again, with the cluster that they have now. All of them are. */
const FORGET_EVERY_MS = 5 * 60_000

const IN_MEMORY: ClaimSink = {
  putClaims: () => undefined,
  removeClaims: () => undefined,
  putJoins: () => undefined,
}
