import type { Window } from '../scenarios/window.ts'
import type { Component, HcoUpgrade } from './cluster-history.ts'

/** The operand that an upgrade stands still at, degraded from then until it is done. */
export function failingOperandOf({
  stall,
  components,
}: HcoUpgrade): (Window & { readonly component: Component }) | undefined {
  if (stall?.kind !== 'operand') return undefined
  const late = components.find(({ endMs }) => endMs >= stall.untilMs)
  return late === undefined ? undefined : { component: late.name, fromMs: stall.fromMs, untilMs: late.endMs }
}
