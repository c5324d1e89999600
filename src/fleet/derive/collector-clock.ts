/**
 * The offset of a Collector's clock. Times in an object (`lastTransitionTime`, `creationTimestamp`) are by the clock of the node
 * on which their writer runs, times of observations by the Collector's. A watched state with a new time in it has both; the
 * smallest difference of several is the offset, with the watch's delay of less than a second. Without such states the offset is
 * 0. The offset is the one that most writers agree on, so one node's clock shifts nothing; a writer that differs is a doubt.
 */
import { firstIndexWhere } from '../../base/first-index.ts'
import type { ObjectFacts } from '../../model/object-facts.ts'
import { CLOCK_ERROR_MS_MAX } from '../../model/observation.ts'

export interface CollectorClock {
  /** The cluster's time, to the second, of an observation at `seenMs`. */
  clusterMs(seenMs: number): number
  /** How far the clocks of the cluster and of the Collector contradict each other around a time; 0: not noticeably. */
  readonly doubtSeconds: (timeMs: number) => number
}

/** The states of one object, oldest first: see `ObjectState`. */
interface SeenObject {
  readonly states: readonly {
    readonly facts: ObjectFacts
    readonly seenMs: number
    readonly isWatched: boolean
  }[]
}

/** Clocks are adjusted now and then: the samples of the smallest window count. */
const WINDOWS_MS = [60 * 60_000, 24 * 60 * 60_000, 30 * 24 * 60 * 60_000]
/** Fewer samples may all be late. */
const SAMPLES_MIN = 3
/** A larger difference is a backlog of events, unless two writers agree on it. */
const AHEAD_MS_MAX = 10 * 60_000
/** A smaller difference is the watch's delay. */
const DELAY_MS_MAX = 1000
/** Writers whose smallest differences are this close agree: some of their events are late. */
const AGREED_MS = 20_000
/** The watch's delay, and times that are rounded to the second. */
const CONTRADICTION_MS_MIN = 3000

export function collectorClock(objects: readonly SeenObject[]): CollectorClock {
  const samples = objects.flatMap(samplesOf).sort((a, b) => a.seenMs - b.seenMs)
  const estimates = new Map<number, Estimate>()
  const estimate = (timeMs: number): Estimate => {
    const bucket = Math.floor(timeMs / BUCKET_MS)
    let known = estimates.get(bucket)
    if (known === undefined) estimates.set(bucket, (known = estimateAt(samples, (bucket + 0.5) * BUCKET_MS)))
    return known
  }
  return {
    clusterMs: (seenMs) => {
      const { offsetMs } = estimate(seenMs)
      return offsetMs === undefined ? Math.floor(seenMs / 1000) * 1000 : Math.round((seenMs - offsetMs) / 1000) * 1000
    },
    doubtSeconds: (timeMs) => Math.ceil(estimate(timeMs).doubtMs / 1000),
  }
}

/** Observations within this time share an offset: there are thousands per hour. */
const BUCKET_MS = 10 * 60_000

interface ClockSample {
  readonly seenMs: number
  readonly aheadMs: number
  /** The kind, whose status one operator writes, or the API server, which writes the time of creation. */
  readonly writer: string
}

interface Estimate {
  /** `undefined`: no samples, or no offset. */
  readonly offsetMs: number | undefined
  readonly doubtMs: number
}

interface Writer {
  count: number
  leastMs: number
  mostMs: number
}

function estimateAt(samples: readonly ClockSample[], seenMs: number): Estimate {
  for (const windowMs of WINDOWS_MS) {
    const writers = new Map<string, Writer>()
    let count = 0
    for (let i = lowerBound(samples, seenMs - windowMs); i < samples.length; i++) {
      const { seenMs: atMs, aheadMs, writer } = samples[i]!
      if (atMs > seenMs + windowMs) break
      count++
      const known = writers.get(writer)
      if (known === undefined) writers.set(writer, { count: 1, leastMs: aheadMs, mostMs: aheadMs })
      else {
        known.count++
        known.leastMs = Math.min(known.leastMs, aheadMs)
        known.mostMs = Math.max(known.mostMs, aheadMs)
      }
    }
    if (count >= SAMPLES_MIN) return estimateOf([...writers.values()])
  }
  return { offsetMs: undefined, doubtMs: 0 }
}

