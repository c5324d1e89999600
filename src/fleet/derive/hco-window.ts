/**
 * When HCO was upgrading: from Progressing with reason HCOUpgrading to `status.versions[operator]` at the target, the last
 * change of an upgrade (facts 5.2). The two `UpgradeHCO` events have the exact times, if they are sent; the time of a
 * condition is exact if its status changed; otherwise the first observation counts.
 */
import { firstIndexWhere } from '../../base/first-index.ts'
import type { Condition, EventFacts, HyperConvergedFacts } from '../../model/object-facts.ts'
import type { ClusterHistory, ObjectHistory, ObjectState } from './cluster-history.ts'
import { ownMoment, seenMoment, type Moment } from './moment.ts'

export interface HcoWindow {
  /** The previous version that HCO reported; absent: none. */
  readonly from: string | undefined
  readonly to: string
  readonly started: Moment | undefined
  /** `status.versions[operator]` is the target. */
  readonly ended: Moment | undefined
  readonly ref: string
}

/** In order of time. */
export function hcoWindows(history: ClusterHistory): readonly HcoWindow[] {
  const events = upgradeEvents(history).toSorted((a, b) => a.atMs - b.atMs || Number(a.isEnd) - Number(b.isEnd))
  const hcos = history.of('hyperconvergeds')
  const times = eventTimes(events)
  const windows = hcos.flatMap((hco) => windowsOf(hco, history)).map((window) => withEvents(window, times))
  const reported = hcos.length > 0 ? windows : windowsOfEvents(events)
  return reported.toSorted((a, b) => timeOf(a) - timeOf(b))
}

/** The start, or else the end. */
export function timeOf({ started, ended }: HcoWindow): number {
  return started?.atMs ?? ended?.atMs ?? 0
}

const HCO_UPGRADING = 'HCOUpgrading'
const TARGET = /to version (\S+?)\.?$/

/** The target version in Progressing while HCO upgrades. */
function upgradeTarget(facts: HyperConvergedFacts): string | undefined {
  const progressing = conditionOf(facts.conditions, 'Progressing')
  if (progressing?.status !== 'True' || progressing.reason !== HCO_UPGRADING) return undefined
  return TARGET.exec(progressing.message)?.[1]
}

export function conditionOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type)
}

function windowsOf(hco: ObjectHistory<HyperConvergedFacts>, history: ClusterHistory): readonly HcoWindow[] {
  const momentOf = (state: HcoState, before: HcoState | undefined, status: 'True' | 'False'): Moment => {
    // The clock of HCO's node may be the wrong one: its times could be before the CSV or in the future.
    const isDoubted = state.isWatched && history.clockDoubtSeconds(state.atMs) > 0
    return isDoubted ? seenMoment(state, before) : flipMoment(state, before, status)
  }
  const ref = `hyperconvergeds/${hco.namespace}/${hco.name}`
  const windows: HcoWindow[] = []
  let open: HcoWindow | undefined
  let version: string | undefined
  for (const [i, state] of hco.states.entries()) {
    const before = hco.states[i - 1]
    const { facts } = state
    const reached = facts.operatorVersion
    const target = upgradeTarget(facts)
    if (state.isRestored === true) {
      if (open !== undefined) windows.push(open)
      open = undefined
    } else if (open !== undefined && reached === open.to) {
      windows.push({ ...open, ended: momentOf(state, before, 'False') })
      open = undefined
    } else if (reached !== undefined && version !== undefined && reached !== version) {
      // The upgrade was not observed; an open one to another version did not end.
      if (open !== undefined) windows.push(open)
      windows.push({ from: version, to: reached, started: undefined, ended: momentOf(state, before, 'False'), ref })
      open = undefined
    }
    version = reached ?? version
    if (target !== undefined && target !== reached && target !== open?.to) {
      if (open !== undefined) windows.push(open)
      open = { from: version, to: target, started: momentOf(state, before, 'True'), ended: undefined, ref }
    }
  }
  return open === undefined ? windows : [...windows, open]
}

type HcoState = ObjectState<HyperConvergedFacts>

