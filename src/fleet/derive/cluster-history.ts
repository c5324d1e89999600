/**
 * A cluster's observations in order, independent of the order of arrival: the states of each object, the runs of each series.
 * Repeats are merged, and the earliest observation of a state counts. All files of this folder read observations through it,
 * so facts are a function of the set (facts wire 4.3: only the states of one object are ordered, by `resourceVersion`).
 */
import type { CsvFacts, ObjectFacts, ObjectKind } from '../../model/object-facts.ts'
import {
  RECORDED_SIGNALS,
  type ClusterObservations,
  type MetricRun,
  type MetricSignal,
  type ObjectObservation,
  type SpanEvidence,
} from '../../model/observation.ts'
import { collectorClock, type CollectorClock } from './collector-clock.ts'
import { currentRuns } from './current-runs.ts'
import { restoresOf, type Restore } from './etcd-restore.ts'
import { byClusterClock } from './prometheus-clock.ts'
import { groupBy } from '../../base/group-by.ts'
import { remembered } from '../../base/remembered.ts'
import { joinRuns } from './metric-series.ts'
import { compareTexts } from '../version-order.ts'

/** Facts of a kind; six kinds of operands share one type. */
export type FactsOf<K extends ObjectKind> = OfKind<ObjectFacts, K>
type OfKind<F, K> = F extends { readonly kind: infer Kind } ? ([K] extends [Kind] ? F : never) : never

export interface ObjectState<F extends ObjectFacts = ObjectFacts> {
  readonly facts: F
  /** When a Collector first observed it, by the Collector's clock. */
  readonly seenMs: number
  /** The same by the cluster's clock, to the second. */
  readonly atMs: number
  /** Reported at once by a watch; false: found later by a list, so it is older than `seenMs`. */
  readonly isWatched: boolean
  /** The field manager that wrote it, not those of subresources; absent: not reported. */
  readonly manager?: string
  /** etcd was restored, and the object is in an earlier state again: nothing in the cluster changed it. */
  readonly isRestored?: boolean
}

export interface ObjectHistory<F extends ObjectFacts = ObjectFacts> {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  /** `metadata.creationTimestamp`, from whichever state has it. */
  readonly createdMs: number | undefined
  /** At least one; oldest first. */
  readonly states: readonly ObjectState<F>[]
  /** When it was deleted, by the cluster's clock; `sinceMs`: when it last existed. */
  readonly gone: { readonly atMs: number; readonly sinceMs: number } | undefined
}

export interface ClusterHistory {
  readonly cluster: string
  readonly observations: ClusterObservations
  /** Objects of one kind, oldest creation first. */
  of<K extends ObjectKind>(kind: K): readonly ObjectHistory<FactsOf<K>>[]
  /** Runs of one signal, earliest first. */
  runs(signal: MetricSignal): readonly MetricRun[]
  /** The current run of each series of a signal, in the order of their first runs. */
  currentRuns(signal: MetricSignal): readonly MetricRun[]
  readonly spans: readonly SpanEvidence[]
  /** How far clocks contradict each other around a time (collector-clock.ts): times from objects are no more exact. */
  clockDoubtSeconds(timeMs: number): number
  /** The newest report; `undefined`: there is none. */
  readonly newestMs: number | undefined
  /** The newest report of an object, by the cluster's clock; one without changes to the hour. */
  readonly newestObjectMs: number | undefined
}