function estimateOf(writers: readonly Writer[]): Estimate {
  let [leastMs, agreed] = [0, 0]
  for (const { leastMs: ownMs } of writers) {
    const count = writers.filter((other) => other.leastMs >= ownMs && other.leastMs - ownMs <= AGREED_MS).length
    // Of two contradicting writers, the one without an offset is right.
    const isBetter = count > agreed || (count === agreed && Math.abs(ownMs) < Math.abs(leastMs))
    if (isBetter) [leastMs, agreed] = [ownMs, count]
  }
  const doubtMs = Math.max(0, ...writers.map((writer) => contradictionMs(writer, leastMs)))
  const isRight = leastMs >= 0 && leastMs < DELAY_MS_MAX
  if (leastMs > AHEAD_MS_MAX && agreed < 2) {
    return { offsetMs: undefined, doubtMs: leastMs > CLOCK_ERROR_MS_MAX ? doubtMs : Math.max(doubtMs, leastMs) }
  }
  return { offsetMs: isRight ? undefined : leastMs, doubtMs }
}

/** Delays make differences larger, but not by the same amount each time, and never smaller. */
function contradictionMs({ count, leastMs, mostMs }: Writer, offsetMs: number): number {
  const byMs = leastMs - offsetMs
  if (byMs < -CONTRADICTION_MS_MIN) return -byMs
  const isSteady = count > 1 && mostMs - leastMs <= CONTRADICTION_MS_MIN
  return isSteady && byMs > CONTRADICTION_MS_MIN && byMs <= CLOCK_ERROR_MS_MAX ? byMs : 0
}

function lowerBound(samples: readonly ClockSample[], seenMs: number): number {
  return firstIndexWhere(samples, (sample) => sample.seenMs >= seenMs)
}

/** Each watched state whose own newest time is newer than in the state before. */
function samplesOf({ states }: SeenObject): readonly ClockSample[] {
  const samples: ClockSample[] = []
  let knownMs = -Infinity
  for (const [i, { facts, seenMs, isWatched }] of states.entries()) {
    const ownMs = ownTimeMs(facts)
    if (ownMs === undefined || ownMs <= knownMs) continue
    // The first known state is a sample only at the creation of the object.
    if (isWatched && (i > 0 || ownMs === facts.createdMs)) {
      const writer = ownMs === facts.createdMs ? '' : facts.kind
      samples.push({ seenMs, aheadMs: seenMs - ownMs, writer })
    }
    knownMs = ownMs
  }
  return samples
}

/** The newest time in the state, of kinds whose writers put the time of writing into it. */
export function ownTimeMs(facts: ObjectFacts): number | undefined {
  switch (facts.kind) {
    case 'clusterserviceversions':
      return maxOf([facts.createdMs, facts.lastTransitionMs, ...facts.history.map((step) => step.lastUpdateMs)])
    case 'hyperconvergeds':
    case 'kubevirts':
    case 'cdis':
    case 'ssps':
    case 'networkaddonsconfigs':
    case 'hostpathprovisioners':
    case 'aaqs':
    case 'operatorconditions':
    case 'machineconfigpools':
    case 'clusteroperators':
      return maxOf([facts.createdMs, ...facts.conditions.map((condition) => condition.lastTransitionMs)])
    case 'virtualmachineinstancemigrations':
      return maxOf([facts.createdMs, facts.startMs, facts.endMs, ...Object.values(facts.phaseTimesMs)])
    default:
      return undefined
  }
}

function maxOf(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}
