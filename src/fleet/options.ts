/** What the Now facts are decided by. Milliseconds. */
export interface FleetOptions {
  /** A cluster heard of within this time is part of the fleet. */
  readonly knownForMs: number
  /** A cluster is silent when nothing came from it for this long. */
  readonly silentAfterMs: number
  /** An upgrade is stuck when nothing new was reached for this long. */
  readonly stuckAfterMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const DEFAULT_FLEET_OPTIONS: FleetOptions = {
  knownForMs: 24 * HOUR_MS,
  // Two of telemetry's pushes (4 min 30 s apart) and a margin: one lost push is no silence.
  silentAfterMs: 10 * MINUTE_MS,
  stuckAfterMs: 60 * MINUTE_MS,
}