export function clusterHistory(observations: ClusterObservations): ClusterHistory {
  const { byKind: objects, clock } = objectHistories(observations)
  const csvs = (objects.get('clusterserviceversions') ?? []) as readonly ObjectHistory<CsvFacts>[]
  const hcoCsvHistories = csvs.filter(({ name }) => CSV_NAME.test(name))
  const runs = groupBy(byClusterClock(joinRuns(observations.metrics), hcoCsvHistories), (run) => run.signal)
  const spans = uniqueSpans(observations.spans)
  return {
    cluster: observations.cluster,
    observations,
    of: <K extends ObjectKind>(kind: K) => (objects.get(kind) ?? []) as readonly ObjectHistory<FactsOf<K>>[],
    runs: (signal) => runs.get(signal) ?? [],
    currentRuns: (signal) => currentRuns(runs.get(signal) ?? []),
    spans,
    clockDoubtSeconds: clock.doubtSeconds,
    newestMs: newestOf(observations),
    newestObjectMs: newestStateOf([...objects.values()].flat(), observations.objectsLastSeenMs),
  }
}

interface ObjectHistories {
  readonly byKind: ReadonlyMap<ObjectKind, readonly ObjectHistory[]>
  readonly clock: CollectorClock
}

function objectHistories(observations: ClusterObservations): ObjectHistories {
  const absences = groupBy(observations.absences, ({ kind, uid }) => `${kind} ${uid}`)
  const byKindAndUid = groupBy(observations.objects, ({ facts, uid }) => `${facts.kind} ${uid}`)
  const ordered = new Map([...byKindAndUid].map(([key, seen]) => [key, seen.toSorted(compareStates)]))
  const restores = restoresOf([...ordered.values()], isWatchEvent)
  const histories = [...ordered].map(([key, all]) => {
    const first = all[0]!
    const { uid } = first
    const { seen, states, undoneMs } = statesOf(all, restores)
    const createdMs = states.find(({ facts }) => facts.createdMs !== undefined)?.facts.createdMs
    const newestSeenMs = states.reduce((newest, state) => Math.max(newest, state.seenMs), -Infinity)
    const deletion = seen.filter((object) => object.change === 'deleted')
    const missed = absences.get(key) ?? []
    const absent = missed.filter((absence) => absence.absentMs > newestSeenMs)
    const deletedMs = Math.min(...deletion.map((object) => object.observedMs))
    const absence = {
      atMs: Math.min(...absent.map((absence) => absence.absentMs)),
      sinceMs: Math.max(newestSeenMs, ...absent.map((absence) => absence.lastSeenMs)),
    }
    const deleted = deletion.length > 0 ? deletedMs : undoneMs
    const gone = deleted !== undefined ? { atMs: deleted, sinceMs: deleted } : absent.length > 0 ? absence : undefined
    return {
      kind: first.facts.kind,
      history: { uid, name: first.name, namespace: first.namespace, createdMs, states, gone },
    }
  })
  const clock = collectorClock(histories.map(({ history }) => history))
  const timed = histories.map(({ kind, history }) => ({ kind, history: atClusterClock(history, clock) }))
  timed.sort((a, b) => bornMs(a.history) - bornMs(b.history) || compareTexts(a.history.uid, b.history.uid))
  const byKind = groupBy(timed, ({ kind }) => kind)
  return { byKind: new Map([...byKind].map(([kind, all]) => [kind, all.map(({ history }) => history)])), clock }
}

