/** `daytwo demo`: the whole product on a simulated fleet, in one command, offline. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp, type App } from '../app.ts'
import { systemClock } from '../base/clock.ts'
import { tuneHeaps } from '../base/heaps.ts'
import { FleetError } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { parseDuration } from '../model/duration.ts'
import { startReceivers } from '../../sim/receivers.ts'
import { updateServiceGraph } from '../../sim/update-service.ts'
import { startSimulation, type Simulation, type SimulationProgress } from '../../sim/simulate.ts'
import { unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { factsStoreOf } from '../config/facts-store.ts'
import { openFacts } from '../store/facts/facts.ts'
import { addDemoWork } from './demo-work.ts'
import { demoNotifyConfig } from './demo-notify.ts'
import { showProgress, showQuarters } from './progress-bar.ts'
import {
  BEFORE_HISTORY_MS,
  DEMO_DEFAULTS,
  paceOf,
  replayTimes,
  WHOLE_CLUSTERS_MAX,
  type DemoPace,
} from './demo-pace.ts'
import { renderOptions } from '../config/config.ts'
import { CONFIG_PLACES, readServeArguments, renderExtras, type ExtraOption } from './serve-options.ts'
import { onReloadSignal, untilStopSignal } from './stop-signal.ts'

const EXTRAS: readonly ExtraOption[] = [
  {
    name: 'clusters',
    placeholder: 'N',
    help: 'Clusters in the simulated fleet.',
    default: String(DEMO_DEFAULTS.clusters),
  },
  {
    name: 'history',
    placeholder: 'DUR',
    help: `Length of the simulated metric history. Default: 6h, with every scrape in the last hour; 2h for more than ${WHOLE_CLUSTERS_MAX} clusters.`,
    default: '',
  },
  {
    name: 'past',
    placeholder: 'DUR',
    help: `Length of the simulated object history before the metric history, with upgrades. Default: 395d; none for more than ${WHOLE_CLUSTERS_MAX} clusters. A year of 10,000 clusters takes 20 minutes more.`,
    default: '',
  },
  { name: 'seed', placeholder: 'TEXT', help: 'The same seed makes the same fleet.', default: DEMO_DEFAULTS.seed },
]

const LISTEN = { host: '127.0.0.1', port: 4318 }
/** A round takes about a second: enough for thousands of clusters. */
const DERIVED_ROUNDS_MAX = 600

