/**
 * The state machine of one alert, as in Prometheus: pending during `for`, firing, kept firing by `keep_firing_for`,
 * resolved, deleted. `undefined` is an inactive alert. The step is pure: `nowMs` is the only source of time.
 */

/** Retention of a resolved alert: receivers that missed the resolution are notified again, and pages show it. */
export const RESOLVED_RETENTION_MS = 15 * 60_000

export type AlertPhase = PendingPhase | FiringPhase | ResolvedPhase

interface PendingPhase {
  readonly state: 'pending'
  /** When the expression first returned the sample, in this occurrence of the alert. */
  readonly activeAtMs: number
}

export interface FiringPhase {
  readonly state: 'firing'
  readonly activeAtMs: number
  readonly firedAtMs: number
  /** The first evaluation without the sample, during `keep_firing_for`. */
  readonly keepFiringSinceMs?: number
}

interface ResolvedPhase {
  readonly state: 'resolved'
  readonly activeAtMs: number
  readonly firedAtMs: number
  readonly resolvedAtMs: number
}

/** `for` and `keep_firing_for` of the rule. */
export interface Hold {
  readonly forMs: number
  readonly keepFiringForMs: number
}

/** The next phase of one alert; `holds`: the expression returns its sample at `nowMs`. */
export function stepAlert(
  phase: AlertPhase | undefined,
  holds: boolean,
  nowMs: number,
  hold: Hold,
): AlertPhase | undefined {
  return holds ? stepHolding(phase, nowMs, hold.forMs) : stepGone(phase, nowMs, hold.keepFiringForMs)
}

function stepHolding(phase: AlertPhase | undefined, nowMs: number, forMs: number): AlertPhase {
  if (phase?.state === 'firing') {
    if (phase.keepFiringSinceMs === undefined) return phase
    return { state: 'firing', activeAtMs: phase.activeAtMs, firedAtMs: phase.firedAtMs }
  }
  // A resolved alert that becomes active again is a new occurrence: `for` starts over.
  const activeAtMs = phase?.state === 'pending' ? phase.activeAtMs : nowMs
  const isPending = nowMs - activeAtMs < forMs
  return isPending ? { state: 'pending', activeAtMs } : { state: 'firing', activeAtMs, firedAtMs: nowMs }
}

function stepGone(phase: AlertPhase | undefined, nowMs: number, keepFiringForMs: number): AlertPhase | undefined {
  switch (phase?.state) {
    case undefined:
    case 'pending':
      return undefined
    case 'firing': {
      const keepFiringSinceMs = phase.keepFiringSinceMs ?? nowMs
      // Counted from the first evaluation without the sample, as in Prometheus. 0 resolves at once.
      if (nowMs - keepFiringSinceMs < keepFiringForMs) return { ...phase, keepFiringSinceMs }
      return resolve(phase, nowMs)
    }
    case 'resolved':
      return nowMs - phase.resolvedAtMs > RESOLVED_RETENTION_MS ? undefined : phase
  }
}

/** Resolves a firing alert at `nowMs` without an evaluation, because its rule was removed. */
export function resolve(phase: FiringPhase, nowMs: number): ResolvedPhase {
  return { state: 'resolved', activeAtMs: phase.activeAtMs, firedAtMs: phase.firedAtMs, resolvedAtMs: nowMs }
}
