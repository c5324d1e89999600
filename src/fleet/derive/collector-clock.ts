/**
 * The offset of a Collector's clock. Times in an object (`lastTransitionTime`, `creationTimestamp`) are by the cluster's
 * clock, times of observations by the Collector's. A watched state with a new time in it has both; the smallest difference of
 * several is the offset, with the watch's delay of less than a second. Without such states the offset is 0.
 */
import type { ObjectFacts } from '../../model/object-facts.ts'

/** The cluster's time, to the second, of an observation at `seenMs`. */
export type CollectorClock = (seenMs: number) => number

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
/** A larger difference is a backlog of events. */
const AHEAD_MS_MAX = 10 * 60_000
/** A smaller difference is the watch's delay. */
const DELAY_MS_MAX = 1000

export function collectorClock(objects: readonly SeenObject[]): CollectorClock {
  const samples = objects.flatMap(samplesOf).sort((a, b) => a.seenMs - b.seenMs)
  const offsets = new Map<number, number | undefined>()
  return (seenMs) => {
    const bucket = Math.floor(seenMs / BUCKET_MS)
    if (!offsets.has(bucket)) offsets.set(bucket, offsetAt(samples, (bucket + 0.5) * BUCKET_MS))
    const offsetMs = offsets.get(bucket)
    return offsetMs === undefined ? Math.floor(seenMs / 1000) * 1000 : Math.round((seenMs - offsetMs) / 1000) * 1000
  }
}

/** Observations within this time share an offset: there are thousands per hour. */
const BUCKET_MS = 10 * 60_000

interface ClockSample {
  readonly seenMs: number
  readonly aheadMs: number
}

/** `undefined`: no samples, or no offset. */
function offsetAt(samples: readonly ClockSample[], seenMs: number): number | undefined {
  for (const windowMs of WINDOWS_MS) {
    let count = 0
    let leastMs = Infinity
    for (let i = lowerBound(samples, seenMs - windowMs); i < samples.length; i++) {
      const { seenMs: atMs, aheadMs } = samples[i]!
      if (atMs > seenMs + windowMs) break
      count++
      leastMs = Math.min(leastMs, aheadMs)
    }
    if (count < SAMPLES_MIN) continue
    const isRight = (leastMs >= 0 && leastMs < DELAY_MS_MAX) || leastMs > AHEAD_MS_MAX
    return isRight ? undefined : leastMs
  }
  return undefined
}

function lowerBound(samples: readonly ClockSample[], seenMs: number): number {
  let [low, high] = [0, samples.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (samples[middle]!.seenMs < seenMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Each watched state whose own newest time is newer than in the state before. */
function samplesOf({ states }: SeenObject): readonly ClockSample[] {
  const samples: ClockSample[] = []
  let knownMs = -Infinity
  for (const [i, { facts, seenMs, isWatched }] of states.entries()) {
    const ownMs = ownTimeMs(facts)
    if (ownMs === undefined || ownMs <= knownMs) continue
    // The first known state is a sample only at the creation of the object.
    if (isWatched && (i > 0 || ownMs === facts.createdMs)) samples.push({ seenMs, aheadMs: seenMs - ownMs })
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
