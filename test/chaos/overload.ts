import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { daytwo } from '../cli/run.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { ChaosOptions } from './kills.ts'
import { Report } from './report.ts'
import { SteadySender, type Pace } from './steady-sender.ts'
import { send } from './target.ts'

/**
 * Ten clusters that send as always, and one that sends a hundred times as much: ten times the load of eleven such clusters.
 * A round is a minute of that; before the first, a minute without the loud one. Memory stays below its limit, rules of all
 * shipped groups are at most one interval late, the others get no 429 and no 503, and their 99th percentile over all rounds is
 * below twice that of the minute before.
 */

const CLUSTERS = 10
const LOUD_TIMES = 100
/** Requests of one cluster, of so many samples. */
const REQUESTS_PER_SECOND = 2
const SAMPLES = 2000
const WARM_UP_MS = 20_000
const ROUND_MS = 60_000
/** What a pod would be given. */
const MEMORY_BYTES_MAX = 2 * 1024 ** 3
const LOUD_IN_FLIGHT = 256

export async function runOverload({ rounds, onProgress }: ChaosOptions): Promise<Report> {
  const report = new Report(onProgress)
  const folder = tempDir('overload')
  const data = join(folder.path, 'data')
  const tokens = await addTokens(data)
  const server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data])
  const paceOf = (cluster: number, times: number): Pace => ({
    ...{ url: server.url, token: tokens.clusters[cluster]!, cluster: `overload-${cluster}` },
    ...{ requestsPerSecond: REQUESTS_PER_SECOND * times, samplesPerRequest: SAMPLES },
    inFlightMax: times === 1 ? 64 : LOUD_IN_FLIGHT,
  })
  const senders = Array.from({ length: CLUSTERS }, (_, i) => new SteadySender(paceOf(i, 1)))
  const running = senders.map((sender) => sender.run())
  const watch = watchRules(server, tokens.admin, report)
  try {
    await pause(WARM_UP_MS)
    for (const sender of senders) sender.take()
    await pause(ROUND_MS)
    const usualMs = quantileOf(countRound('without the loud cluster', senders, report, onProgress), 0.99)
    watch.begin()
    const allMs: number[] = []
    const loud = startLoud(paceOf(CLUSTERS, LOUD_TIMES))
    for (let round = 1; round <= rounds; round++) {
      await pause(ROUND_MS)
      allMs.push(...countRound(`minute ${round}`, senders, report, onProgress))
      checkMemory(server, `minute ${round}`, report)
    }
    report.figures.set('the loud cluster', await loud.stop())
    watch.end()
    const p99Ms = quantileOf(allMs, 0.99)
    report.figures.set('p99 of the others over all minutes, ms', p99Ms)
    if (p99Ms >= 2 * usualMs) report.fault(`p99 of the others is ${p99Ms} ms, want below twice ${usualMs} ms`)
  } finally {
    for (const sender of senders) sender.stop()
    await Promise.all(running)
    await server.stop()
    folder.remove()
  }
  return report
}

async function addTokens(data: string): Promise<{ readonly admin: string; readonly clusters: readonly string[] }> {
  mkdirSync(data)
  const add = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await daytwo('token', 'add', '--data', data, ...args)
    if (code !== 0) throw new Error(`token add ended with code ${code}: ${stderr}`)
    return stdout.trim()
  }
  const clusters: string[] = []
  for (let i = 0; i <= CLUSTERS; i++) {
    clusters.push(await add('--role', 'ingest', '--name', `overload-${i}`, '--cluster', `overload-${i}`))
  }
  return { admin: await add('--role', 'admin', '--name', 'admin'), clusters }
}

function startLoud(pace: Pace): { stop(): Promise<string> } {
  const file = join(import.meta.dirname, 'loud-sender.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', file, JSON.stringify(pace)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString()))
  // However this process ends, the loud one ends with it.
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  process.once('exit', kill)
  child.once('close', () => process.removeListener('exit', kill))
  const ended = new Promise((resolve) => child.once('close', resolve))
  return {
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      return output
    },
  }
}

/** Counts what the others got since the last call; answers how long each request took, in milliseconds. */
function countRound(
  name: string,
  senders: readonly SteadySender[],
  report: Report,
  onProgress: (text: string) => void,
): readonly number[] {
  const taken = senders.map((sender) => sender.take())
  const latenciesMs = taken.flatMap((counts) => counts.latenciesMs)
  const at = (share: number): number => quantileOf(latenciesMs, share)
  const others = new Map<number, number>()
  for (const { statuses, notSent } of taken) {
    for (const [status, count] of statuses) others.set(status, (others.get(status) ?? 0) + count)
    if (notSent > 0) report.fault(`${name}: ${notSent} requests of a cluster could not be sent`)
  }
  const answered = [...others].map(([status, count]) => `${status}: ${count}`).join(', ')
  for (const [status, count] of others) {
    if (status < 200 || status > 299) report.fault(`${name}: the others got ${count} times ${status}`)
  }
  const line = `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, at most ${at(0.9999)} ms; ${answered}`
  report.figures.set(name, line)
  onProgress(`${name}: ${line}`)
  return latenciesMs
}

/** To a tenth; of nothing 0. */
function quantileOf(latenciesMs: readonly number[], share: number): number {
  const sorted = [...latenciesMs].sort((a, b) => a - b)
  return Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10
}

function checkMemory({ pid }: RunningServer, where: string, report: Report): void {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024
  report.figures.set('peak memory in MB', Math.round(bytes / 1e6))
  if (bytes > MEMORY_BYTES_MAX) report.fault(`${where}: ${bytes} bytes of memory, want at most ${MEMORY_BYTES_MAX}`)
}

interface Groups {
  readonly data: {
    readonly groups: readonly { readonly name: string; readonly interval: number; readonly lastEvaluation: string }[]
  }
}

/** Looks each second how late each group of rules is. */
function watchRules(
  server: RunningServer,
  token: string,
  report: Report,
): { readonly begin: () => void; readonly end: () => void } {
  const target = { url: server.url, token, dataPath: '', environment: {}, position: () => 0 }
  let timer: NodeJS.Timeout | undefined
  let latestShare = 0
  const look = async (): Promise<void> => {
    const { data } = JSON.parse(await send(target, '/api/v1/rules')) as Groups
    for (const { interval, lastEvaluation } of data.groups) {
      const lateSeconds = (Date.now() - Date.parse(lastEvaluation)) / 1000 - interval
      latestShare = Math.max(latestShare, lateSeconds / interval)
    }
  }
  return {
    begin: () => {
      timer = setInterval(() => {
        look().catch((thrown: unknown) => {
          report.fault(`rules: ${String(thrown)}`)
        })
      }, 1000)
    },
    end: () => {
      clearInterval(timer)
      report.figures.set('rules late, in intervals', latestShare.toFixed(2))
      if (latestShare > 1) report.fault(`rules were ${latestShare.toFixed(2)} intervals late, want at most 1`)
    },
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
