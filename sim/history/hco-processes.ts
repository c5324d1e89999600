import { randomOf } from '../random.ts'
import type { ClusterProfile } from '../cluster-profile.ts'
import { isWithin, MINUTE_MS, SECOND_MS, type Window } from '../scenarios/window.ts'
import type { ClusterHistory, HcoRestart, HcoUpgrade, OutOfBandEdit } from './cluster-history.ts'

/** HCO is away so long when it restarts. */
export const RESTART_MS = 40 * SECOND_MS
/** An edit that no scrape shows before the process ends is in no counter. */
const SEEN_MS = 75 * SECOND_MS

/** One process of HCO, which counts from 0. */
export interface HcoProcess extends Window {
  /** The same for all processes of a pod. */
  readonly pod: number
}

/** Oldest first; between two of them HCO is away, except when an upgrade replaces its pod. */
export function hcoProcesses({ upgrades, hcoRestarts = [] }: ClusterHistory): readonly HcoProcess[] {
  const starts = [
    ...upgrades.map(({ operatorPodsMs }) => ({ endMs: operatorPodsMs, fromMs: operatorPodsMs, isNewPod: true })),
    ...hcoRestarts.map(({ atMs, isNewPod }) => ({ endMs: atMs, fromMs: atMs + RESTART_MS, isNewPod })),
  ].filter(({ fromMs }) => fromMs < Infinity)
  starts.sort((a, b) => a.fromMs - b.fromMs)
  let pod = 0
  return [{ fromMs: -Infinity, isNewPod: false }, ...starts].map(({ fromMs, isNewPod }, i) => {
    if (isNewPod) pod++
    return { fromMs, untilMs: starts[i]?.endMs ?? Infinity, pod }
  })
}

/** Whether HCO is away because it restarts. */
export function isHcoAway({ hcoRestarts = [] }: ClusterHistory, timeMs: number): boolean {
  return hcoRestarts.some(({ atMs }) => isWithin({ fromMs: atMs, untilMs: atMs + RESTART_MS }, timeMs))
}

/** Now and then, in the middle of some upgrades, and between two edits of a burst. Oldest first. */
export function planRestarts(
  profile: ClusterProfile,
  upgrades: readonly HcoUpgrade[],
  edits: readonly OutOfBandEdit[],
  fromMs: number,
  untilMs: number,
): readonly HcoRestart[] {
  const random = randomOf(profile.seed, 'history restarts')
  const wished = Array.from({ length: random.int(0, 3) }, () => fromMs + random.next() * (untilMs - fromMs))
  for (const { hcoStartMs, endMs } of upgrades) {
    if (endMs < Infinity && random.chance(0.25)) wished.push(hcoStartMs + random.next() * (endMs - hcoStartMs))
  }
  for (const { atMs } of edits) if (random.chance(0.4)) wished.push(atMs + 90 * SECOND_MS)
  const restarts: HcoRestart[] = []
  for (const wishedMs of wished.toSorted((a, b) => a - b)) {
    const atMs = Math.floor(wishedMs / SECOND_MS) * SECOND_MS
    const [isNewPod, around] = [random.chance(0.6), { fromMs: atMs - SEEN_MS, untilMs: atMs + RESTART_MS + SEEN_MS }]
    const busyMs = [
      ...edits.map((edit) => edit.atMs),
      // What HCO itself does at these times it does not do while it is away.
      ...upgrades.flatMap(({ operatorPodsMs, hcoStartMs, endMs }) => [operatorPodsMs, hcoStartMs, endMs]),
    ]
    const isFree = !busyMs.some((ms) => isWithin(around, ms)) && atMs > (restarts.at(-1)?.atMs ?? -Infinity) + MINUTE_MS
    if (isFree && atMs > fromMs && atMs < untilMs) restarts.push({ atMs, isNewPod })
  }
  return restarts
}
