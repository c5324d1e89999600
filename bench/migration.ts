/**
 * A data folder that is moved to PostgreSQL and VictoriaMetrics while its server receives: each cluster has ten minutes of scrapes of
 * three hours ago and its objects, and 20 simulated ones have a week with upgrades; meanwhile scrapes and objects of now go on.
 * `daytwo migrate` runs beside the server, and again after it has stopped, and compares answers each time. Prints what it printed,
 * its time, and what was received meanwhile.
 *
 * `npm run bench migration -- --clusters 10000`; by default 500. Needs both programs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { startSimulation, type Simulation } from '../sim/simulate.ts'
import { systemClock } from '../src/base/clock.ts'
import { findPeer } from '../test/support/peers.ts'
import { findPostgres, startPostgres } from '../test/support/postgres.ts'
import { MAIN, startServer } from '../test/support/server.ts'
import { tempDir } from '../test/support/temp-dir.ts'
import { until } from '../test/support/until.ts'
import { startVictoriaMetrics } from '../test/support/victoria-metrics.ts'
import { pullOf } from './observations.ts'
import { seriesOf } from './peers/fleet.ts'
import { CONNECTIONS, scrapesOf, timesEndingAt } from './peers/payloads.ts'
import { inParallel, post, PROTOBUF, WRITE } from './peers/post.ts'
import { writeBody } from './peers/write-body.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** With upgrades, alerts and modifications of a week, and a collector each. */
const SIMULATED = 20
/** Of each cluster: those that move, with versions and health. */
const SERIES = 14
/** Half a minute apart. */
const SCRAPES = 20
const SCRAPES_PER_REQUEST = 10
/** Between two clusters that send while the folder is moved. */
const PAUSE_MS = 10

export async function run({ clusters = '500' }: { readonly clusters?: string } = {}): Promise<void> {
  const postgresFolder = findPostgres()
  const victoriaPath = findPeer('victoria-metrics')
  if (postgresFolder === undefined || victoriaPath === undefined) {
    console.log('PostgreSQL or VictoriaMetrics is not installed')
    return
  }
  const count = Number(clusters)
  const folder = tempDir('bench-migration')
  const [postgres, victoria] = await Promise.all([startPostgres(postgresFolder), startVictoriaMetrics(victoriaPath)])
  const serve = ['serve', '--listen', '127.0.0.1:0', '--data', folder.path, '--store.flush-every', '2m']
  const server = await startServer([...serve, '--ingest.out-of-order', '1m', '--own-metrics', 'false'])
  let simulation: Simulation | undefined
  try {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    const scrape = (cluster: number, from: number, to: number, endMs: number): Promise<void> => {
      const slices = scrapesOf(seriesOf(cluster).slice(0, SERIES), from, to)
      return post(`${server.url}/api/v1/write`, writeBody(slices, timesEndingAt(endMs, SCRAPES)), WRITE, agent)
    }
    const objects = (cluster: number): Promise<void> =>
      post(`${server.url}/v1/logs`, pullOf(cluster, Date.now()), PROTOBUF, agent)
    const times = { historyMs: HOUR_MS, pastMs: 7 * DAY_MS, clock: systemClock, sendsObjects: true }
    simulation = startSimulation({ url: server.url, seed: 'daytwo', clusters: SIMULATED, ...times })
    await simulation.done
    const pastMs = Date.now() - 3 * HOUR_MS
    await inParallel(count, objects)
    for (let from = 0; from < SCRAPES; from += SCRAPES_PER_REQUEST) {
      await inParallel(count, (cluster) => scrape(cluster, from, from + SCRAPES_PER_REQUEST, pastMs))
    }
    // Like those of a fleet that reports all the time: of a past moment, one that was seen later counts as seen.
    await inParallel(count, (cluster) => scrape(cluster, SCRAPES - 1, SCRAPES, Date.now()))
    console.log(`${count} clusters: ${count * SERIES * SCRAPES} samples, ${count} lists of objects`)
    const meanwhile = { isOver: false, received: 0 }
    const sending = (async () => {
      for (let i = 0; !meanwhile.isOver; i++) {
        const cluster = i % count
        await scrape(cluster, SCRAPES - 1, SCRAPES, Date.now())
        if (i % 10 === 0) await objects(cluster)
        meanwhile.received++
        await wait(PAUSE_MS)
      }
    })()
    // Samples in memory are moved after the server has stopped.
    const before = await flushesOf(server.url)
    await until(
      'samples to be out of memory',
      async () => ((await flushesOf(server.url)) > before ? true : undefined),
      600_000,
    )
    const stores = ['--store.metrics', victoria.url, '--store.facts', await postgres.createDatabase()]
    await migrate('while it receives', ['--data', folder.path, ...stores])
    meanwhile.isOver = true
    await sending
    agent.destroy()
    const { received } = meanwhile
    console.log(`received meanwhile: ${received} scrapes, ${Math.ceil(received / 10)} lists of objects`)
    await simulation.stop()
    await server.stop()
    await migrate('after the server has stopped', ['--data', folder.path, ...stores])
    console.log(`load ${loadavg()[0]!.toFixed(1)}`)
  } finally {
    await simulation?.stop()
    await server.stop()
    await victoria.stop()
    await postgres.stop()
    folder.remove()
  }
}

async function flushesOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^daytwo_store_flushes_total{outcome="ok"} (\S+)/m.exec(metrics)?.[1] ?? 0)
}

/** Prints each line with the seconds since the start. */
async function migrate(when: string, args: readonly string[]): Promise<void> {
  const startedMs = performance.now()
  const seconds = (): string => ((performance.now() - startedMs) / 1000).toFixed(0)
  console.log(`### ${when}`)
  const child = spawn(process.execPath, [MAIN, 'migrate', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      for (const line of part.toString().split('\n')) if (line.trim() !== '') console.log(`${seconds()} s: ${line}`)
    })
  }
  const [code] = (await once(child, 'exit')) as [number]
  console.log(`ended with ${code} after ${seconds()} s`)
  if (code !== 0) process.exitCode = 1
}
