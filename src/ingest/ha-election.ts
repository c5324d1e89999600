/**
 * Which of several Prometheus replicas is listened to: the state of one pair, and its steps. A replica is elected by
 * delivering, stays elected while it is heard, and loses its place to the next one that delivers after it was silent
 * for the window. Mimir's and Cortex' trackers work by the same rule and the same 30 seconds.
 *
 * Pure, and all the time it knows is `nowMs`, when something was received. Times of samples do not matter: a replica
 * that comes back and first sends what it had stored is as alive as any.
 */
export interface Election {
  readonly replica: string
  /** Since when it is elected. */
  readonly sinceMs: number
  /** When it last delivered. */
  readonly heardMs: number
  /** How often another took over since the first election. */
  readonly failovers: number
}

/** Why a replica may write, or may not. */
export type ElectionResult = 'first' | 'elected' | 'failover' | 'standby'

/** How a replica stands that has something to deliver. `election`: absent before the first. */
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
 * The election after a replica that may write has delivered. Only what was taken is a delivery: a replica whose
 * samples are all refused, for its clock is wrong, must not keep the other one out.
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
