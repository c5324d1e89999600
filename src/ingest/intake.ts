import { xxhash64 } from '../base/xxhash64.ts'
import type { Appender } from '../model/appender.ts'
import type { Attributes } from '../model/attribute.ts'
import { CLUSTER_LABEL } from '../model/cluster-identity.ts'
import type { Labels } from '../model/labels.ts'
import type { PrivacyCount, PrivacyRules } from '../model/privacy.ts'
import type { Refusal } from '../model/refusal.ts'
import type { SeriesRef } from '../model/series.ts'
import type { Admission } from './admission.ts'
import type { ClaimSink } from './claim-table.ts'
import { ClusterRegistry, type ClaimingSender, type NameRefusal, type StoredClaims } from './cluster-registry.ts'
import { clusterOfResource } from './cluster-claim.ts'
import { ClusterActivityTable, type ClusterActivity } from './cluster-activity.ts'
import { HaTracker, type HaPairReport } from './ha-tracker.ts'
import type { IngestOptions } from './options.ts'
import { Privacy } from './privacy.ts'
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
    /** Claims that were refused, by reason, and clusters beyond the limit. */
    readonly refused: Readonly<Record<NameRefusal, number>>
  }
  /** What rules of privacy.config dropped since they were loaded. */
  readonly privacy: readonly PrivacyCount[]
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
  readonly privacy = new Privacy()
  /** While rules drop labels: of each series, the dropped labels of its sender, hashed. */
  readonly #owners = new Map<SeriesRef, bigint>()
  readonly #limits: SeriesLimits
  readonly #isErased: ((name: string) => boolean) | undefined
  readonly #journal = new RefusalJournal()
  readonly #forgetters: (() => void)[] = []
  #nowMs = 0
  #forgottenMs = -Infinity

  /**
   * @param claims where claims of names are stored, and those stored before; absent: in memory alone
   * @param isErased whether data about a cluster of this name is refused; after a change call `recogniseAgain`
   */
  constructor(
    appender: Appender,
    options: IngestOptions,
    claims: { readonly sink: ClaimSink; readonly stored?: StoredClaims } = { sink: IN_MEMORY },
    isErased?: (name: string) => boolean,
  ) {
    this.#isErased = isErased
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
    this.recogniseAgain()
  }

  /** Known series are admitted again when they are next seen. */
  recogniseAgain(): void {
    for (const forget of this.#forgetters) forget()
    this.replicas.forgetClaims()
  }

  /** Changes what is dropped. The rules were checked. */
  usePrivacy(rules: PrivacyRules): void {
    this.privacy.use(rules)
    this.#owners.clear()
    this.recogniseAgain()
  }

  /**
   * The cluster of an admitted series by all names that its labels claim: the labels that are stored, with that cluster, or
   * a refusal. Not to be remembered when refused, because the name may be free later, unless it is `privacy_dropped`.
   */
  identify(admission: Admitted): Admission {
    const identified = this.#identify(admission)
    if (identified.kind === 'refused') return identified
    const refusal = this.privacy.refusalOfMetric(identified.labels.metricName)
    if (refusal !== undefined) return refusal
    return this.privacy.hasLabelRules ? { ...identified, ...this.privacy.strip(identified.labels) } : identified
  }

  #identify(admission: Admitted): Admission {
    const { sender, replica, labels } = admission
    if (sender === undefined) return admission
    const names = this.options.identityLabels.map((label) => labels.get(label))
    const erased = this.#refusalOfErased([sender.cluster, ...names])
    if (erased !== undefined) return { kind: 'refused', ...erased }
    const admitted = this.registry.admit(sender, this.#nowMs)
    if ('reason' in admitted) return { kind: 'refused', ...admitted }
    const { cluster } = admitted
    if (cluster === sender.cluster) return admission
    return {
      ...admission,
      labels: labels.with(CLUSTER_LABEL, cluster),
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
    const erased = this.#refusalOfErased([sender.cluster, ...sender.names.map(({ name }) => name)])
    if (erased !== undefined) return erased
    const admitted = this.registry.admit(sender, nowMs)
    return 'reason' in admitted ? admitted : { ...admitted, sender }
  }

  /** Why data about a cluster of these names is refused. The name itself is not repeated: it would be stored again. */
  #refusalOfErased(names: readonly string[]): RefusedSeries | undefined {
    const isErased = this.#isErased
    if (isErased === undefined || !names.some((name) => name !== '' && isErased(name))) return undefined
    return { reason: 'cluster_erased', example: 'got data of a cluster that was erased, want an admin to allow it' }
  }

  /** The series of an admitted label set, created if limits allow; a refused label set may succeed later. */
  resolve({ labels, dropped }: Pick<Admitted, 'labels' | 'dropped'>): SeriesRef | RefusedSeries {
    const known = this.appender.find(labels)
    if (known !== undefined) return this.#owned(known, labels, dropped)
    const cluster = labels.get(CLUSTER_LABEL)
    const made = this.#limits.refusalOf(cluster, this.#nowMs) ?? this.#make(labels, cluster)
    return typeof made === 'number' ? this.#owned(made, labels, dropped) : made
  }

  /**
   * Label sets that differ only in dropped labels would be one series with the samples of both. The first one has the series
   * while it sends; when it has been silent for a while, another may have it: its pod was replaced, say.
   */
  #owned(ref: SeriesRef, labels: Labels, dropped: string | undefined): SeriesRef | RefusedSeries {
    if (dropped === undefined) return ref
    const sender = xxhash64(Buffer.from(dropped))
    const owner = this.#owners.get(ref)
    if (owner === sender) return ref
    if (owner !== undefined) {
      if (this.appender.newestMs(ref) > this.#nowMs - OWNED_MS) {
        const cluster = labels.get(CLUSTER_LABEL)
        return { reason: 'merged_series', example: `${MERGED}: ${labels.toString()}`, cluster }
      }
      // The one before would still be recognised as this series.
      this.registry.isStale = true
    }
    this.#owners.set(ref, sender)
    return ref
  }

  /** The series of label sets that belong together and name one cluster; the limits on a cluster leave room for all or none. */
  resolveAll(labelSets: readonly Labels[], dropped?: string): SeriesRef[] | RefusedSeries {
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
      const owned = this.#owned(ref, labels, dropped)
      if (typeof owned !== 'number') return owned
      refs.push(owned)
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
      privacy: this.privacy.counts(),
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

/** A sender that is silent for longer is replaced: some scrapes, or the lookback of a query. */
const OWNED_MS = 5 * 60_000
const MERGED = 'got a series that equals another one without its dropped labels, want labels by which they differ'

/** After a name was joined, known series are recognised again, with the cluster that they have now. All of them are. */
const FORGET_EVERY_MS = 5 * 60_000

const IN_MEMORY: ClaimSink = {
  putClaims: () => undefined,
  removeClaims: () => undefined,
  putJoins: () => undefined,
}
