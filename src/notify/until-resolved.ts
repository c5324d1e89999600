/** When a silence that lasts until its alerts are resolved has come to its end. */
import type { Labels } from '../model/labels.ts'
import { silenceStateAt, type Silence } from '../model/silence.ts'

/** What is needed of an alert here. */
export interface HiddenAlert {
  readonly labels: Labels
  readonly state: 'pending' | 'firing' | 'resolved'
  readonly rule: { readonly intervalMs: number }
}

/** An alert that is gone for one evaluation and comes back is the same trouble: at least this long it may be gone. */
const GRACE_MS_MIN = 120_000
/** And at least so many evaluations of the slowest rule that it hid. */
const GRACE_INTERVALS = 2

interface Watch {
  lastHidAtMs: number
  graceMs: number
}

/** Remembers when each silence last hid something; a restart counts as the last time. */
export class ResolvedWatch {
  readonly #watches = new Map<string, Watch>()

  /**
   * The silences that have hidden nothing for long enough. To be called in each evaluation cycle, with all alerts.
   * @param silencedBy ids of the silences that hide an alert now
   */
  ended(
    silences: Iterable<Silence>,
    alerts: readonly HiddenAlert[],
    silencedBy: (labels: Labels) => readonly string[],
    nowMs: number,
  ): readonly string[] {
    const watched = [...silences].filter(
      (silence) => silence.untilResolved && silenceStateAt(silence, nowMs) === 'active',
    )
    const ids = new Set(watched.map(({ id }) => id))
    for (const id of this.#watches.keys()) if (!ids.has(id)) this.#watches.delete(id)
    if (ids.size === 0) return []
    for (const id of ids) {
      if (!this.#watches.has(id)) this.#watches.set(id, { lastHidAtMs: nowMs, graceMs: GRACE_MS_MIN })
    }
    for (const { labels, state, rule } of alerts) {
      if (state === 'resolved') continue
      for (const id of silencedBy(labels)) {
        const watch = this.#watches.get(id)
        if (watch === undefined) continue
        watch.lastHidAtMs = nowMs
        watch.graceMs = Math.max(watch.graceMs, GRACE_INTERVALS * rule.intervalMs)
      }
    }
    return [...this.#watches].flatMap(([id, { lastHidAtMs, graceMs }]) => (nowMs - lastHidAtMs > graceMs ? [id] : []))
  }
}
