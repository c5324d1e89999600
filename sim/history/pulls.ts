/**
 * Lists of everything, as a Collector pulls them: what `watch` leaves to be found by the next list, and the sign of life of
 * a cluster in which nothing changes.
 */
import type { ObjectObservation } from '../../src/model/observation.ts'
import { HOUR_MS, isWithin, MINUTE_MS, type Window } from '../scenarios/window.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { openWindows, SPARSE_EVERY_MS } from './scrapes.ts'
import {
  isHeard,
  livesOf,
  PULL_EVERY_MS,
  pullOffsetMs,
  RESTART_LASTS_MS,
  type ObjectLife,
  type ObjectState,
} from './watch.ts'

/** Migrations that ended longer ago are gone: KubeVirt keeps few. */
const MIGRATIONS_KEPT_MS = HOUR_MS
/** How long after somebody looks into a stall the cluster is still listed each half hour. */
const STALL_LISTED_MS = 31 * HOUR_MS

/** Whatever a list can have, each with at least one state, in the order of `objectsOf`. */
export function listableObjects(history: ClusterHistory, lives = livesOf(history)): readonly ObjectLife[] {
  return lives.filter(({ object, states }) => object.isForgotten !== true && states.length > 0)
}

/** @param skewMs of the Collector's clock */
export function listedAt(
  cluster: string,
  objects: readonly ObjectLife[],
  pullMs: number,
  skewMs = 0,
): readonly ObjectObservation[] {
  return objects.flatMap(({ object, states }) => {
    const state = object.goneMs > pullMs ? states.findLast(({ atMs }) => atMs <= pullMs) : undefined
    if (state === undefined || isOver(state, pullMs)) return []
    const { uid, name, namespace } = object
    const { resourceVersion, facts, manager } = state
    const observedMs = pullMs + skewMs
    return [{ cluster, uid, name, namespace, resourceVersion, change: 'listed', observedMs, facts, manager }]
  })
}

function isOver({ facts }: ObjectState, timeMs: number): boolean {
  return facts.kind === 'virtualmachineinstancemigrations' && (facts.endMs ?? Infinity) < timeMs - MIGRATIONS_KEPT_MS
}

/**
 * When the lists come that get through, rising: each half hour while an upgrade is open or has just stopped moving, the
 * first two after each time in which nothing was heard, and a few a day elsewhere. The others would say the same again.
 */
export function pullTimes(history: ClusterHistory): readonly number[] {
  const { upgrades, delivery, fromMs, untilMs } = history
  const awaited = (afterMs: number): Window => ({ fromMs: afterMs, untilMs: afterMs + 2 * PULL_EVERY_MS + MINUTE_MS })
  const close: readonly Window[] = [
    ...openWindows(history),
    ...upgrades.flatMap(({ offeredMs, stall }) => [
      awaited(offeredMs),
      ...(stall === undefined ? [] : [{ fromMs: stall.fromMs, untilMs: stall.fromMs + STALL_LISTED_MS }]),
    ]),
    ...delivery.outages.map((outage) => awaited(outage.untilMs)),
    ...delivery.restartsMs.map((atMs) => awaited(atMs + RESTART_LASTS_MS)),
  ]
  const times: number[] = []
  const offsetMs = pullOffsetMs(history.profile)
  let sparseMs = -Infinity
  let atMs = Math.ceil((fromMs - offsetMs) / PULL_EVERY_MS) * PULL_EVERY_MS + offsetMs
  for (; atMs < untilMs; atMs += PULL_EVERY_MS) {
    const isDue = atMs - sparseMs >= SPARSE_EVERY_MS || close.some((window) => isWithin(window, atMs))
    if (!isDue || !isHeard(history, atMs)) continue
    times.push(atMs)
    sparseMs = atMs
  }
  return times
}
