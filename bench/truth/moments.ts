/** When a simulated upgrade is looked at, to see whether it is called stuck. */
import type { ClusterHistory } from '../../sim/history/cluster-history.ts'
import type { TruthUpgradeRecord } from '../../sim/history/history-truth.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export interface Looked {
  readonly fromMs: number
  readonly untilMs: number
}

/** From when to when an upgrade is looked at; `undefined`: nothing of it is told. */
export function lookedAt({ untilMs }: ClusterHistory, real: TruthUpgradeRecord): Looked | undefined {
  const { stall } = real
  if (stall !== undefined) {
    const endMs = Math.min(stall.untilMs ?? untilMs, stall.fromMs + (stall.isAsynchronous ? 30 * HOUR_MS : 2 * HOUR_MS))
    return { fromMs: stall.fromMs, untilMs: Math.min(endMs, untilMs) }
  }
  // What has failed or was given up is no calm one.
  if (real.state !== 'succeeded') return undefined
  const fromMs = real.phases[0]?.startedMs ?? real.startedMs
  const ends = real.phases.map(({ endedMs }) => endedMs ?? 0)
  return fromMs === undefined
    ? undefined
    : { fromMs, untilMs: Math.min(Math.max(...ends), fromMs + 4 * DAY_MS, untilMs) }
}

/** Whether it fell into an outage of its cluster, where nobody knows. */
export function isCutOff({ delivery }: ClusterHistory, window: Looked): boolean {
  const windows = delivery.outages.map((outage) => ({ ...outage, fromMs: outage.fromMs - HOUR_MS }))
  return windows.some((outage) => outage.fromMs < window.untilMs && outage.untilMs + HOUR_MS > window.fromMs)
}

/** Closely at first, where it matters. Rising. */
export function* stallMoments({ fromMs, untilMs }: Looked): Generator<number> {
  for (let atMs = fromMs + MINUTE_MS; atMs < untilMs; atMs += stepMs(atMs - fromMs)) yield atMs
}

function stepMs(sinceMs: number): number {
  if (sinceMs < 10 * MINUTE_MS) return MINUTE_MS / 2
  return sinceMs < 2 * HOUR_MS ? 5 * MINUTE_MS : HOUR_MS
}

/** Of one that does not stand still: each hour before it begins, then each minute for the first hour. Rising. */
export function* calmMoments({ startedMs }: TruthUpgradeRecord, { fromMs, untilMs }: Looked): Generator<number> {
  const beginMs = startedMs ?? fromMs
  yield* everLater(fromMs, beginMs, HOUR_MS)
  yield* everLater(beginMs, untilMs, MINUTE_MS)
}

function* everLater(fromMs: number, untilMs: number, everyMs: number): Generator<number> {
  for (let atMs = fromMs + everyMs; atMs < untilMs; atMs += Math.max(everyMs, (atMs - fromMs) / 20)) yield atMs
}