export const demoCommand: Command = {
  help: () =>
    [
      'Usage: daytwo demo [options]',
      '',
      'Starts the server with a simulated fleet: clusters that upgrade, get stuck, are modified out of band and stop reporting.',
      'The history is a year of upgrades and six hours of metrics and alerts; then the simulation sends live data. The data',
      'is stored in a temporary folder unless --data names one.',
      `With more than ${WHOLE_CLUSTERS_MAX} clusters the history of metrics has one sample every 4 minutes (every scrape while a cluster`,
      'upgrades), and the history of alerts is one hour long. 10,000 clusters need five minutes on two processors, and 5 GB.',
      '',
      'Demo:',
      renderExtras(EXTRAS),
      '',
      'The options of `daytwo serve` also apply:',
      '',
      renderOptions(),
      '',
      CONFIG_PLACES,
    ].join('\n'),
  run: async (args) => {
    const folder = mkdtempSync(join(tmpdir(), 'daytwo-demo-'))
    const receivers = await startReceivers()
    try {
      const notifyConfig = join(folder, 'notify.yaml')
      writeFileSync(notifyConfig, demoNotifyConfig(receivers.url))
      return await runDemo(args, folder, notifyConfig)
    } finally {
      await receivers.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function runDemo(args: readonly string[], folder: string, notifyConfig: string): Promise<number> {
  const listen = (await isFree(LISTEN.port)) ? `${LISTEN.host}:${LISTEN.port}` : `${LISTEN.host}:0`
  const defaults = new Map([
    ['data', folder],
    ['notify.config', notifyConfig],
    ['listen', listen],
    ['log.level', 'warn'],
  ])
  const { config, extra } = readServeArguments(args, EXTRAS, defaults)
  const [history, past] = [extra.get('history') ?? '', extra.get('past') ?? '']
  const clusters = readClusters(extra.get('clusters') ?? '')
  const pace = paceOf(clusters, {
    ...(history === '' ? {} : { historyMs: readLength('history', history) }),
    ...(past === '' ? {} : { pastMs: readLength('past', past) }),
  })
  const stopped = untilStopSignal()
  const ending = new AbortController()
  void stopped.then(() => {
    ending.abort()
  })
  tuneHeaps()
  const app = await startApp({ config, clock: systemClock, log: createLog(config['log.level']), isDemo: true })
  onReloadSignal(() => app.reload('signal'))
  console.log(`Daytwo listens on ${app.url}`)
  await importGraph(app.url).catch(async (thrown: unknown) => {
    await app.stop()
    throw thrown
  })
  const simulation = startSimulation({
    url: app.url,
    seed: extra.get('seed') ?? '',
    clusters,
    historyMs: pace.historyMs + BEFORE_HISTORY_MS,
    denseMs: pace.denseMs,
    pastMs: pace.pastMs,
    clock: systemClock,
    sendsObjects: true,
    isRelayed: pace.isRelayed,
    afterMetrics: () => showFirst(app, clusters, ending.signal),
    onProgress: showHistory(pace),
  })
  try {
    const getReady = pace.isRelayed ? prepareLarge : prepare
    const outcome = await Promise.race([getReady(app, simulation, pace, ending.signal), stopped])
    if (outcome === 'ready') {
      await showWork(app.url, config)
      console.log(`\n  Open ${app.url}\n\n  The simulation sends live data until you stop it with Ctrl-C.\n`)
      await stopped
    }
    return 0
  } finally {
    await simulation.stop()
    await app.stop()
  }
}

/** What the update service of OpenShift offers to the fleet. */
async function importGraph(url: string): Promise<void> {
  const document = updateServiceGraph()
  const body = JSON.stringify({ kind: 'graph', operator: 'openshift', source: 'simulated update service', document })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/fleet/v1/update-graph/imports/openshift`, { method: 'PUT', headers, body })
  if (!response.ok) {
    throw new FleetError(
      'internal',
      `the graph of the demo was not imported: got ${response.status} ${await response.text()}`,
      {
        hint: 'start the demo in a folder without tokens, and without options that require one',
      },
    )
  }
}

/** Runbooks with past work. */
const WORKED_RUNBOOKS = ['VirtAPIDown', 'KubeVirtCRModified', 'UnsupportedHCOModification'] as const

/** Occurrences of the last months with recorded work; where facts are in PostgreSQL, or runbooks are others, there are none. */
async function showWork(url: string, config: ReturnType<typeof readServeArguments>['config']): Promise<void> {
  const runbooks = WORKED_RUNBOOKS.flatMap((name) => {
    const path = join(config.runbooks, `${name}.md`)
    return existsSync(path) ? [{ name, text: readFileSync(path, 'utf8') }] : []
  })
  const response = await fetch(`${url}/api/fleet/v1/clusters?limit=20`)
  if (!response.ok || factsStoreOf(config) !== undefined) return
  const { clusters } = (await response.json()) as { readonly clusters: readonly { readonly cluster: string }[] }
  if (clusters.length === 0) return
  const facts = openFacts(config.data)
  try {
    await addDemoWork(
      facts,
      runbooks,
      clusters.map(({ cluster }) => cluster),
      systemClock.nowMs(),
    )
  } finally {
    facts.close()
  }
}

/** History, then the rules over it, so that a condition of the last hour has been firing, then the facts. */
async function prepare(app: App, simulation: Simulation, pace: DemoPace, ending: AbortSignal): Promise<'ready'> {
  await simulation.done
  await replayRules(app, pace, ending)
  await deriveFacts(app, ending)
  app.startCycles()
  return 'ready'
}

/** For a large fleet: shows data before the rules are evaluated and while Collectors still send. */
async function prepareLarge(app: App, simulation: Simulation, pace: DemoPace, ending: AbortSignal): Promise<'ready'> {
  await simulation.metricsDone
  await replayRules(app, pace, ending)
  app.startCycles()
  return 'ready'
}

/** Sends the current metrics of every cluster. */
async function showFirst(app: App, clusters: number, ending: AbortSignal): Promise<void> {
  await deriveFacts(app, ending, clusters)
  if (ending.aborted) return
  console.log(`\n  Open ${app.url}\n\n  Clusters and active upgrades are shown. Alerts and data from objects follow.\n`)
}

async function replayRules(app: App, { replays }: DemoPace, ending: AbortSignal): Promise<void> {
  await app.share()
  const times = replayTimes(replays, systemClock.nowMs())
  const show = showProgress('Evaluating the rules over the history')
  for (const [i, timeMs] of times.entries()) {
    if (ending.aborted) return
    await app.replayRules({ fromMs: timeMs, toMs: timeMs, stepMs: 1 })
    show({ fraction: (i + 1) / times.length })
  }
}

/**
 * Runs evaluation cycles until the backlog is derived; later cycles retry failures. Stops after `clusters` derivations,
 * because a running fleet always has a backlog.
 */
async function deriveFacts(app: App, ending: AbortSignal, clusters = Infinity): Promise<void> {
  await app.share()
  const show = showProgress('Deriving upgrades from the history')
  let most = 0
  let done = 0
  for (let i = 0; i < DERIVED_ROUNDS_MAX && done < clusters && !ending.aborted; i++) {
    const { derived, waiting } = await app.deriveFacts()
    done += derived
    most = Math.max(most, waiting)
    if (waiting === 0) break
    show({ fraction: clusters === Infinity ? 1 - waiting / most : done / clusters })
  }
  if (!ending.aborted) show({ fraction: 1 })
}

/** Objects are sent in parallel to steps with their own progress bar; those of a small fleet finish before any output. */
function showHistory({ sending }: DemoPace): (progress: SimulationProgress) => void {
  const show = { metrics: showProgress(sending), objects: showQuarters('Sending the object history') }
  return ({ kind, fraction }) => {
    show[kind]({ fraction })
  }
}

/** A past of length 0 is allowed. */
function readLength(option: 'history' | 'past', text: string): number {
  const lengthMs = parseDuration(text)
  if (lengthMs !== undefined && (lengthMs > 0 || option === 'past')) return lengthMs
  const want = option === 'past' ? 'a duration such as 395d, or 0' : 'a duration such as 2h'
  throw unexpected(`option ${option}`, text, want)
}

function readClusters(text: string): number {
  const clusters = Number(text)
  if (Number.isSafeInteger(clusters) && clusters > 0) return clusters
  throw unexpected('option clusters', text, 'a whole number above 0')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => {
      resolve(false)
    })
    probe.listen({ host: LISTEN.host, port }, () => {
      probe.close(() => {
        resolve(true)
      })
    })
  })
}
