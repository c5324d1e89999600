/**
 * The life of one alert, as Prometheus lives it: pending while `for` runs, firing, kept firing by `keep_firing_for`,
 * resolved, forgotten. No alert is `undefined`. The step is pure: all the time it knows is `nowMs`.
 */

/** How long a resolved alert stays, so that receivers that missed the news are told and a person sees that it worked. */
export const RESOLVED_RETENTION_MS = 15 * 60_000

export type AlertPhase = PendingPhase | FiringPhase | ResolvedPhase

export interface PendingPhase {
  readonly state: 'pending'
  /** When the expression first held, in this run of it. */
  readonly activeAtMs: number
}

export interface FiringPhase {
  readonly state: 'firing'
  readonly activeAtMs: number
  readonly firedAtMs: number
  /** The first evaluation that did not hold, while `keep_firing_for` keeps it. */
  readonly keepFiringSinceMs?: number
}

export interface ResolvedPhase {
  readonly state: 'resolved'
  readonly activeAtMs: number
  readonly firedAtMs: number
  readonly resolvedAtMs: number
}

/** What the rule says about patience. */
export interface Hold {
  readonly forMs: number
  readonly keepFiringForMs: number
}

/** The next phase of one alert, given whether its expression holds at `nowMs`. */
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
  // A resolved alert that holds again is a new run of it: `for` starts over.
  const activeAtMs = phase?.state === 'pending' ? phase.activeAtMs : nowMs
  const isPatient = nowMs - activeAtMs < forMs
  return isPatient ? { state: 'pending', activeAtMs } : { state: 'firing', activeAtMs, firedAtMs: nowMs }
}

function stepGone(phase: AlertPhase | undefined, nowMs: number, keepFiringForMs: number): AlertPhase | undefined {
  switch (phase?.state) {
    case undefined:
    case 'pending':
      return undefined
    case 'firing': {
      const keepFiringSinceMs = phase.keepFiringSinceMs ?? nowMs
      // Counted from the first evaluation that did not hold, as Prometheus counts; 0 keeps nothing.
      if (nowMs - keepFiringSinceMs < keepFiringForMs) return { ...phase, keepFiringSinceMs }
      return resolve(phase, nowMs)
    }
    case 'resolved':
      return nowMs - phase.resolvedAtMs > RESOLVED_RETENTION_MS ? undefined : phase
  }
}

/** Ends a firing alert now, whatever its expression says: its rule is gone. */
export function resolve(phase: FiringPhase, nowMs: number): ResolvedPhase {
  return { state: 'resolved', activeAtMs: phase.activeAtMs, firedAtMs: phase.firedAtMs, resolvedAtMs: nowMs }
}
