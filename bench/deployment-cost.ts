/**
 * What a cluster costs in both modes, in one table of one run: one process with its own store, and three processes with PostgreSQL and
 * VictoriaMetrics. Processor time, memory and bytes of each program; nothing about how much a machine takes. Each fleet sends ten
 * minutes of scrapes (60 series each half minute) and lists its objects twice. What that costs is counted until everything is derived,
 * forwarded and shipped, with the rules that are evaluated meanwhile; then the programs are watched for a minute in which rules alone
 * are evaluated. Needs PostgreSQL and VictoriaMetrics, and Linux: it reads /proc.
 *
 * `npm run bench deployment-cost -- --clusters 1000,10000`; by default 200,1000.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findPeer } from '../test/support/peers.ts'
import { findPostgres, startPostgres } from '../test/support/postgres.ts'
import { startServer } from '../test/support/server.ts'
import { tempDir } from '../test/support/temp-dir.ts'
import { startVictoriaMetrics } from '../test/support/victoria-metrics.ts'
import { pullOf } from './observations.ts'
import { seriesOf } from './peers/fleet.ts'
import { CONNECTIONS, scrapesOf, timesEndingAt } from './peers/payloads.ts'
import { inParallel, post, PROTOBUF, WRITE } from './peers/post.ts'
import { diskBytes } from './peers/server.ts'
import { writeBody } from './peers/write-body.ts'

const SCRAPES = 20
const TICKS_PER_SECOND = 100
const WATCHED_MS = 60_000
const WAIT_MS_MAX = 600_000
const CLUSTERS = 'fleet_waiting_clusters'
const LAG_SECONDS_MAX = 10
/** Of each process: clusters that are not derived yet, and the age of what is not forwarded or shipped; rules write all the time. */
const WAITING = /^daytwo_(fleet_waiting_clusters|forward_lag_seconds|shipping_lag_seconds)(?:\{.*\})? (\S+)$/gm

/** A program, which may be several processes. */
interface Program {
  readonly name: string
  readonly pids: () => readonly number[]
  readonly bytes: () => number
}

interface Deployment {
  readonly mode: string
  readonly programs: readonly Program[]
  /** Each cluster sends to one of them. */
  readonly urls: readonly string[]
  stop(): Promise<void>
}

export async function run({ clusters = '200,1000' }: { readonly clusters?: string } = {}): Promise<void> {
  if (findPostgres() === undefined || findPeer('victoria-metrics') === undefined) {
    console.log('PostgreSQL or VictoriaMetrics is not installed')
    return
  }
  const counts = clusters.split(',').map(Number)
  console.log(
    '| clusters | mode | program | CPU ms per cluster | CPU % of a core, rules and leases | peak memory | bytes per cluster |',
  )
  console.log('|---:|---|---|---:|---:|---:|---:|')
  for (const count of counts) {
    for (const start of [startEmbedded, startShared]) {
      const deployment = await start()
      try {
        await measure(deployment, count)
      } finally {
        await deployment.stop()
      }
    }
  }
  console.log(
    `\n${SCRAPES} scrapes of 60 series and two lists of objects per cluster; load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}`,
  )
}

async function startEmbedded(): Promise<Deployment> {
  const folder = tempDir('bench-embedded')
  const server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', folder.path])
  return {
    mode: 'one process',
    programs: [{ name: 'Daytwo', pids: () => [server.pid], bytes: () => diskBytes(folder.path) }],
    urls: [server.url],
    stop: async () => {
      await server.stop()
      folder.remove()
    },
  }
}

async function startShared(): Promise<Deployment> {
  const folder = tempDir('bench-shared')
  const postgres = await startPostgres(findPostgres()!)
  const victoria = await startVictoriaMetrics(findPeer('victoria-metrics')!)
  const url = await postgres.createDatabase()
  const names = ['a', 'b', 'c']
  const servers = await Promise.all(
    names.map((name) =>
      startServer([
        ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, name), '--process.name', name],
        ...['--store.facts', url, '--store.metrics', victoria.url],
      ]),
    ),
  )
  return {
    mode: 'three processes',
    programs: [
      { name: 'Daytwo, all three', pids: () => servers.map(({ pid }) => pid), bytes: () => diskBytes(folder.path) },
      { name: 'PostgreSQL', pids: () => withChildren(postgres.pid), bytes: () => diskBytes(postgres.folder) },
      { name: 'VictoriaMetrics', pids: () => [victoria.pid], bytes: () => diskBytes(victoria.folder) },
    ],
    urls: servers.map((server) => server.url),
    stop: async () => {
      for (const server of servers) await server.stop()
      await victoria.stop()
      await postgres.stop()
      folder.remove()
    },
  }
}

