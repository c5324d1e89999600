import type { ObjectFacts } from '../../src/model/object-facts.ts'
import type { FieldManager, ObjectAbsence, ObjectChange, ObjectObservation } from '../../src/model/observation.ts'
import { hashOf, noiseAt } from '../random.ts'
import { isWithin, MINUTE_MS } from '../scenarios/window.ts'
import type { ClusterProfile } from '../cluster-profile.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { managerOf } from './managers.ts'
import { objectsOf } from './objects.ts'
import type { SimObject } from './objects/sim-object.ts'

/** One state of an object, and what a cluster would say of it. */
export interface ObjectState {
  readonly atMs: number
  readonly resourceVersion: string
  readonly facts: ObjectFacts
  /** Who wrote it. */
  readonly manager: FieldManager
}

/** An object over the time that is looked at. */
export interface ObjectLife {
  readonly object: SimObject
  /** Oldest first; none when it was not there yet. */
  readonly states: readonly ObjectState[]
}

/** What a Collector says of a cluster's objects: the set of it, in the order of the Collector's clock. */
export interface Watched {
  readonly observations: readonly ObjectObservation[]
  readonly absences: readonly ObjectAbsence[]
}

export const PULL_EVERY_MS = 30 * MINUTE_MS
/** A Collector that starts anew hears nothing for so long. */
export const RESTART_LASTS_MS = 20_000
const RESOURCE_VERSION_EPOCH_MS = Date.UTC(2020, 0, 1)

/**
 * A watch of each kind, and a list of everything each half hour. What changes while the Collector is away is found by
 * the next list, with what was in between lost; an object that went meanwhile is missed by two lists.
 */
export function watch(history: ClusterHistory, lives = livesOf(history)): Watched {
  const observations: ObjectObservation[] = []
  const absences: ObjectAbsence[] = []
  for (const life of lives) {
    const seen = watchObject(history, life)
    observations.push(...seen.observations)
    absences.push(...seen.absences)
  }
  observations.sort((a, b) => a.observedMs - b.observedMs || (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0))
  return { observations, absences }
}

/** Every object with what becomes of it, in the order of `objectsOf`. Most of the work: whoever needs it twice hands it on. */
export function livesOf(history: ClusterHistory): readonly ObjectLife[] {
  return objectsOf(history).map((object) => ({ object, states: statesOf(object, history.untilMs) }))
}

/** States of an object from its creation, oldest first; two in a row differ. */
function statesOf(object: SimObject, untilMs: number): readonly ObjectState[] {
  const times = [object.createdMs, ...object.momentsMs]
    .filter((atMs) => atMs >= object.createdMs && atMs < Math.min(object.goneMs, untilMs))
    .toSorted((a, b) => a - b)
  const states: ObjectState[] = []
  let lastText = ''
  for (const atMs of new Set(times)) {
    const facts = object.factsAt(atMs)
    const text = JSON.stringify(facts)
    if (text === lastText) continue
    lastText = text
    const manager = object.writerAt?.(atMs) ?? managerOf(facts.kind)
    states.push({ atMs, resourceVersion: resourceVersionAt(atMs), facts, manager })
  }
  return states
}

function resourceVersionAt(timeMs: number): string {
  return String(timeMs - RESOURCE_VERSION_EPOCH_MS)
}

/** When a state was written. */
export function writtenMs(resourceVersion: string): number {
  return Number(resourceVersion) + RESOURCE_VERSION_EPOCH_MS
}

