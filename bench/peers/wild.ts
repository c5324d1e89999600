/**
 * What the less regular fleet of `wild-fleet.ts` costs, in one life of a server: two hours as a backlog, then half an hour
 * of single scrapes over 16 connections and another over 64, then queries. `wild` has both processors, `wild-one-core` is
 * pinned to one of them, and the sender has the other.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ask, costOf, measureRanges, type AnswerShape } from './asking.ts'
import { SCRAPE_MS } from './fleet.ts'
import { inDirectory, live, nowMs, type Course } from './lives.ts'
import { timesEndingAt } from './payloads.ts'
import { FLEET_RULES, WILD_QUERIES } from './queries.ts'
import type { ScenarioResult } from './results.ts'
import { httpRequest, send, type Request } from './sender.ts'
import { diskBytes, type RunningServer } from './server.ts'
import { wildSeriesOf, type WildSeries } from './wild-fleet.ts'
import { writeBody, type ScrapeTimes, type SeriesSlice } from './write-body.ts'

const BACKLOG_SCRAPES = (2 * 3_600_000) / SCRAPE_MS
const SINGLE_SCRAPES = (30 * 60_000) / SCRAPE_MS
const SCRAPES = BACKLOG_SCRAPES + 2 * SINGLE_SCRAPES
const BACKLOG_SAMPLES = 2000
const BACKLOG_CONNECTIONS = 8
/** Rules run for weeks: their compilation is the figure of the first rounds, and the others are those of a warm server. */
const RULE_WARMUPS = 20
const RULE_RUNS = 30
const REST_MS_MAX = 60_000
/** Daytwo derives facts of a cluster again at the earliest 15 s after the last time: before, it is only seemingly at rest. */
const PUT_OFF_MS = 16_000

export function measureWild(course: Course): Promise<ScenarioResult> {
  return inDirectory((dir) => live(course, dir, (server) => measure(server, course.scale.wildClusters)))
}

export function measureWildOnOneCore(course: Course): Promise<ScenarioResult> {
  const { peer } = course
  const pinned = {
    ...peer,
    program: 'taskset',
    args: (...of: Parameters<typeof peer.args>) => ['--cpu-list', '0', peer.program, ...peer.args(...of)],
  }
  return measureWild({ ...course, peer: pinned })
}

async function measure(server: RunningServer, clusters: number): Promise<ScenarioResult> {
  const times = timesEndingAt(nowMs(), SCRAPES)
  const fleet = Array.from({ length: clusters }, (_, cluster) => wildSeriesOf(cluster, SCRAPES))
  const path = server.peer.writePath
  const registration = await measureSend(server, lanes(fleet, 0, 1, path, times, 16, SCRAPE_SAMPLES_MAX))
  const backlog = lanes(fleet, 1, BACKLOG_SCRAPES, path, times, BACKLOG_CONNECTIONS, BACKLOG_SAMPLES)
  // The first request of each cluster warms the server.
  await send(
    server.port,
    backlog.map((lane) => lane.slice(0, Math.ceil(clusters / BACKLOG_CONNECTIONS))),
  )
  const large = await measureSend(
    server,
    backlog.map((lane) => lane.slice(Math.ceil(clusters / BACKLOG_CONNECTIONS))),
  )
  const single = (fromScrape: number, connections: number): WildRequest[][] =>
    lanes(fleet, fromScrape, fromScrape + SINGLE_SCRAPES, path, times, connections, SCRAPE_SAMPLES_MAX)
  const small16 = await measureSend(server, single(BACKLOG_SCRAPES, 16))
  const small64 = await measureSend(server, single(BACKLOG_SCRAPES + SINGLE_SCRAPES, 64))
  await server.settle(REST_MS_MAX)
  const endMs = times.firstMs + (SCRAPES - 1) * SCRAPE_MS
  const rules = await measureRules(server, endMs)
  const ranges = await measureRanges(server, WILD_QUERIES, endMs)
  const sends = Object.entries({ registration, large, small16, small64 })
  return {
    figures: {
      ...Object.fromEntries(
        sends.flatMap(([name, { figures }]) =>
          Object.entries(figures).map(([key, value]) => [`${name}.${key}`, value]),
        ),
      ),
      ...rules.figures,
      ...ranges.figures,
      senderShare: small16.figures.senderShare,
      peakBytes: server.peakBytes(),
      diskBytes: diskBytes(server.dir),
    },
    answers: { ...rules.answers, ...ranges.answers },
    notes: [...sends.flatMap(([name, { notes }]) => notes.map((note) => `${name}: ${note}`)), ...ranges.notes],
  }
}

