/**
 * A fleet over weeks against the product itself: all its threads and a SQLite file, reached over HTTP only. Its clock is
 * ours, so that weeks take seconds: what arrives until a moment is sent, the server beats once, and its pages are read.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App, startApp } from '../../src/app.ts'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import type { ClusterHistory } from '../../sim/history/cluster-history.ts'
import { compareModifications } from '../../sim/history/compare-modifications.ts'
import { compareUpgrades } from '../../sim/history/compare.ts'
import { truthOfHistory, type HistoryTruth } from '../../sim/history/history-truth.ts'
import { planHistory, type DeliveryMode } from '../../sim/history/plan-history.ts'
import { shippingOf, type Shipment, type Shipping } from '../../sim/history/shipments.ts'
import { createHistoryPlayer, type HistoryPlayer, type PlayedCounts } from '../../sim/history-player.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { differencesOf } from './answers.ts'
import { hardened, type DeliveryOrder } from './hard-delivery.ts'
import { calmMoments, lookedAt, stallMoments } from './moments.ts'
import { createReader, type FleetApi, type SaidStuck } from './read-back.ts'
import type { Scored } from './score.ts'
import { saidOf } from './said-stuck.ts'

export interface HttpTrialOptions {
  readonly seed: string
  readonly fromMs: number
  readonly untilMs: number
  /** Clusters by their way of telling; all send to one server. */
  readonly fleet: readonly { readonly mode: DeliveryMode; readonly clusters: number }[]
  readonly stallShare?: number
  readonly chainShare?: number
  /** How it is delivered; absent: a little of each order. Who is stuck is not judged while what happened is shuffled. */
  readonly order?: DeliveryOrder
  /** Moments are on this grid: a stall is detected at one of them. Half a minute when absent. */
  readonly beatMs?: number
  /** The app from source or as it was built. */
  readonly startApp: typeof startApp
}

export interface HttpTrial {
  /** By mode. */
  readonly scored: ReadonlyMap<DeliveryMode, Scored>
  /** Where other answers are not what the truth says: clusters, edges, traces. */
  readonly differences: readonly string[]
  readonly sent: PlayedCounts
  readonly beats: number
  readonly cpuSeconds: number
}

interface PlayedCluster {
  readonly mode: DeliveryMode
  readonly history: ClusterHistory
  readonly truth: HistoryTruth
  readonly shipping: Shipping
}

const HOUR_MS = 3_600_000
/** Moments are on this grid when nothing else is asked for. */
const BEAT_MS = 30_000
/** Half of what arrives in a beat belongs to another one. */
const SHUFFLED_BEAT_MS = 15 * 60_000
/** When nothing is looked at. */
const IDLE_BEAT_MS = 6 * HOUR_MS
/** What waited for its Collector is there after this. */
const AFTERWARDS_MS = 45 * 60_000

