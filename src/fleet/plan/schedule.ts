/**
 * When the fleet is done: waves of clusters, one after the other, in maintenance windows. A Monte Carlo simulation with a fixed
 * seed: each draw takes one duration of each step of each cluster, independently, and walks through the windows.
 *
 * - A wave starts when all clusters of the wave before are done; its clusters run at the same time.
 * - A step starts in a window. One whose p90 fits into the windows waits for a window with that much time left; a longer one
 *   starts at the beginning of a window and runs on after its end.
 */
import { firstIndexWhere } from '../../base/first-index.ts'
import { Slice } from '../../base/thread-slices.ts'
import type { PlanSchedule, PlanWave } from '../../model/plan.ts'
import { drawOf, quantile, seededRandom, type Quantiles } from './distribution.ts'
import type { TimeSpan } from './maintenance-windows.ts'

export interface ScheduledCluster {
  readonly cluster: string
  /** Of the steps that take time, in order. */
  readonly steps: readonly Quantiles[]
  /** Steps of unknown duration. */
  readonly unknownSteps: number
}

export interface ScheduleRequest {
  readonly startMs: number
  readonly clustersAtOnce: number
  readonly windows: readonly string[]
  readonly timeZone: string
  /** The spans of the windows up to the horizon; `undefined`: any time. */
  readonly spans?: readonly TimeSpan[]
}

/** What ends later is not within the horizon. */
export const HORIZON_MS = 2 * 366 * 24 * 3600_000

const DRAWS_MAX = 1000
const DRAWS_MIN = 100
/** Drawn durations of one schedule: less than a second, unless each of the fewest draws has more. */
const DRAWN_MAX = 5_000_000
const SEED = 20_260_901

export async function scheduleOf(
  clusters: readonly ScheduledCluster[],
  request: ScheduleRequest,
): Promise<PlanSchedule> {
  const { startMs, clustersAtOnce, windows, timeZone, spans } = request
  const waves = wavesOf(clusters, clustersAtOnce)
  const steps = clusters.reduce((sum, one) => sum + one.steps.length, 0)
  const draws = Math.max(DRAWS_MIN, Math.min(DRAWS_MAX, Math.floor(DRAWN_MAX / Math.max(1, steps))))
  const longestMs = spans?.reduce((longest, span) => Math.max(longest, span.endMs - span.startMs), 0) ?? Infinity
  const walk = createWalk(spans, startMs + HORIZON_MS)
  const timed = clusters.map(({ steps: own }) => own.map((quantiles) => timedStep(quantiles, longestMs)))
  const random = seededRandom(SEED)
  let readyMs = new Float64Array(draws).fill(startMs)
  let first = 0
  const planned: PlanWave[] = []
  const slice = new Slice()
  for (const wave of waves) {
    const startsMs = new Float64Array(draws)
    const endsMs = new Float64Array(draws)
    for (let draw = 0; draw < draws; draw++) {
      const from = walk.next(readyMs[draw]!, 0)
      startsMs[draw] = from
      let endMs = from
      for (let i = 0; i < wave.length; i++) {
        let atMs = from
        for (const { quantiles, fitMs } of timed[first + i]!) {
          atMs = walk.next(atMs, fitMs) + drawOf(quantiles, random) * 1000
        }
        if (atMs > endMs) endMs = atMs
      }
      endsMs[draw] = endMs
      if (slice.isOver) await slice.next()
    }
    first += wave.length
    readyMs = endsMs
    const names = wave.map(({ cluster }) => cluster)
    planned.push({ clusters: names, ...momentsOf('start', startsMs), ...momentsOf('end', endsMs) })
  }
  const last = planned.at(-1)
  return {
    ...{ startMs, clustersAtOnce, windows, timeZone, waves: planned, draws },
    ...(last?.endP50Ms === undefined ? {} : { endP50Ms: last.endP50Ms }),
    ...(last?.endP90Ms === undefined ? {} : { endP90Ms: last.endP90Ms }),
    unknownSteps: clusters.reduce((sum, one) => sum + one.unknownSteps, 0),
    overlongSteps: timed.flat().filter(({ isOverlong }) => isOverlong).length,
  }
}

function wavesOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}

interface TimedQuantiles {
  readonly quantiles: Quantiles
  /** How much of a window has to be left at its start; Infinity: a whole one. */
  readonly fitMs: number
  readonly isOverlong: boolean
}

function timedStep(quantiles: Quantiles, longestMs: number): TimedQuantiles {
  const p90Ms = (quantile(quantiles, 0.9) ?? Infinity) * 1000
  const isOverlong = p90Ms > longestMs
  return { quantiles, fitMs: isOverlong ? Infinity : p90Ms, isOverlong }
}

function momentsOf(name: 'start' | 'end', draws: Float64Array): Partial<PlanWave> {
  const rising = draws.toSorted()
  const [p50, p90] = [quantile(rising, 0.5), quantile(rising, 0.9)]
  return {
    ...(p50 === undefined ? {} : { [`${name}P50Ms`]: Math.round(p50) }),
    ...(p90 === undefined ? {} : { [`${name}P90Ms`]: Math.round(p90) }),
  }
}

interface Walk {
  /** The first time from `atMs` on with so much of a window left; Infinity: a window from its beginning. */
  next(atMs: number, fitMs: number): number
}

/** HOT: called once per drawn step. Spans are sorted and apart. */
function createWalk(spans: readonly TimeSpan[] | undefined, horizonMs: number): Walk {
  if (spans === undefined) return { next: (atMs) => (atMs > horizonMs ? Infinity : atMs) }
  const starts = Float64Array.from(spans, ({ startMs }) => startMs)
  const ends = Float64Array.from(spans, ({ endMs }) => endMs)
  return {
    next: (atMs, fitMs) => {
      if (atMs > horizonMs) return Infinity
      for (let i = firstIndexWhere(ends, (endMs) => endMs > atMs); i < ends.length; i++) {
        const fromMs = Math.max(atMs, starts[i]!)
        if (fitMs === Infinity ? fromMs === starts[i]! : ends[i]! - fromMs >= fitMs) return fromMs
      }
      return Infinity
    },
  }
}
