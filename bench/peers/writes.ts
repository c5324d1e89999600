/**
 * What a write costs, while it is sent and until the server is at rest again, and how soon it is acknowledged. `large`
 * and `small`: series that are known, to a server that is warm. `new`: every series for the first time, by relays.
 */
import { SERIES_PER_CLUSTER, seriesOf } from './fleet.ts'
import { inOneLife, nowMs, type Course } from './lives.ts'
import {
  CONNECTIONS,
  backlogOf,
  fleetOf,
  lanesOf,
  relayLanes,
  relayWaves,
  scrapesOf,
  timesEndingAt,
  type Fleet,
} from './payloads.ts'
import type { ScenarioResult } from './results.ts'
import { send, type Request, type Sent } from './sender.ts'
import type { RunningServer } from './server.ts'
import type { ScrapeTimes } from './write-body.ts'

const LARGE_SAMPLES = 2000
const SMALL_CONNECTIONS = 16
/** Work that was put off is counted in the figures "until at rest", and paid for before a measurement begins. */
const REST_MS_MAX = 30_000

export function measureLarge(course: Course): Promise<ScenarioResult> {
  const scrapes = Math.ceil(LARGE_SAMPLES / SERIES_PER_CLUSTER)
  return measureKnown(course, scrapes, (path, fleet, times) =>
    lanesOf(path, fleet, (series) => [backlogOf(series, 1, LARGE_SAMPLES)], times, CONNECTIONS),
  )
}

export function measureSmall(course: Course): Promise<ScenarioResult> {
  const { smallScrapes } = course.scale
  return measureKnown(course, smallScrapes, (path, fleet, times) =>
    lanesOf(
      path,
      fleet,
      (series) => Array.from({ length: smallScrapes }, (_, i) => scrapesOf(series, 1 + i, 2 + i)),
      times,
      SMALL_CONNECTIONS,
    ),
  )
}

export function measureNew(course: Course): Promise<ScenarioResult> {
  const { newClusters, newScrapes } = course.scale
  return inOneLife(course, async (server) => {
    const samples = newClusters * SERIES_PER_CLUSTER
    const times = timesEndingAt(nowMs(), newScrapes)
    const waves = Array.from({ length: newScrapes }, (_, scrape) => ({ from: scrape, to: scrape + 1 }))
    const [first, ...next] = relayWaves(server.peer.writePath, clustersUpTo(newClusters), waves, times)
    const startMs = server.cpuMs()
    const fresh = await measureSend(server, samples, first!)
    for (const lanes of next) await send(server.port, lanes)
    await server.settle(REST_MS_MAX)
    const arrivalPerCpuSecond = (samples * newScrapes * 1000) / (server.cpuMs() - startMs)
    return { ...fresh, figures: { ...fresh.figures, arrivalPerCpuSecond, peakBytes: server.peakBytes() } }
  })
}

function* clustersUpTo(count: number): Generator<ReturnType<typeof seriesOf>> {
  for (let cluster = 0; cluster < count; cluster++) yield seriesOf(cluster)
}

/** Each series was seen once, and clusters of their own have warmed the server with requests of the same kind. */
function measureKnown(
  course: Course,
  scrapes: number,
  lanesFor: (path: string, fleet: Fleet, times: ScrapeTimes) => Request[][],
): Promise<ScenarioResult> {
  const { steadyClusters, warmClusters } = course.scale
  return inOneLife(course, async (server) => {
    const { writePath } = server.peer
    const times = timesEndingAt(nowMs(), 1 + scrapes)
    const warm = fleetOf(warmClusters, steadyClusters)
    const fleet = fleetOf(steadyClusters)
    await send(server.port, relayLanes(writePath, [...warm, ...fleet], { from: 0, to: 1 }, times))
    await send(server.port, lanesFor(writePath, warm, times))
    const lanes = lanesFor(writePath, fleet, times)
    const samplesPerRequest = Math.min(LARGE_SAMPLES, SERIES_PER_CLUSTER * scrapes)
    return measureSend(server, samplesPerRequest * fleet.length, lanes)
  })
}

async function measureSend(
  server: RunningServer,
  samples: number,
  lanes: readonly (readonly Request[])[],
): Promise<ScenarioResult> {
  await server.settle(REST_MS_MAX)
  const startMs = server.cpuMs()
  const sent = await send(server.port, lanes)
  const sentMs = server.cpuMs() - startMs
  const peakBytes = server.peakBytes()
  const isAtRest = await server.settle(REST_MS_MAX)
  const restMs = server.cpuMs() - startMs
  return {
    figures: {
      perCpuSecond: (samples * 1000) / sentMs,
      perCpuSecondAtRest: (samples * 1000) / restMs,
      ackMsP50: sent.ackMsP50,
      ackMsP99: sent.ackMsP99,
      peakBytes: Math.max(peakBytes, server.peakBytes()),
      samplesPerSecond: samples / sent.seconds,
      cpuMs: sentMs,
      senderShare: sent.senderShare,
    },
    notes: notesOf(sent, isAtRest),
  }
}

function notesOf({ putOff, requests }: Sent, isAtRest: boolean): string[] {
  return [
    ...(putOff > 0 ? [`${putOff} of ${requests} requests were put off and sent again`] : []),
    ...(isAtRest ? [] : [`not at rest ${REST_MS_MAX / 1000} s after the last request`]),
  ]
}
