/**
 * Who uses the room for external alerts. Each alert counts for the sender that reported it first, and there for its cluster:
 * a sender cannot use up what another one may report of the same cluster. Pure bookkeeping: nothing here is durable.
 */
import type { ExternalAlertRecord } from '../model/external-alert.ts'
import { clusterOf } from '../model/cluster-identity.ts'

export interface ShareLimits {
  readonly total: number
  readonly perSender: number
  /** Alerts that one sender reports of one cluster; those without a cluster count as of one more. */
  readonly perCluster: number
}

/** The limit above which a new alert is refused. */
export type ShareLimit = 'total_limit' | 'sender_limit' | 'cluster_limit'

/** What becomes of a new alert. A decision removes nothing. */
export type Admission =
  | { readonly kind: 'fits' }
  /** It takes the room of this alert. */
  | { readonly kind: 'evicts'; readonly alert: ExternalAlertRecord }
  | { readonly kind: 'refused'; readonly limit: ShareLimit }

export interface SenderShare {
  readonly sender: string
  readonly alerts: number
  /** Largest first; `''`: without a cluster. */
  readonly clusters: readonly { readonly cluster: string; readonly alerts: number }[]
}

/** An alert that was not posted again for so long may make room; Prometheus posts a firing one each minute. */
export const NOT_REPEATED_MS = 60 * 60_000

/** By fingerprint, the one that was not posted for longest first. */
type Share = Map<string, ExternalAlertRecord>

export class AlertShares {
  readonly #limits: ShareLimits
  readonly #senders = new Map<string, { size: number; readonly clusters: Map<string, Share> }>()
  #size = 0

  constructor(limits: ShareLimits, alerts: Iterable<ExternalAlertRecord>) {
    this.#limits = limits
    for (const alert of [...alerts].sort((a, b) => a.updatedAtMs - b.updatedAtMs)) this.put(alert)
  }

  /** Counts an alert, or that it was posted again. */
  put(alert: ExternalAlertRecord): void {
    this.delete(alert)
    const cluster = clusterOf(alert.labels, [])
    const sender = this.#senders.get(alert.sender) ?? { size: 0, clusters: new Map<string, Share>() }
    const share: Share = sender.clusters.get(cluster) ?? new Map<string, ExternalAlertRecord>()
    this.#senders.set(alert.sender, sender)
    sender.clusters.set(cluster, share)
    share.set(alert.fingerprint, alert)
    sender.size++
    this.#size++
  }

  delete({ fingerprint, sender: name, labels }: ExternalAlertRecord): void {
    const cluster = clusterOf(labels, [])
    const sender = this.#senders.get(name)
    const share = sender?.clusters.get(cluster)
    if (sender === undefined || share?.delete(fingerprint) !== true) return
    this.#size--
    if (share.size === 0) sender.clusters.delete(cluster)
    if (--sender.size === 0) this.#senders.delete(name)
  }

  /**
   * Whether there is room for one more alert. At the limit of all senders the largest sender makes room for a smaller one, at
   * the limit of a sender its largest cluster for a smaller one, so that one sender never uses up the room of the others. An
   * equal share makes room with an alert that is resolved or not posted any more.
   */
  admission({ sender: name, labels }: ExternalAlertRecord, nowMs: number): Admission {
    const { total, perSender, perCluster } = this.#limits
    const sender = this.#senders.get(name)
    const own = sender?.clusters.get(clusterOf(labels, [])) ?? NO_SHARE
    if (own.size >= perCluster) return evictionFrom(own, nowMs, 'cluster_limit')
    if (sender !== undefined && sender.size >= perSender)
      return evictionFor(own, sender.clusters, nowMs, 'sender_limit')
    if (this.#size < total) return { kind: 'fits' }
    const largest = largestOf(this.#senders.values())
    const share = sender?.size ?? 0
    if (largest !== undefined && largest !== sender && largest.size > share + 1) {
      return { kind: 'evicts', alert: oldestOf(largestOf(largest.clusters.values()))! }
    }
    return evictionFor(own, sender?.clusters ?? NO_CLUSTERS, nowMs, 'total_limit')
  }

  /** The alerts above the limits, which may have been lowered: the longest not posted ones of the largest shares. */
  above(): readonly ExternalAlertRecord[] {
    const { total, perSender, perCluster } = this.#limits
    const above: ExternalAlertRecord[] = []
    const evict = (share: Share | undefined): void => {
      const alert = oldestOf(share)!
      this.delete(alert)
      above.push(alert)
    }
    for (const sender of [...this.#senders.values()]) {
      for (const share of [...sender.clusters.values()]) while (share.size > perCluster) evict(share)
      while (sender.size > perSender) evict(largestOf(sender.clusters.values()))
    }
    while (this.#size > total) evict(largestOf(largestOf(this.#senders.values())!.clusters.values()))
    return above
  }

  /** Largest first. */
  list(): readonly SenderShare[] {
    const senders = [...this.#senders].map(([sender, { size, clusters }]) => ({
      sender,
      alerts: size,
      clusters: [...clusters].map(([cluster, share]) => ({ cluster, alerts: share.size })).sort(bySize),
    }))
    return senders.sort(bySize)
  }
}

const NO_SHARE: Share = new Map()
const NO_CLUSTERS: ReadonlyMap<string, Share> = new Map()

/** The largest cluster of the sender makes room, when that is fair. */
function evictionFor(own: Share, clusters: ReadonlyMap<string, Share>, nowMs: number, limit: ShareLimit): Admission {
  const largest = largestOf(clusters.values())
  if (largest === undefined || largest === own || largest.size <= own.size + 1) return evictionFrom(own, nowMs, limit)
  return { kind: 'evicts', alert: oldestOf(largest)! }
}

function evictionFrom(share: Share, nowMs: number, limit: ShareLimit): Admission {
  const oldest = oldestOf(share)
  const mayGo = oldest !== undefined && (oldest.endsAtMs <= nowMs || oldest.updatedAtMs <= nowMs - NOT_REPEATED_MS)
  return mayGo ? { kind: 'evicts', alert: oldest } : { kind: 'refused', limit }
}

function largestOf<S extends { readonly size: number }>(shares: Iterable<S>): S | undefined {
  let largest: S | undefined
  for (const share of shares) if (largest === undefined || share.size > largest.size) largest = share
  return largest
}

function oldestOf(share: Share | undefined): ExternalAlertRecord | undefined {
  const first = share?.values().next()
  return first?.done === false ? first.value : undefined
}

function bySize(a: { readonly alerts: number }, b: { readonly alerts: number }): number {
  return b.alerts - a.alerts
}