/** In place: the states are not shared, and there are thousands. */
function atClusterClock(history: ObjectHistory, clock: CollectorClock): ObjectHistory {
  for (const state of history.states as Mutable<ObjectState>[]) state.atMs = clock.clusterMs(state.seenMs)
  const { gone } = history
  if (gone === undefined) return history
  return { ...history, gone: { atMs: clock.clusterMs(gone.atMs), sinceMs: clock.clusterMs(gone.sinceMs) } }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The creation, else the first observation. */
export function bornMs(history: ObjectHistory): number {
  return history.createdMs ?? history.states[0]!.atMs
}

/** An `added` within this time after the creation is a creation; later it is the list at a Collector's start. */
const CREATION_WITHIN_MS = 60_000

function compareStates(a: ObjectObservation, b: ObjectObservation): number {
  return compareVersions(a, b) || a.observedMs - b.observedMs
}

function compareVersions(a: ObjectObservation, b: ObjectObservation): number {
  return (
    compareResourceVersions(a.resourceVersion, b.resourceVersion) ||
    Number(a.change === 'deleted') - Number(b.change === 'deleted')
  )
}

interface ObjectStates {
  /** Without deletions that a restore undid. */
  readonly seen: readonly ObjectObservation[]
  readonly states: ObjectState[]
  /** A restore undid the creation of the object. */
  readonly undoneMs: number | undefined
}

/** @param ordered by resource version */
function statesOf(ordered: readonly ObjectObservation[], restores: readonly Restore[]): ObjectStates {
  if (restores.length === 0) return { seen: ordered, states: orderedStates(ordered), undoneMs: undefined }
  let seen: readonly ObjectObservation[] = []
  const states: ObjectState[] = []
  let undoneMs: number | undefined
  /** In force since the last restore: that it or an older state is reported again adds nothing. */
  let stored: ObjectObservation | undefined
  let fromMs = -Infinity
  for (const restore of [...restores, undefined]) {
    const untilMs = restore?.atMs ?? Infinity
    const before = ordered.filter((object) => {
      const isOfTime = object.observedMs >= fromMs && object.observedMs < untilMs
      return isOfTime && (stored === undefined || compareVersions(object, stored) > 0)
    })
    states.push(...orderedStates(before))
    if (before.length > 0) undoneMs = undefined
    seen = [...seen, ...before]
    if (restore === undefined || seen.length === 0) continue
    const { version, atMs, snapshotMs } = restore
    const isUndone = ({ resourceVersion, change, observedMs }: ObjectObservation): boolean =>
      Number(resourceVersion) > version || (change === 'deleted' && observedMs > snapshotMs)
    stored = seen.findLast((state) => !isUndone(state))
    const wasDeleted = seen.some(({ change }) => change === 'deleted')
    if (stored === undefined && !wasDeleted) undoneMs ??= atMs
    if (stored !== undefined && stored.change !== 'deleted' && seen.some(isUndone)) {
      states.push({ facts: stored.facts, seenMs: atMs, atMs, isWatched: false, isRestored: true })
      seen = seen.filter((state) => !isUndone(state))
    }
    fromMs = atMs
  }
  return { seen, states: noLaterThanNext(states), undoneMs }
}

function orderedStates(ordered: readonly ObjectObservation[]): ObjectState[] {
  const states: ObjectState[] = []
  let last: ObjectObservation | undefined
  for (const object of ordered) {
    const isWatched = isWatchEvent(object)
    const state = states.at(-1)
    if (state === undefined || last!.resourceVersion !== object.resourceVersion) {
      const { facts, observedMs } = object
      states.push({ facts, seenMs: observedMs, atMs: observedMs, isWatched, ...managerOf(object) })
    } else if (object.change !== 'deleted') {
      // The same state again. Should two texts of one version occur, the order of arrival does not decide.
      const facts = smallerOf(state.facts, object.facts)
      const seenMs = Math.min(state.seenMs, object.observedMs)
      const writer = state.manager === undefined ? managerOf(object) : { manager: state.manager }
      states[states.length - 1] = { facts, seenMs, atMs: seenMs, isWatched: state.isWatched || isWatched, ...writer }
    }
    last = object
  }
  return noLaterThanNext(states)
}

/** A resource version has one last writer: observations of it that name one name the same. */
function managerOf({ manager }: ObjectObservation): Pick<ObjectState, 'manager'> {
  return manager === undefined || manager.subresource !== '' ? {} : { manager: manager.name }
}

/** A state existed before the next one, also if it was observed later. */
function noLaterThanNext(states: ObjectState[]): ObjectState[] {
  for (let i = states.length - 2; i >= 0; i--) {
    const { seenMs } = states[i + 1]!
    if (states[i]!.seenMs > seenMs) states[i] = { ...states[i]!, seenMs, atMs: seenMs }
  }
  return states
}

function isWatchEvent({ change, facts, observedMs }: ObjectObservation): boolean {
  if (change === 'modified' || change === 'deleted') return true
  if (change === 'listed' || facts.createdMs === undefined) return false
  return Math.abs(observedMs - facts.createdMs) <= CREATION_WITHIN_MS
}

function smallerOf<F extends ObjectFacts>(a: F, b: F): F {
  if (a === b) return a
  return JSON.stringify(a) <= JSON.stringify(b) ? a : b
}

/** Decimal numbers of any length: the longer one is greater. */
function compareResourceVersions(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b)
}

