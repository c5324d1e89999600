import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { silentLog, type Log } from '../base/log.ts'
import { createFleet, type Fleet, type FleetOptions } from './fleet.ts'
import { tellsObjects } from './history/history-of-plan.ts'
import { createRecordsSender } from './records-sender.ts'
import { createSender, type SenderCounts } from './sender.ts'
import { createCollector, type SimCollector } from './sim-collector.ts'
import type { SimPrometheus } from './sim-prometheus.ts'
import type { Truth } from './truth.ts'

/**
 * A running fleet: first its history, all clusters together window by window, then live, scrape by scrape, until it is
 * stopped. After an outage of the server it goes on where it was, as a Prometheus does.
 */
export interface Simulation {
  readonly fleet: Fleet
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
  readonly clock: Clock
  readonly token?: string | undefined
  readonly onProgress?: (progress: SimulationProgress) => void
  readonly log?: Log
  readonly scrapeMs?: number
  readonly roleOf?: FleetOptions['roleOf']
  /** Whether clusters with a Collector tell of their objects too; not when absent. */
  readonly sendsObjects?: boolean
}

export interface SimulationProgress {
  /** Of the history, in [0, 1]. */
  readonly fraction: number
  readonly samplesAcked: number
  readonly samplesRefused: number
}

/** So many scrapes of a common cluster fill a request. */
const SCRAPES_PER_WINDOW = 25
/** Between two rounds of live sending: how long a Prometheus waits for a request to fill. */
const ROUND_MS = 5000
/** Lists are sent from so long before the present on. */
const LISTS_BEFORE_MS = 30 * 60_000
/** Clusters that send at the same moment. */
const PARALLEL_MAX = 8

export function startSimulation(options: SimulationOptions): Simulation {
  const { clock, log = silentLog, onProgress } = options
  const presentMs = clock.nowMs()
  const startMs = presentMs - options.historyMs
  const fleet = createFleet({
    ...{ seed: options.seed, clusters: options.clusters, startMs, presentMs },
    ...(options.scrapeMs === undefined ? {} : { scrapeMs: options.scrapeMs }),
    ...(options.roleOf === undefined ? {} : { roleOf: options.roleOf }),
  })
  const sender = createSender({ url: options.url, token: options.token, clock, connections: PARALLEL_MAX })
  const records = createRecordsSender({ url: options.url, token: options.token, clock, connections: PARALLEL_MAX })
  const collectors =
    options.sendsObjects === true
      ? fleet.plans.filter(tellsObjects).map((plan) => createCollector(plan, presentMs - LISTS_BEFORE_MS))
      : []
  const stopping = new AbortController()
  const isStopped = (): boolean => stopping.signal.aborted
  let cancelRound = (): void => undefined

  /** Sends all scrapes in [fromMs, untilMs). */
  const sendBetween = (fromMs: number, untilMs: number): Promise<void> =>
    inParallel(fleet.prometheuses, PARALLEL_MAX, (prometheus: SimPrometheus) =>
      sender.send(prometheus.collect(prometheus.scrapesBetween(fromMs, untilMs))),
    )

  /** Everything that Collectors saw in [fromMs, untilMs). */
  const tellBetween = (fromMs: number, untilMs: number): Promise<void> =>
    inParallel(collectors, PARALLEL_MAX, (collector: SimCollector) =>
      records.send(collector.plan.profile, collector.recordsBetween(fromMs, untilMs)),
    )

  async function sendHistory(): Promise<void> {
    await tellBetween(startMs, presentMs)
    const windowMs = SCRAPES_PER_WINDOW * fleet.scrapeMs
    for (let fromMs = startMs; fromMs < presentMs; fromMs += windowMs) {
      const untilMs = Math.min(fromMs + windowMs, presentMs)
      await sendBetween(fromMs, untilMs)
      const { samplesAcked, samplesRefused } = sender.counts
      onProgress?.({ fraction: (untilMs - startMs) / (presentMs - startMs), samplesAcked, samplesRefused })
    }
  }

  async function sendLive(): Promise<void> {
    let sentMs = presentMs
    while (!isStopped()) {
      const nowMs = clock.nowMs()
      try {
        await sendBetween(sentMs, nowMs)
        await tellBetween(sentMs, nowMs)
        sentMs = nowMs
      } catch (err) {
        if (!isStopped()) log.error({ error: messageOf(err) }, 'the simulated fleet cannot send; it tries again')
      }
      if (!isStopped()) await nextRound()
    }
  }

  const nextRound = (): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(ROUND_MS, resolve)
      cancelRound = () => {
        cancel()
        resolve()
      }
    })

  const done = sendHistory()
  // Whoever waits for `done` hears of a failure there; nobody has to.
  const ended = done.then(sendLive).catch((err: unknown) => {
    if (!isStopped()) log.error({ error: messageOf(err) }, 'the simulated fleet could not send its history')
  })

  return {
    fleet,
    done,
    counts: sender.counts,
    truth: (timeMs) => fleet.truthAt(timeMs),
    async stop() {
      stopping.abort()
      sender.close()
      records.close()
      cancelRound()
      await ended
    },
  }
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
