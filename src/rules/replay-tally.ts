/** The counts of a replay: fires, flaps, pages and clusters, and its last occurrences. */
import { clusterOf } from '../model/cluster-identity.ts'
import { PERIODS_MAX, type FiringPeriod } from './replay-difference.ts'
import { FLAP_MS, type ReplayObserver, type ReplayedAlert, type ReplayAlerts } from './replay-alerts.ts'

export interface ReplayWindow {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
  /** Width of a block of `firingByBlock`. */
  readonly blockMs: number
}

interface ReplayOccurrence {
  readonly labels: Readonly<Record<string, string>>
  readonly activeAtMs: number
  readonly firedAtMs: number
  /** Absent when the alert fires at the end of the window. */
  readonly resolvedAtMs?: number
  /** The value when it started to fire. */
  readonly value: number
}

export interface ReplayCounts {
  readonly fires: number
  readonly flaps: number
  readonly neverFired: number
  readonly clusters: number
  /** Alerts of one cluster that start to fire at one step are one page, as in the notification groups. */
  readonly pagesPerWeek: number
  readonly firingSeconds: number
  readonly mostAtOnce: number
  /** Newest first, at most `OCCURRENCES_MAX`. */
  readonly runs: readonly ReplayOccurrence[]
  readonly firingByBlock: readonly number[]
}

const OCCURRENCES_MAX = 200
export const BLOCKS_MAX = 200

const WEEK_MS = 7 * 86_400_000

/** At most `BLOCKS_MAX` blocks of whole steps. */
export function blockMsOf(fromMs: number, toMs: number, stepMs: number): number {
  const steps = Math.floor((toMs - fromMs) / stepMs) + 1
  return Math.ceil(steps / BLOCKS_MAX) * stepMs
}

export class ReplayTally implements ReplayObserver {
  readonly #window: ReplayWindow
  readonly #byBlock: number[]
  readonly #clusters = new Set<string>()
  #ended: ReplayOccurrence[] = []
  /** The value at which each firing alert started to fire, by the key of its labels. */
  readonly #values = new Map<string, number>()
  readonly #paged = new Map<string, number>()
  readonly #periods: FiringPeriod[] = []
  #fires = 0
  #flaps = 0
  #neverFired = 0
  #pages = 0
  #firingMs = 0
  #mostAtOnce = 0

  constructor(window: ReplayWindow) {
    this.#window = window
    const steps = Math.floor((window.toMs - window.fromMs) / window.stepMs) + 1
    this.#byBlock = new Array<number>(Math.ceil((steps * window.stepMs) / window.blockMs)).fill(0)
  }

  fired({ labels, value, lastResolvedAtMs }: ReplayedAlert, nowMs: number): void {
    this.#fires++
    if (lastResolvedAtMs !== undefined && nowMs - lastResolvedAtMs <= FLAP_MS) this.#flaps++
    const cluster = clusterOf(labels)
    this.#clusters.add(cluster)
    if (this.#paged.get(cluster) !== nowMs) this.#pages++
    this.#paged.set(cluster, nowMs)
    this.#values.set(labels.key, value)
  }

  resolved({ labels, phase }: ReplayedAlert, nowMs: number): void {
    if (phase?.state !== 'resolved') return
    const { activeAtMs, firedAtMs } = phase
    this.#firingMs += nowMs - firedAtMs
    const value = this.#values.get(labels.key) ?? NaN
    this.#values.delete(labels.key)
    const shown = labels.toObject()
    // One more than is compared, so that it shows.
    if (this.#periods.length <= PERIODS_MAX) this.#periods.push({ labels: shown, firedAtMs, resolvedAtMs: nowMs })
    this.#ended.push({ labels: shown, activeAtMs, firedAtMs, resolvedAtMs: nowMs, value })
    // Only the newest are reported, so the older half is dropped.
    if (this.#ended.length > 2 * OCCURRENCES_MAX) this.#ended = newest(this.#ended)
  }

  vanished(): void {
    this.#neverFired++
  }

  stepped(nowMs: number, firing: number): void {
    this.#mostAtOnce = Math.max(this.#mostAtOnce, firing)
    const block = Math.floor((nowMs - this.#window.fromMs) / this.#window.blockMs)
    this.#byBlock[block] = Math.max(this.#byBlock[block] ?? 0, firing)
  }

  /** After the last step: all times at which an alert fired, in no order. */
  periods(alerts: ReplayAlerts): readonly FiringPeriod[] {
    const firing = alerts.firing().map(({ labels, phase: { firedAtMs } }) => ({ labels: labels.toObject(), firedAtMs }))
    return [...this.#periods, ...firing]
  }

  /** After the last step. */
  counts(alerts: ReplayAlerts): ReplayCounts {
    const { fromMs, toMs } = this.#window
    const firing = alerts.firing().map(({ labels, phase: { activeAtMs, firedAtMs } }): ReplayOccurrence => {
      return { labels: labels.toObject(), activeAtMs, firedAtMs, value: this.#values.get(labels.key) ?? NaN }
    })
    const firingMs = firing.reduce((sum, { firedAtMs }) => sum + toMs - firedAtMs, this.#firingMs)
    return {
      fires: this.#fires,
      flaps: this.#flaps,
      neverFired: this.#neverFired,
      clusters: this.#clusters.size,
      pagesPerWeek: this.#pages / (Math.max(toMs - fromMs, this.#window.stepMs) / WEEK_MS),
      firingSeconds: firingMs / 1000,
      mostAtOnce: this.#mostAtOnce,
      runs: newest([...this.#ended, ...firing]),
      firingByBlock: this.#byBlock,
    }
  }
}

function newest(runs: readonly ReplayOccurrence[]): ReplayOccurrence[] {
  return [...runs]
    .sort((a, b) => b.firedAtMs - a.firedAtMs || (b.resolvedAtMs ?? Infinity) - (a.resolvedAtMs ?? Infinity))
    .slice(0, OCCURRENCES_MAX)
}