function watchObject(history: ClusterHistory, { object, states }: ObjectLife): Watched {
  const { profile, fromMs, untilMs, delivery } = history
  const observations: ObjectObservation[] = []
  const { uid, name, namespace } = object
  const noise = hashOf(uid)
  const tell = (
    state: ObjectState,
    change: ObjectChange,
    atMs: number,
    resourceVersion = state.resourceVersion,
  ): void => {
    const delayMs = 50 + Math.floor(450 * noiseAt(noise, observations.length))
    const observedMs = atMs + delayMs + delivery.skewMs
    observations.push({
      cluster: profile.name,
      uid,
      name,
      namespace,
      resourceVersion,
      change,
      observedMs,
      facts: state.facts,
      manager: state.manager,
    })
  }
  const startsMs = [fromMs, ...delivery.restartsMs.map((restartMs) => restartMs + RESTART_LASTS_MS)]
  states.forEach((state, i) => {
    const nextMs = states[i + 1]?.atMs ?? object.goneMs
    if (state.atMs >= fromMs && isHeard(history, state.atMs)) tell(state, i === 0 ? 'added' : 'modified', state.atMs)
    for (const startMs of startsMs) {
      if (startMs > state.atMs && startMs < Math.min(nextMs, untilMs) && isHeard(history, startMs))
        tell(state, 'added', startMs)
    }
    const listedMs = firstPullIn(history, Math.max(state.atMs, fromMs), Math.min(nextMs, untilMs))
    if (listedMs !== undefined && object.isForgotten !== true) tell(state, 'listed', listedMs)
  })
  const last = states.at(-1)
  if (last === undefined || object.goneMs < fromMs || object.goneMs >= untilMs || object.isForgotten === true) {
    return { observations, absences: [] }
  }
  if (isHeard(history, object.goneMs)) {
    tell(last, 'deleted', object.goneMs, resourceVersionAt(object.goneMs))
    return { observations, absences: [] }
  }
  const newestMs = observations.reduce((newest, { observedMs }) => Math.max(newest, observedMs), -Infinity)
  const firstMs = firstPullIn(history, object.goneMs, untilMs)
  const absentMs = firstMs === undefined ? undefined : firstPullIn(history, firstMs + 1, untilMs)
  if (newestMs === -Infinity || absentMs === undefined) return { observations, absences: [] }
  const { kind } = last.facts
  return {
    observations,
    absences: [{ cluster: profile.name, kind, uid, lastSeenMs: newestMs, absentMs: absentMs + delivery.skewMs }],
  }
}

/** Whether a watch tells what happens at a time. */
export function isHeard({ delivery }: ClusterHistory, timeMs: number): boolean {
  const isStarting = delivery.restartsMs.some((atMs) => timeMs >= atMs && timeMs < atMs + RESTART_LASTS_MS)
  return !isStarting && !isCutOff(delivery, timeMs)
}

export function isCutOff({ outages }: ClusterHistory['delivery'], timeMs: number): boolean {
  return outages.some((outage) => outage.kind === 'gap' && isWithin(outage, timeMs))
}

/** Each cluster lists at moments of its own. */
export function pullOffsetMs({ scrapeOffsetMs }: ClusterProfile): number {
  return (scrapeOffsetMs * 60) % PULL_EVERY_MS
}

/** The last list before a time that gets through. */
export function lastPullBefore(history: ClusterHistory, untilMs: number): number | undefined {
  const offsetMs = pullOffsetMs(history.profile)
  let atMs = Math.floor((untilMs - 1 - offsetMs) / PULL_EVERY_MS) * PULL_EVERY_MS + offsetMs
  while (atMs > history.fromMs && !isHeard(history, atMs)) atMs -= PULL_EVERY_MS
  return atMs > history.fromMs ? atMs : undefined
}

/** The first list in (fromMs, untilMs) that gets through. */
function firstPullIn(history: ClusterHistory, fromMs: number, untilMs: number): number | undefined {
  const offsetMs = pullOffsetMs(history.profile)
  let atMs = (Math.floor((fromMs - offsetMs) / PULL_EVERY_MS) + 1) * PULL_EVERY_MS + offsetMs
  while (atMs < untilMs && !isHeard(history, atMs)) atMs += PULL_EVERY_MS
  return atMs < untilMs ? atMs : undefined
}
