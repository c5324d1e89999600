import type { Counter } from 'prom-client'

const shownTotals = new WeakMap<object, ReadonlyMap<string, number>>()

/**
 * Brings a counter to totals that are counted on another thread: from 0 when that was started again.
 *
 * @param label by which they are; undefined: there is one total, of a counter without labels
 */
export function setTotals<L extends string>(
  counter: Counter<L>,
  label: L | undefined,
  totals: Readonly<Record<string, number>>,
): void {
  const shown = shownTotals.get(counter)
  const totalOf = new Map(Object.entries(totals))
  for (const [value, total] of totalOf) {
    const before = shown?.get(value) ?? 0
    const labels = (label === undefined ? {} : { [label]: value }) as Record<L, string>
    counter.labels(labels).inc(total >= before ? total - before : total)
  }
  shownTotals.set(counter, totalOf)
}
