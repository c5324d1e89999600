import type { Clock } from '../src/base/clock.ts'
import { messageOf } from '../src/base/errors.ts'
import { silentLog, type Log } from '../src/base/log.ts'
import { createFleet, type Fleet, type FleetOptions } from './fleet.ts'
import { CALENDAR } from './history/calendar.ts'
import { tellsObjects } from './history/history-of-plan.ts'
import { pastOfPlan, type PastOptions } from './history/past-of-plan.ts'
import { atSecond } from './history/plan-history.ts'
import { createRecordsSender } from './records-sender.ts'
import { createSender, type SenderCounts } from './sender.ts'
import { createCollector, type SimCollector } from './sim-collector.ts'
import type { SimPrometheus } from './sim-prometheus.ts'
import type { ClusterPlan } from './cluster-plan.ts'
import { sparseScrapes } from './sparse-scrapes.ts'
import type { Truth } from './truth.ts'

/**
 * A running fleet: first its history, all clusters together window by window, then live, scrape by scrape, until it is
 * stopped. After an outage of the server it goes on where it was, as a Prometheus does.
 */
export interface Simulation {
  readonly fleet: Fleet
  /** The metrics of the history are sent, and `afterMetrics` is through. Rejects as `done` does. */
  readonly metricsDone: Promise<void>
  /** The history is sent. Rejects when it cannot be, or when the simulation is stopped before. */
  readonly done: Promise<void>
  readonly counts: Readonly<SenderCounts>
  /** What is so at a time, whatever the server says. */
  truth(timeMs: number): Truth
  /** Resolves when nothing is sent any more. */
  stop(): Promise<void>
}

export interface SimulationOptions {
  /** The server's root. */
  readonly url: string
  readonly seed: string
  readonly clusters: number
  /** Sent at once, ending now. */
  readonly historyMs: number
  /** Of the history, the end of which every scrape is sent; before it, metrics are sparse. All of it when absent. */
  readonly denseMs?: number
  readonly clock: Clock
  readonly token?: string | undefined
  readonly onProgress?: (progress: SimulationProgress) => void
  readonly log?: Log
  readonly scrapeMs?: number
  readonly roleOf?: FleetOptions['roleOf']
  /** Whether clusters with a Collector tell of their objects too; not when absent. */
  readonly sendsObjects?: boolean
  /** How long before the history Collectors tell of, with upgrades of months in it; not at all when absent. */
  readonly pastMs?: number
  /**
   * For fleets of thousands: clusters send through relays, many in one request, metrics of the history are sparse
   * (`sparse-scrapes.ts`) and of one Prometheus of a pair, and lists of objects begin when the history ends. When absent each
   * cluster sends for itself, every scrape.
   */
  readonly isRelayed?: boolean
  /** What a relayed fleet's objects wait for when the metrics of its history are sent; metrics go on meanwhile. */
  readonly afterMetrics?: () => Promise<void>
}

export interface SimulationProgress {
  readonly kind: 'metrics' | 'objects'
  /** Of the history, in [0, 1]. */
  readonly fraction: number
  readonly samplesAcked: number
  readonly samplesRefused: number
}

const DAY_MS = 86_400_000
/** So many scrapes of a common cluster fill a request. */
const SCRAPES_PER_WINDOW = 25
/** Between two rounds of live sending: how long a Prometheus waits for a request to fill. */
const ROUND_MS = 5000
/** Lists are sent from so long before the present on. */
const LISTS_BEFORE_MS = 30 * 60_000
/** Clusters, or relays, that send at the same moment. */
const PARALLEL_MAX = 8
/** Relays send each second what came, so that a fleet's scrapes stay spread over the interval. */
const RELAY_ROUND_MS = 1000
/** Prometheuses that share a relay. */
const RELAYED_TOGETHER = 25
const RELAY_SAMPLES_MAX = 10_000
const NEWEST_AGE_MS = 17 * DAY_MS
/** Every scrape is about so many times as much as sparse ones. */
const SPARSE_TIMES = 6

