/**
 * Alerts in the traces of upgrades: an alert that begins to fire changes no fact, but is an event in the trace of the
 * upgrade during which it fired. Clusters with new alerts wait here until their traces are written.
 */
import { alertedTraces, type AlertedTrace } from './upgrade-traces.ts'
import type { LoopCycle } from './loop-cycle.ts'
import type { FiredAlertReader } from '../../model/alert-run.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { DerivedTrace } from '../../model/span.ts'

export interface AlertTraceParts {
  readonly facts: Pick<FleetFactsReader, 'cluster'>
  readonly alerts: FiredAlertReader
  readonly writer: { readonly derived: { spans(traces: readonly DerivedTrace[], nowMs: number): Promise<void> } }
}

const BUDGET_MS = 200
/** Traces whose written alerts are remembered; beyond it some are written again unchanged. */
const WRITTEN_MAX = 20_000

export class AlertTraces {
  readonly #parts: AlertTraceParts
  readonly #waiting = new Set<string>()
  readonly #failed = new Set<string>()
  /** By trace: its alerts as text. An alert that fires repeatedly changes no trace of an older upgrade of the cluster. */
  readonly #written = new Map<string, string>()

  constructor(parts: AlertTraceParts) {
    this.#parts = parts
  }

  get waiting(): number {
    return this.#waiting.size + this.#failed.size
  }

  /** Adds clusters on which alerts fired after `position`, and those that failed. Returns the position of the last alert. */
  async collect(position: number): Promise<number> {
    const fired = await this.#parts.alerts.firedSince(position)
    for (const cluster of [...this.#failed, ...fired.clusters]) this.#waiting.add(cluster)
    this.#failed.clear()
    return fired.position
  }

  /** Writes the traces of clusters that wait. A cluster that fails waits for the next `collect`. */
  async write(cycle: LoopCycle): Promise<void> {
    await cycle.within(BUDGET_MS, async () => {
      const [cluster] = this.#waiting
      if (cluster === undefined) return false
      this.#waiting.delete(cluster)
      try {
        await this.#writeCluster(cluster, cycle.nowMs)
      } catch (thrown) {
        this.#failed.add(cluster)
        cycle.fail(`alerts in traces of ${cluster}`, thrown)
      }
      return true
    })
  }

  async #writeCluster(cluster: string, nowMs: number): Promise<void> {
    const { facts, alerts, writer } = this.#parts
    const stored = await facts.cluster(cluster)
    const traces = stored === undefined ? [] : await alertedTraces(stored, alerts)
    const changed = traces.filter((trace) => this.#written.get(trace.traceId) !== alertsText(trace))
    if (changed.length === 0) return
    await writer.derived.spans(changed, nowMs)
    if (this.#written.size >= WRITTEN_MAX) this.#written.clear()
    for (const trace of changed) this.#written.set(trace.traceId, alertsText(trace))
  }
}

function alertsText({ alerts }: AlertedTrace): string {
  return JSON.stringify(alerts)
}
