/**
 * Groups of alerts, as in Alertmanager's dispatcher: one alert per fingerprint, routed to its groups; the groups that are
 * due; and the removal of resolved alerts once all receivers are notified.
 */
import { sortInSteps } from '../base/sort-in-steps.ts'
import { eachInSteps, type Steps } from '../base/thread-slices.ts'
import type { Labels } from '../model/labels.ts'
import type { Alert } from '../model/alert.ts'
import { compareAlerts } from './message.ts'
import {
  decide,
  type PipelineAlert,
  type AlertEntry,
  type Group,
  type GroupPlace,
  type Notification,
  type PipelineState,
  type Stage,
} from './pipeline-state.ts'
import { groupKeyOf, groupLabelsOf, routesFor, type Route } from './route.ts'

/** An empty group keeps its timer this long, so that a returning alert does not start a new group. */
const EMPTY_GROUP_MS = 30_000

/** One alert per fingerprint. Resolves alerts that are absent without having resolved. */
export const indexed: Stage = function* (state, { alerts, nowMs }) {
  for (const entry of state.alerts.values()) entry.isPresent = false
  yield
  yield* eachInSteps(yield* onePerFingerprint(alerts), ([fingerprint, alert]) => {
    // A pending alert is a new occurrence: the previous one has ended.
    if (alert.state !== 'pending') putAlert(state, fingerprint, alert)
  })
  yield* eachInSteps(state.alerts, ([fingerprint, { alert, isPresent, places }]) => {
    if (isPresent) return
    const isHeld = places.some(({ id }) => state.groups.get(id)?.alerts.has(fingerprint) === true)
    if (alert.state === 'firing') putAlert(state, fingerprint, { ...alert, state: 'resolved', resolvedAtMs: nowMs })
    else if (!isHeld) state.alerts.delete(fingerprint)
  })
}

/** Puts each alert into the groups of its routes; a new group waits for `group_wait`. */
export const grouped: Stage = function* (state, { nowMs }) {
  yield* eachInSteps(state.alerts.values(), (entry) => {
    for (const place of entry.places) {
      const { alert } = entry
      const isSettled = alert.state === 'resolved' && entry.settled.get(place.id) === (alert.resolvedAtMs ?? 0)
      if (!isSettled) putInGroup(state, place, alert, nowMs)
    }
  })
}

/** Groups whose wait or interval has passed, unless messages of their last flush are still being sent. */
export const due: Stage = function* (state, { flushes, nowMs }) {
  for (const group of state.groups.values()) {
    if (group.waiting > 0 || nowMs < group.nextFlushMs) continue
    yield
    group.nextFlushMs = nowMs + group.route.groupIntervalMs
    group.hasFlushed = true
    group.hasFailed = false
    group.flushed = yield* sortInSteps([...group.alerts.values()], compareAlerts)
    flushes.push({ group, passing: group.flushed })
  }
}

/** Removes resolved alerts from groups that had nothing to send, empty groups, and expired entries of the log. */
export const settled: Stage = function* (state, { flushes, nowMs }) {
  for (const { group } of flushes) {
    yield
    if (group.waiting === 0) yield* settleGroup(state, group, nowMs)
  }
  for (const [id, { emptySinceMs, alerts, waiting }] of state.groups) {
    const isEmpty = emptySinceMs !== undefined && alerts.size === 0 && waiting === 0
    if (isEmpty && nowMs - emptySinceMs >= EMPTY_GROUP_MS) state.groups.delete(id)
  }
  for (const [key, { expiresAtMs }] of state.notified) if (expiresAtMs <= nowMs) state.notified.delete(key)
}

/** Records that a notification was delivered or dropped. Until the last step its group decides nothing. */
export function* settle({ state, groupId, logEntry }: Notification, isNotified: boolean, nowMs: number): Steps<void> {
  if (isNotified) state.notified.set(logEntry.key, logEntry)
  const group = state.groups.get(groupId)
  if (group === undefined) return
  group.hasFailed ||= !isNotified
  // The last one. It counts as waiting until the group is settled, so that no cycle flushes the group meanwhile.
  if (group.waiting === 1) yield* settleGroup(state, group, nowMs)
  group.waiting--
}