interface WildRequest extends Request {
  readonly samples: number
}

/** More than any scrape of a cluster has, so that each scrape is a request. */
const SCRAPE_SAMPLES_MAX = 0

/**
 * The samples of `[fromScrape, toScrape)`, by time, as requests of `perRequest` samples of one cluster each; 0: one scrape
 * per request. A cluster stays on its connection.
 */
function lanes(
  fleet: readonly (readonly WildSeries[])[],
  fromScrape: number,
  toScrape: number,
  path: string,
  times: ScrapeTimes,
  connections: number,
  perRequest: number,
): WildRequest[][] {
  const made: WildRequest[][] = Array.from({ length: connections }, () => [])
  const waiting: SeriesSlice[][] = fleet.map(() => [])
  const close = (cluster: number, count: number): void => {
    const slices = waiting[cluster]!.splice(0, count)
    made[cluster % connections]!.push({ bytes: httpRequest(path, writeBody(slices, times)), samples: slices.length })
  }
  for (let scrape = fromScrape; scrape < toScrape; scrape++) {
    for (const [cluster, series] of fleet.entries()) {
      const slices = waiting[cluster]!
      for (const one of series) {
        const isStale = scrape === one.toScrape
        if (isStale || (scrape >= one.fromScrape && scrape < one.toScrape)) {
          slices.push({ series: one, fromScrape: scrape, toScrape: scrape + 1, isStale })
        }
      }
      if (perRequest === 0) close(cluster, slices.length)
      else if (slices.length >= perRequest) close(cluster, perRequest)
    }
  }
  for (const [cluster, slices] of waiting.entries()) if (slices.length > 0) close(cluster, slices.length)
  return made
}

interface MeasuredSend {
  readonly figures: {
    readonly perCpuSecond: number
    readonly perCpuSecondAtRest: number
    readonly ackMsP50: number
    readonly ackMsP99: number
    readonly samplesPerSecond: number
    readonly senderShare: number
  }
  readonly notes: readonly string[]
}

async function measureSend(server: RunningServer, requests: readonly WildRequest[][]): Promise<MeasuredSend> {
  const samples = requests.flat().reduce((sum, request) => sum + request.samples, 0)
  await server.settle(REST_MS_MAX)
  const startMs = server.cpuMs()
  const sent = await send(server.port, requests)
  const sentMs = server.cpuMs() - startMs
  await wait(PUT_OFF_MS)
  const isAtRest = await server.settle(REST_MS_MAX)
  return {
    figures: {
      perCpuSecond: (samples * 1000) / sentMs,
      perCpuSecondAtRest: (samples * 1000) / (server.cpuMs() - startMs),
      ackMsP50: sent.ackMsP50,
      ackMsP99: sent.ackMsP99,
      samplesPerSecond: samples / sent.seconds,
      senderShare: sent.senderShare,
    },
    notes: [
      ...(sent.putOff > 0 ? [`${sent.putOff} of ${sent.requests} requests were put off and sent again`] : []),
      ...(isAtRest ? [] : [`not at rest ${REST_MS_MAX / 1000} s after the last request`]),
    ],
  }
}

/** All fleet rules at one time: the first run, the mean of the next rounds, and the mean of a server that is warm. */
async function measureRules(
  server: RunningServer,
  timeMs: number,
): Promise<{ readonly figures: Record<string, number>; readonly answers: Record<string, AnswerShape> }> {
  const answers: Record<string, AnswerShape> = {}
  const run = async (): Promise<void> => {
    for (const query of FLEET_RULES) {
      answers[query] = await ask(server, '/api/v1/query', { query, time: String(timeMs / 1000) })
    }
  }
  const cold = await costOf(server, run)
  const rounds = async (count: number): Promise<number> => {
    const cost = await costOf(server, async () => {
      for (let i = 0; i < count; i++) await run()
    })
    return cost.cpuMs / count
  }
  const early = await rounds(RULE_WARMUPS)
  const warm = await rounds(RULE_RUNS)
  return { figures: { 'rules.coldCpuMs': cold.cpuMs, 'earlyRules.cpuMs': early, 'rules.cpuMs': warm }, answers }
}
