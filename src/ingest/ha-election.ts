/**
 * The election among the Prometheus replicas of one HA pair, as a state and its steps. A replica is elected by
 * delivering samples, stays elected while it delivers, and loses its place to the next replica that delivers after it
 * was silent for the window. Mimir and Cortex use the same rule and the same 30 seconds.
 *
 * Pure: `nowMs`, the time of receipt, is the only source of time. Timestamps of samples do not matter: a replica that
 * returns and first sends its backlog counts as alive.
 */
export interface Election {
  readonly replica: string
  /** Since when it is elected. */
  readonly sinceMs: number
  /** When it last delivered. */
  readonly heardMs: number
  /** Number of failovers since the first election. */
  readonly failovers: number
}

/** Why a replica may write, or may not. */
type ElectionResult = 'first' | 'elected' | 'failover' | 'standby'

/** The result for a replica that has samples to deliver. `election`: absent before the first. */
export function electionResultOf(
  election: Election | undefined,
  replica: string,
  nowMs: number,
  failoverAfterMs: number,
): ElectionResult {
  if (election === undefined) return 'first'
  if (election.replica === replica) return 'elected'
  // A clock that was put back makes the silence negative, and ends no term early.
  return nowMs - election.heardMs >= failoverAfterMs ? 'failover' : 'standby'
}

/**
 * The election after a delivery by a permitted replica. Only accepted samples count: a replica whose samples are all
 * refused, for example because its clock is wrong, must not block the other one.
 */
export function delivered(
  election: Election | undefined,
  replica: string,
  nowMs: number,
  failoverAfterMs: number,
): Election {
  const result = electionResultOf(election, replica, nowMs, failoverAfterMs)
  if (election === undefined || result === 'first') return { replica, sinceMs: nowMs, heardMs: nowMs, failovers: 0 }
  switch (result) {
    case 'standby':
      return election
    case 'elected':
      return { ...election, heardMs: Math.max(election.heardMs, nowMs) }
    case 'failover':
      return { replica, sinceMs: nowMs, heardMs: nowMs, failovers: election.failovers + 1 }
  }
}