/** Of two spans with the same ids the longer one: spans grow. */
function uniqueSpans(spans: readonly SpanEvidence[]): readonly SpanEvidence[] {
  const byId = new Map<string, SpanEvidence>()
  for (const span of spans) {
    const id = `${span.traceId}/${span.spanId}`
    const known = byId.get(id)
    if (known === undefined || isNewer(span, known)) byId.set(id, span)
  }
  return [...byId].sort(([idA, a], [idB, b]) => a.startMs - b.startMs || compareTexts(idA, idB)).map(([, span]) => span)
}

function isNewer(span: SpanEvidence, known: SpanEvidence): boolean {
  if (span.endMs !== known.endMs) return span.endMs > known.endMs
  return JSON.stringify(span) < JSON.stringify(known)
}

function newestStateOf(histories: readonly ObjectHistory[], lastSeenMs = -Infinity): number | undefined {
  let newest = lastSeenMs
  for (const { states, gone } of histories) newest = Math.max(newest, states.at(-1)!.atMs, gone?.atMs ?? -Infinity)
  return newest === -Infinity ? undefined : newest
}

function newestOf({ objects, absences, metrics, spans, objectsLastSeenMs }: ClusterObservations): number | undefined {
  let newest = -Infinity
  for (const { observedMs } of objects) newest = Math.max(newest, observedMs)
  for (const { absentMs } of absences) newest = Math.max(newest, absentMs)
  for (const { signal, lastMs, afterMs } of metrics) {
    if (!RECORDED_SIGNALS.has(signal)) newest = Math.max(newest, afterMs ?? lastMs)
  }
  for (const { endMs } of spans) newest = Math.max(newest, endMs)
  // A pull that finds nothing new is a heartbeat too.
  newest = Math.max(newest, objectsLastSeenMs ?? -Infinity)
  return newest === -Infinity ? undefined : newest
}

/** Upstream and OpenShift: `kubevirt-hyperconverged-operator.v1.17.0`, `...v4.20.3`. */
export const CSV_NAME = /^kubevirt-hyperconverged-operator\.v(\d+\.\d+\.\d+.*)$/

/** The version in a CSV's name; `undefined`: the CSV of another operator. */
export function hcoVersionOfCsvName(name: string): string | undefined {
  return CSV_NAME.exec(name)?.[1]
}

/** Without the copies that OLM makes in each namespace. */
export const hcoCsvs = remembered((history: ClusterHistory): readonly ObjectHistory<CsvFacts>[] =>
  history
    .of('clusterserviceversions')
    .filter((csv) => CSV_NAME.test(csv.name) && !csv.states.some(({ facts }) => facts.reason === 'Copied')),
)

export function versionOf(csv: ObjectHistory<CsvFacts>): string {
  const version = csv.states.findLast(({ facts }) => facts.version !== '')?.facts.version
  return version ?? hcoVersionOfCsvName(csv.name) ?? csv.name
}

/** OLM's packages of HCO, by publisher. */
export const HCO_PACKAGES: ReadonlyMap<string, 'community' | 'openshift'> = new Map(
  Object.entries<'community' | 'openshift'>({
    'community-kubevirt-hyperconverged': 'community',
    'kubevirt-hyperconverged': 'openshift',
  }),
)