async function measure({ mode, programs, urls }: Deployment, count: number): Promise<void> {
  const emptyBytes = programs.map(({ bytes }) => bytes())
  const before = programs.map(cpuSecondsOf)
  const times = timesEndingAt(Date.now() - 5000, SCRAPES)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const urlOf = (cluster: number): string => urls[cluster % urls.length]!
  await inParallel(count, (cluster) => post(`${urlOf(cluster)}/v1/logs`, pullOf(cluster, Date.now()), PROTOBUF, agent))
  for (let scrape = 0; scrape < SCRAPES; scrape++) {
    await inParallel(count, (cluster) => {
      const body = writeBody(scrapesOf(seriesOf(cluster), scrape, scrape + 1), times)
      return post(`${urlOf(cluster)}/api/v1/write`, body, WRITE, agent)
    })
  }
  await inParallel(count, (cluster) => post(`${urlOf(cluster)}/v1/logs`, pullOf(cluster, Date.now()), PROTOBUF, agent))
  agent.destroy()
  const hasAll = await isDone(urls)
  const sent = programs.map(cpuSecondsOf)
  await wait(WATCHED_MS)
  const watched = programs.map(cpuSecondsOf)
  for (const [i, program] of programs.entries()) {
    const cpuMs = ((sent[i]! - before[i]!) * 1000) / count
    const share = ((watched[i]! - sent[i]!) * 100_000) / WATCHED_MS
    const bytes = (program.bytes() - emptyBytes[i]!) / count
    const cells = [
      String(count),
      mode,
      program.name,
      cpuMs.toFixed(1),
      share.toFixed(1),
      `${memoryMib(program).toFixed(0)} MiB`,
      bytes.toFixed(0),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  if (!hasAll)
    console.log(`| | ${mode} | after ${WAIT_MS_MAX / 1000} s something waited: the first figure lacks it | | | | |`)
}

/** When nothing has waited for 15 seconds. False: not within the time. */
async function isDone(urls: readonly string[]): Promise<boolean> {
  let quiet = 0
  for (const end = performance.now() + WAIT_MS_MAX; performance.now() < end;) {
    await wait(5000)
    const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()))
    const waiting = texts.flatMap((text) => [...text.matchAll(WAITING)])
    const isQuiet = waiting.every(([, name, value]) => Number(value) <= (name === CLUSTERS ? 0 : LAG_SECONDS_MAX))
    quiet = isQuiet ? quiet + 1 : 0
    if (quiet === 3) return true
  }
  return false
}

/** User and system time, with that of children that have ended. */
function cpuSecondsOf({ pids }: Program): number {
  return pids().reduce((sum, pid) => {
    const fields = statOf(pid)
    return sum + [11, 12, 13, 14].reduce((ticks, i) => ticks + Number(fields[i] ?? 0), 0) / TICKS_PER_SECOND
  }, 0)
}

/** The high-water marks; of several processes with shared memory their shares of now. */
function memoryMib({ pids }: Program): number {
  const all = pids()
  const [file, field] = all.length > 3 ? ['smaps_rollup', 'Pss'] : ['status', 'VmHWM']
  return all.reduce((sum, pid) => {
    const kb = Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(textOf(`/proc/${pid}/${file}`))?.[1] ?? 0)
    return sum + kb / 1024
  }, 0)
}

function withChildren(pid: number): readonly number[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  return [pid, ...all.filter((one) => Number(statOf(one)[1]) === pid)]
}

/** Fields after the name; empty: the process has ended. */
function statOf(pid: number): readonly string[] {
  const stat = textOf(`/proc/${pid}/stat`)
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
