/**
 * A fleet that lives, with everything it sends: a scrape of 60 series of each cluster every 30 seconds and its objects, at
 * real pace, with all shipped rules. How far facts are behind the clock, what pages wait for, whether rules keep up, and
 * what that takes of two processors that the sender shares. Daytwo alone: no peer knows objects.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { launchBrowser } from '../../test/support/browser.ts'
import { FLEET_PAGE, NOW_PAGE } from '../web/pages.ts'
import { measurePaint } from '../web/paint.ts'
import { SCRAPE_MS } from './fleet.ts'
import { addCluster, inDueOrder, lanesFor, paceMs, type LiveLanes, type LiveTimes } from './live-fleet.ts'
import { watchServer } from './live-watch.ts'
import { inOneLife, type Course } from './lives.ts'
import type { ScenarioResult } from './results.ts'
import { send } from './sender.ts'
import type { Peer, RunningServer } from './server.ts'

/** Made first, to see how long it takes to make all; bodies hold the time at which they will be sent. */
const SAMPLE_CLUSTERS = 50
/** The rest may take longer, by so much. */
const SPARE = 1.3
/** From the first requests to the pace, for each cluster: it is derived for the first time meanwhile. */
const REST_MS_EACH = 15
/** Threads that took less of a core are not named. */
const NAMED_SHARE = 0.005

export function measureLive(course: Course): Promise<ScenarioResult> {
  if (course.peer.name !== 'Daytwo') return Promise.resolve({ figures: {}, notes: ['knows no objects: left out'] })
  return inOneLife({ ...course, peer: withShippedRules(course.peer) }, async (server) => {
    const { liveClusters: clusters, liveRounds: rounds } = course.scale
    const { lanes, times } = prepare(clusters, rounds)
    const startsInMs = times.firstMs - Date.now()
    if (startsInMs < 0) throw new Error(`the bodies were made ${-startsInMs} ms too late: the machine is too busy`)
    await wait(startsInMs)
    const first = await send(server.port, lanes.first)
    await wait(Math.max(0, paceMs(times) - Date.now()))
    return measure(server, lanes, course.pages, [
      `first requests of all clusters: ${first.seconds.toFixed(0)} s, ${first.putOff} put off`,
    ])
  })
}

async function measure(
  server: RunningServer,
  lanes: LiveLanes,
  pages: boolean,
  notes: readonly string[],
): Promise<ScenarioResult> {
  const before = server.threadsCpuMs()
  const startMs = performance.now()
  const sending = send(server.port, lanes.paced)
  const painting = pages ? measurePages(server.port) : Promise.resolve({})
  const watched = await watchServer(server.port, sending)
  const sent = await sending
  const wallMs = performance.now() - startMs
  const threads = [...server.threadsCpuMs()].map(([id, cpuMs]) => (cpuMs - (before.get(id) ?? 0)) / wallMs)
  const named = threads.flatMap((share, at) => (share < NAMED_SHARE ? [] : [`${at}: ${(100 * share).toFixed(1)} %`]))
  return {
    figures: {
      ...watched.figures,
      ...(await painting),
      ackMsP50: sent.ackMsP50,
      ackMsP99: sent.ackMsP99,
      coreShare: threads.reduce((sum, share) => sum + share, 0),
      senderShare: sent.senderShare,
      peakBytes: server.peakBytes(),
      wallMs,
    },
    notes: [
      ...notes,
      ...watched.notes,
      `of one core, threads in the order in which they began (0 is main): ${named.join(', ')}`,
      `${sent.requests} requests, the latest ${(sent.lateMsMax / 1000).toFixed(1)} s after it was due, ${sent.putOff} put off`,
    ],
  }
}

/** In the middle of it, cold, as somebody who was called opens them. */
async function measurePages(port: number): Promise<Record<string, number>> {
  await wait(SCRAPE_MS)
  const browser = await launchBrowser()
  try {
    const usefulMs = async (page: typeof NOW_PAGE): Promise<number> =>
      (await measurePaint(browser, `http://127.0.0.1:${port}`, page, 1)).cold.usefulMs
    return { nowPageMs: await usefulMs(NOW_PAGE), fleetPageMs: await usefulMs(FLEET_PAGE) }
  } finally {
    await browser.close()
  }
}

function prepare(clusters: number, rounds: number): { readonly lanes: LiveLanes; readonly times: LiveTimes } {
  const restScrapes = Math.ceil((clusters * REST_MS_EACH) / SCRAPE_MS)
  const startMs = Date.now()
  const sample = lanesFor(SAMPLE_CLUSTERS)
  for (let at = 0; at < SAMPLE_CLUSTERS; at++) addCluster(sample, at, { firstMs: startMs, restScrapes, rounds })
  const eachMs = (Date.now() - startMs) / SAMPLE_CLUSTERS
  const times = { firstMs: Math.ceil(Date.now() + clusters * eachMs * SPARE), restScrapes, rounds }
  const lanes = lanesFor(clusters)
  for (let cluster = 0; cluster < clusters; cluster++) addCluster(lanes, cluster, times)
  inDueOrder(lanes)
  return { lanes, times }
}

/** The others are started without rules; here they are part of what is measured. */
function withShippedRules(peer: Peer): Peer {
  return {
    ...peer,
    args: (...of) => {
      const args = peer.args(...of)
      const at = args.indexOf('--rules')
      return args.filter((_, i) => i !== at && i !== at + 1)
    },
  }
}