/** When Progressing got this status: by its transition time if the status changed in this state, else the observation. */
function flipMoment(state: HcoState, before: HcoState | undefined, status: 'True' | 'False'): Moment {
  const seen = seenMoment(state, before)
  const progressing = conditionOf(state.facts.conditions, 'Progressing')
  const statusBefore = before === undefined ? undefined : conditionOf(before.facts.conditions, 'Progressing')?.status
  const ownMs = progressing?.status === status ? progressing.lastTransitionMs : undefined
  if (ownMs === undefined || statusBefore === status) return seen
  if (before !== undefined && ownMs < before.atMs - SAME_WRITE_MS) return seen
  if (state.isWatched) return ownMoment(ownMs)
  // Found later: it may have changed more than once since the previous state.
  const gapMs = before === undefined ? 0 : ownMs - before.atMs
  return { ...ownMoment(ownMs, true), resolutionSeconds: Math.max(1, Math.ceil(gapMs / 1000)) }
}

/** A state may be written a little after the condition's time in it. */
const SAME_WRITE_MS = 10_000

interface UpgradeEvent {
  readonly isEnd: boolean
  readonly version: string
  readonly atMs: number
}

const EVENT_START = /^Upgrading the HyperConverged to version (\S+?)\.?$/
const EVENT_END = /^Successfully upgraded to version (\S+?)\.?$/

function upgradeEvents(history: ClusterHistory): readonly UpgradeEvent[] {
  return history.of('events').flatMap((event) => event.states.flatMap(({ facts }) => upgradeEvent(facts)))
}

function upgradeEvent({ reason, message, firstMs, lastMs }: EventFacts): readonly UpgradeEvent[] {
  const atMs = firstMs ?? lastMs
  if (reason !== 'UpgradeHCO' || atMs === undefined) return []
  const start = EVENT_START.exec(message)?.[1]
  if (start !== undefined) return [{ isEnd: false, version: start, atMs }]
  const end = EVENT_END.exec(message)?.[1]
  return end === undefined ? [] : [{ isEnd: true, version: end, atMs }]
}

/** Without the object, from its events in order: a start, and the end with the same version. */
function windowsOfEvents(events: readonly UpgradeEvent[]): readonly HcoWindow[] {
  const windows: HcoWindow[] = []
  let reached: string | undefined
  for (const { isEnd, version, atMs } of events) {
    const open = windows.at(-1)
    const isOpen = open !== undefined && open.ended === undefined && open.to === version
    if (isOpen && !isEnd) continue
    const base = { from: reached, to: version, ref: 'events' }
    if (isEnd) reached = version
    if (isOpen) windows[windows.length - 1] = { ...open, ended: ownMoment(atMs) }
    else if (isEnd) windows.push({ ...base, started: undefined, ended: ownMoment(atMs) })
    else windows.push({ ...base, started: ownMoment(atMs), ended: undefined })
  }
  return windows
}

/** Events within this distance belong to the window. */
const EVENT_NEAR_MS = 10 * 60_000

/** When the upgrades to a version started and ended, rising. */
interface EventTimes {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** By version. @param events in the order of time */
function eventTimes(events: readonly UpgradeEvent[]): ReadonlyMap<string, EventTimes> {
  const times = new Map<string, { starts: number[]; ends: number[] }>()
  for (const { isEnd, version, atMs } of events) {
    let own = times.get(version)
    if (own === undefined) times.set(version, (own = { starts: [], ends: [] }))
    own[isEnd ? 'ends' : 'starts'].push(atMs)
  }
  return times
}

function withEvents(window: HcoWindow, times: ReadonlyMap<string, EventTimes>): HcoWindow {
  const { starts = [], ends = [] } = times.get(window.to) ?? {}
  const endMs = nearest(ends, window.ended)
  const untilMs = endMs ?? window.ended?.atMs ?? Infinity
  const startMs =
    window.started === undefined
      ? nearest(starts, window.ended, { withinMs: Infinity, untilMs })
      : nearest(starts, window.started, { untilMs })
  return {
    ...window,
    started: startMs === undefined ? window.started : ownMoment(startMs),
    ended: endMs === undefined ? window.ended : ownMoment(endMs),
  }
}

/** Of two that are as near the earlier one. @param times rising; those after `untilMs` do not count */
function nearest(
  times: readonly number[],
  to: Moment | undefined,
  { withinMs = EVENT_NEAR_MS, untilMs = Infinity } = {},
): number | undefined {
  if (to === undefined) return undefined
  const next = firstIndexWhere(times, (ms) => ms > Math.min(to.atMs, untilMs))
  const slackMs = withinMs + to.resolutionSeconds * 1000
  const distanceMs = (ms: number): number => Math.abs(ms - to.atMs)
  return times
    .slice(Math.max(0, next - 1), next + 1)
    .filter((ms) => ms <= untilMs && distanceMs(ms) <= slackMs)
    .sort((a, b) => distanceMs(a) - distanceMs(b))[0]
}