export async function runHttpTrial(options: HttpTrialOptions): Promise<HttpTrial> {
  const before = process.cpuUsage()
  const clusters = planFleet(options)
  const data = mkdtempSync(join(tmpdir(), 'daytwo-truth-'))
  const clock = new FakeClock(options.fromMs)
  const app = await options.startApp({ config: configOf(data), clock, log: silentLog, isDemo: false })
  const player = createHistoryPlayer({ url: app.url, clock: systemClock })
  try {
    const api = createReader(app.url)
    const moments = momentsOf(clusters, options)
    const said = await play(clusters, moments, { app, clock, player, api })
    const told = await api.upgrades()
    const modifications = await api.modifications()
    const scored = new Map(
      options.fleet.map(({ mode }) => {
        const members = clusters.filter((cluster) => cluster.mode === mode)
        const comparisons = members.map(({ truth }) =>
          compareUpgrades(
            truth,
            told.filter(({ upgrade }) => upgrade.cluster === truth.cluster),
          ),
        )
        const edits = members.map(({ truth }) =>
          compareModifications(
            truth,
            modifications.filter(({ cluster }) => cluster === truth.cluster),
          ),
        )
        const detection = isJudged(options) ? saidOf(members, said) : { stalls: [], calm: [], unseen: 0 }
        return [mode, { comparisons, modifications: edits, detection }]
      }),
    )
    const differences = await differencesOf(
      clusters.map(({ truth }) => truth),
      told,
      api,
    )
    const { user, system } = process.cpuUsage(before)
    return { scored, differences, sent: player.counts(), beats: moments.length, cpuSeconds: (user + system) / 1e6 }
  } finally {
    await player.close()
    await app.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

function configOf(data: string): ReturnType<typeof readConfig> {
  const options = {
    listen: '127.0.0.1:0',
    data,
    // Rules are evaluated at each beat, and nothing here asks them.
    rules: mkdtempSync(join(data, 'rules-')),
    'own-metrics': 'false',
    // At the end the traces of all upgrades are read.
    'retention.traces': '400d',
    'content.watch': 'false',
  }
  return readConfig(new Map(Object.entries(options)), undefined, {})
}

function isJudged({ order }: HttpTrialOptions): boolean {
  return order !== 'shuffled'
}

function planFleet(options: HttpTrialOptions): readonly PlayedCluster[] {
  const { seed, fromMs, untilMs, fleet, stallShare, chainShare, order } = options
  const modes = fleet.flatMap(({ mode, clusters }) => Array.from({ length: clusters }, () => mode))
  return modes.map((mode, index) => {
    const planned = planHistory({
      seed,
      index,
      fromMs,
      untilMs,
      mode,
      ...(stallShare === undefined ? {} : { stallShare }),
      ...(chainShare === undefined ? {} : { chainShare }),
    })
    const history = hardened(planned, order)
    // Which replica is listened to is decided by what arrives: of a shuffled pair nothing would be left.
    const shipping = shippingOf(history, { hasFailovers: isJudged(options) })
    return { mode, history, truth: truthOfHistory(history), shipping }
  })
}

/** When the server beats and is asked: close to what is judged, seldom elsewhere. Rising. */
function momentsOf(clusters: readonly PlayedCluster[], options: HttpTrialOptions): readonly number[] {
  const { fromMs, untilMs } = options
  const beatMs = isJudged(options) ? (options.beatMs ?? BEAT_MS) : SHUFFLED_BEAT_MS
  const moments = new Set<number>()
  const add = (timeMs: number): unknown => moments.add(Math.ceil(timeMs / beatMs) * beatMs)
  for (let atMs = fromMs + IDLE_BEAT_MS; atMs < untilMs; atMs += IDLE_BEAT_MS) add(atMs)
  for (const { history, truth } of clusters) {
    for (const real of truth.upgrades) {
      const window = lookedAt(history, real)
      if (window === undefined) continue
      for (const atMs of real.stall === undefined ? calmMoments(real, window) : stallMoments(window)) add(atMs)
    }
  }
  add(untilMs)
  const latestMs = Math.max(
    ...clusters.flatMap(({ history }) => history.delivery.outages.map((outage) => outage.untilMs)),
  )
  add(Math.max(untilMs, latestMs) + AFTERWARDS_MS)
  return [...moments].sort((a, b) => a - b)
}

interface Stage {
  readonly app: App
  readonly clock: FakeClock
  readonly player: HistoryPlayer
  readonly api: FleetApi
}

async function play(
  clusters: readonly PlayedCluster[],
  moments: readonly number[],
  { app, clock, player, api }: Stage,
): Promise<readonly SaidStuck[]> {
  const said: SaidStuck[] = []
  for (const momentMs of moments) {
    await sendUntil(clusters, momentMs, clock, player)
    clock.advance(momentMs - clock.nowMs())
    // Hours may have passed at once, and samples of hours leave memory while stores are shared: a cycle has seen them before.
    await app.runCycle()
    // Between two cycles is half a minute at least: what was received before is in the stores that processes share.
    await app.share()
    await app.runCycle()
    said.push(...(await api.stuck(momentMs)))
  }
  // A beat does as much as fits into it.
  while ((await api.waiting()) > 0) {
    clock.advance(BEAT_MS)
    await app.runCycle()
  }
  return said
}

/** What arrives together, by who sends it. */
type Round = Map<ClusterHistory, Shipment[]>

/** By the server's clock each shipment comes when it arrives, to half a minute; clusters send beside each other. */
async function sendUntil(
  clusters: readonly PlayedCluster[],
  momentMs: number,
  clock: FakeClock,
  player: HistoryPlayer,
): Promise<void> {
  const rounds = new Map<number, Round>()
  for (const { history, shipping } of clusters) {
    for (const shipment of shipping.until(momentMs)) {
      const roundMs = Math.min(momentMs, Math.ceil(shipment.arrivesMs / BEAT_MS) * BEAT_MS)
      const round: Round = rounds.get(roundMs) ?? new Map<ClusterHistory, Shipment[]>()
      rounds.set(roundMs, round)
      const own = round.get(history) ?? []
      round.set(history, own)
      own.push(shipment)
    }
  }
  for (const [roundMs, round] of [...rounds].sort(([a], [b]) => a - b)) {
    clock.set(Math.max(clock.nowMs(), roundMs))
    await Promise.all([...round].map(([history, shipments]) => player.send(history, shipments)))
  }
}