/** Scrapes of one Prometheus that are to be sent. */
interface Due {
  readonly prometheus: SimPrometheus
  readonly scrapes: readonly number[]
}

export function startSimulation(options: SimulationOptions): Simulation {
  const { url, token, clock, log = silentLog, isRelayed = false, onProgress } = options
  const presentMs = clock.nowMs()
  const startMs = presentMs - options.historyMs
  const denseFromMs = presentMs - (options.denseMs ?? options.historyMs)
  const fleet = createFleet({
    ...{ seed: options.seed, clusters: options.clusters, startMs, presentMs },
    ...(options.scrapeMs === undefined ? {} : { scrapeMs: options.scrapeMs }),
    ...(options.roleOf === undefined ? {} : { roleOf: options.roleOf }),
  })
  const parts = { url, token, clock, connections: PARALLEL_MAX }
  const sender = createSender(isRelayed ? { ...parts, samplesPerRequestMax: RELAY_SAMPLES_MAX } : parts)
  const records = createRecordsSender(parts)
  const listsFromMs = isRelayed ? presentMs : presentMs - LISTS_BEFORE_MS
  const past = pastOptions(options.pastMs ?? 0, startMs, presentMs)
  const collectors =
    options.sendsObjects === true
      ? fleet.plans
          .filter(tellsObjects)
          .map((plan) => createCollector(plan, listsFromMs, past === undefined ? undefined : pastOfPlan(plan, past)))
      : []
  const stopping = new AbortController()
  const isStopped = (): boolean => stopping.signal.aborted
  const waiting = new Set<() => void>()

  const tellProgress = (kind: SimulationProgress['kind'], fraction: number): void => {
    const { samplesAcked, samplesRefused } = sender.counts
    onProgress?.({ kind, fraction, samplesAcked, samplesRefused })
  }

  const sendScrapes = async (due: readonly Due[]): Promise<void> => {
    await sender.send(due.flatMap(({ prometheus, scrapes }) => prometheus.collect(scrapes)))
  }

  /** Sends all scrapes in [fromMs, untilMs). */
  const sendBetween = (fromMs: number, untilMs: number): Promise<void> => {
    const due = fleet.prometheuses.flatMap((prometheus): Due[] => {
      const scrapes = prometheus.scrapesBetween(fromMs, untilMs)
      return scrapes.length === 0 ? [] : [{ prometheus, scrapes }]
    })
    return inParallel(inGroups(due, isRelayed ? RELAYED_TOGETHER : 1), PARALLEL_MAX, sendScrapes)
  }

  /** Everything that Collectors saw in [fromMs, untilMs). */
  const tellBetween = (fromMs: number, untilMs: number): Promise<void> =>
    inParallel(collectors, PARALLEL_MAX, (collector: SimCollector) =>
      records.send(collector.plan.profile, collector.recordsBetween(fromMs, untilMs)),
    )

  async function sendWindows(): Promise<void> {
    const windowMs = SCRAPES_PER_WINDOW * fleet.scrapeMs
    const denseMs = presentMs - denseFromMs
    // What is sparse takes about as long as this much of every scrape.
    const sparseMs = (denseFromMs - startMs) / SPARSE_TIMES
    const tellSent = (sentMs: number): void => {
      tellProgress('metrics', sentMs / (sparseMs + denseMs))
    }
    if (sparseMs > 0) {
      await sendSparse(fleet.prometheuses, 1, denseFromMs, (fraction) => {
        tellSent(fraction * sparseMs)
      })
    }
    for (let fromMs = denseFromMs; fromMs < presentMs; fromMs += windowMs) {
      const untilMs = Math.min(fromMs + windowMs, presentMs)
      await sendBetween(fromMs, untilMs)
      tellSent(sparseMs + untilMs - denseFromMs)
    }
  }

  /** All of the sparse past of one cluster at once: its labels are sent once then, which are most of what is sent. */
  async function sendSparse(
    senders: readonly SimPrometheus[],
    together: number,
    untilMs: number,
    onSent: (fraction: number) => void,
  ): Promise<void> {
    let sent = 0
    await inParallel(inGroups(senders, together), PARALLEL_MAX, async (group) => {
      await sendScrapes(
        group.map((prometheus) => ({ prometheus, scrapes: sparseScrapes(prometheus, startMs, untilMs) })),
      )
      onSent((sent += group.length) / senders.length)
    })
  }

  function sendRelayed(): Promise<void> {
    const senders = fleet.prometheuses.filter(({ replica }) => replica === 0)
    return sendSparse(senders, RELAYED_TOGETHER, presentMs, (fraction) => {
      tellProgress('metrics', fraction)
    })
  }

  /** Those with something to tell first. */
  async function tellPast(): Promise<void> {
    const [stories, others] = [true, false].map((isFirst) =>
      collectors.filter(({ plan }) => hasStory(plan, startMs, presentMs) === isFirst),
    )
    let told = 0
    await inParallel([...stories!, ...others!], PARALLEL_MAX, async (collector) => {
      await records.send(collector.plan.profile, collector.recordsBetween(collector.sinceMs, presentMs))
      if (isRelayed) tellProgress('objects', ++told / collectors.length)
    })
  }

  /** Goes on where the history ended until the fleet is stopped. */
  async function sendLive(send: (fromMs: number, untilMs: number) => Promise<void>): Promise<void> {
    let sentMs = presentMs
    while (!isStopped()) {
      const nowMs = clock.nowMs()
      try {
        await send(sentMs, nowMs)
        sentMs = nowMs
      } catch (err) {
        if (!isStopped()) log.error({ error: messageOf(err) }, 'the simulated fleet cannot send; it tries again')
      }
      if (!isStopped()) await nextRound()
    }
  }

  const nextRound = (): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel()
        waiting.delete(end)
        resolve()
      }
      const cancel = clock.after(isRelayed ? RELAY_ROUND_MS : ROUND_MS, end)
      waiting.add(end)
    })

  const metricsSent = isRelayed ? sendRelayed() : tellPast().then(sendWindows)
  const metricsDone = isRelayed ? metricsSent.then(options.afterMetrics) : metricsSent
  const done = isRelayed ? metricsDone.then(tellPast) : metricsDone
  // Whoever waits for these hears of a failure there; nobody has to.
  const live = [metricsSent.then(() => sendLive(sendBetween)), done.then(() => sendLive(tellBetween))]
  const ended = Promise.all(live).catch((err: unknown) => {
    if (!isStopped()) log.error({ error: messageOf(err) }, 'the simulated fleet could not send its history')
  })

  return {
    fleet,
    metricsDone,
    done,
    counts: sender.counts,
    truth: (timeMs) => fleet.truthAt(timeMs),
    async stop() {
      stopping.abort()
      sender.close()
      records.close()
      for (const end of [...waiting]) end()
      await ended
    },
  }
}

/** The newest release is some weeks old at the present, so that a fleet is on its way to it. */
export function pastOptions(pastMs: number, startMs: number, presentMs: number): PastOptions | undefined {
  if (pastMs === 0) return undefined
  const newestMs = Math.max(...CALENDAR.map(({ releasedMs }) => releasedMs))
  return { sinceMs: atSecond(startMs - pastMs), calendarShiftMs: atSecond(presentMs - NEWEST_AGE_MS - newestMs) }
}

/** Whether more happens to a cluster in [fromMs, untilMs) than that it is there. */
function hasStory({ role, upgrades }: ClusterPlan, fromMs: number, untilMs: number): boolean {
  return role !== 'healthy' || upgrades.some(({ startMs, endMs }) => startMs < untilMs && endMs >= fromMs)
}

function inGroups<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

/** Runs `work` for each item, at most `limit` at a time; the first failure ends it and is thrown. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  let hasFailed = false
  const worker = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const item = items[next++]!
      try {
        await work(item)
      } catch (err) {
        hasFailed = true
        throw err
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
}