/**
 * Two rules may yield the same labels, or a moved rule leaves a resolved alert. For a receiver they are one alert, which must
 * not be firing and resolved in turn: the firing one counts.
 */
export function* onePerFingerprint<A extends Alert>(alerts: readonly A[]): Steps<ReadonlyMap<string, A>> {
  const picked = new Map<string, A>()
  yield* eachInSteps(alerts, (alert) => {
    const other = picked.get(alert.fingerprint)
    if (other === undefined || RANK[alert.state] > RANK[other.state]) picked.set(alert.fingerprint, alert)
  })
  return picked
}

const RANK = { pending: 0, resolved: 1, firing: 2 } as const

function putAlert(state: PipelineState, fingerprint: string, alert: PipelineAlert): void {
  const known = state.alerts.get(fingerprint)
  const wasFiring = known?.alert.state === 'firing'
  const isFiring = alert.state === 'firing'
  const entry = known ?? entryOf(state.config.route, alert)
  if (known === undefined) state.alerts.set(fingerprint, entry)
  entry.alert = alert
  entry.isPresent = true
  if (isFiring) entry.settled.clear()
  if (isFiring && !wasFiring) state.inhibitor.add(fingerprint, alert.labels)
  if (!isFiring && wasFiring) state.inhibitor.remove(fingerprint, alert.labels)
}

function entryOf(root: Route, alert: PipelineAlert): AlertEntry {
  const places = routesFor(root, alert.labels).map((route) => placeOf(route, alert.labels))
  return { alert, isPresent: true, places, decisions: new Map(), settled: new Map() }
}

function placeOf(route: Route, alertLabels: Labels): GroupPlace {
  const labels = groupLabelsOf(route, alertLabels)
  return { route, labels, id: `${route.path.join('.')}\u0000${labels.key}` }
}

function putInGroup(state: PipelineState, place: GroupPlace, alert: PipelineAlert, nowMs: number): void {
  const { groupWaitMs, receiver } = place.route
  const group = state.groups.get(place.id) ?? newGroup(place, nowMs + groupWaitMs)
  state.groups.set(place.id, group)
  if (!group.alerts.has(alert.fingerprint)) {
    group.emptySinceMs = undefined
    decide(state, alert.fingerprint, { receiver, sends: false, reason: 'waits_for_group', atMs: nowMs })
    // The alert has already been active for longer than the wait.
    const startsAtMs = alert.firedAtMs ?? alert.activeAtMs
    if (!group.hasFlushed && startsAtMs + groupWaitMs < nowMs) group.nextFlushMs = nowMs
  }
  group.alerts.set(alert.fingerprint, alert)
}

function newGroup(place: GroupPlace, nextFlushMs: number): Group {
  return {
    ...place,
    key: groupKeyOf(place.route, place.labels),
    alerts: new Map(),
    nextFlushMs,
    hasFlushed: false,
    waiting: 0,
    hasFailed: false,
    flushed: [],
    emptySinceMs: undefined,
  }
}

/** Removes resolved alerts from the group, all of whose receivers are notified. */
function* settleGroup(state: PipelineState, group: Group, nowMs: number): Steps<void> {
  if (group.hasFailed) return
  yield* eachInSteps(group.flushed, (alert) => {
    const present = group.alerts.get(alert.fingerprint)
    if (alert.state !== 'resolved' || present?.state !== 'resolved') return
    if (present.resolvedAtMs !== alert.resolvedAtMs) return
    group.alerts.delete(alert.fingerprint)
    state.alerts.get(alert.fingerprint)?.settled.set(group.id, alert.resolvedAtMs ?? 0)
  })
  group.flushed = []
  if (group.alerts.size === 0) group.emptySinceMs ??= nowMs
}
