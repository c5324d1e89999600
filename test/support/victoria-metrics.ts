import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reservePort } from '../../src/runtime/reserve-port.ts'
import { endProcess } from './prometheus.ts'
import { until } from './until.ts'

/** A real single-node VictoriaMetrics on loopback, in a folder of its own. Find it with `requirePeer('victoria-metrics', context)`. */
export interface RunningVictoriaMetrics {
  readonly url: string
  readonly pid: number
  /** With its data. */
  readonly folder: string
  /** SIGKILL; the data stays for `start`. */
  kill(): Promise<void>
  /** Again, on the same address and data. */
  start(): Promise<void>
  /** All samples of series with this metric name: times and values by the text of their labels. */
  export(metric: string): Promise<ReadonlyMap<string, readonly (readonly [timeMs: number, value: number])[]>>
  /** Makes what was written visible to queries. */
  flush(): Promise<void>
  stop(): Promise<void>
}

export async function startVictoriaMetrics(
  path: string,
  flags: readonly string[] = ['-dedup.minScrapeInterval=1ms'],
): Promise<RunningVictoriaMetrics> {
  const folder = mkdtempSync(join(tmpdir(), 'daytwo-victoria-metrics-'))
  const url = `http://127.0.0.1:${await reservePort('127.0.0.1')}`
  let child: ChildProcess | undefined
  let log = ''
  const start = async (): Promise<void> => {
    const args = [`-storageDataPath=${join(folder, 'data')}`, `-httpListenAddr=${new URL(url).host}`]
    const started = spawn(path, [...args, '-retentionPeriod=100y', '-search.latencyOffset=0s', ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child = started
    started.stderr.on('data', (part: Buffer) => (log += part.toString()))
    await until(`VictoriaMetrics to be ready: ${log}`, async () => {
      if (started.exitCode !== null) throw new Error(`VictoriaMetrics ended: ${log}`)
      const answer = await fetch(`${url}/health`).catch(() => undefined)
      return answer?.ok === true ? true : undefined
    })
  }
  await start()
  return {
    ...{ url, folder },
    get pid() {
      return child?.pid ?? 0
    },
    start,
    kill: async () => {
      const killed = child!
      const ended = new Promise((resolve) => killed.once('exit', resolve))
      killed.kill('SIGKILL')
      await ended
    },
    export: async (metric) => {
      const answer = await fetch(`${url}/api/v1/export?match[]=${encodeURIComponent(`{__name__="${metric}"}`)}`)
      const series = new Map<string, (readonly [number, number])[]>()
      for (const line of (await answer.text()).split('\n').filter((one) => one !== '')) {
        const {
          metric: labels,
          values,
          timestamps,
        } = JSON.parse(line) as {
          metric: Record<string, string>
          values: number[]
          timestamps: number[]
        }
        const key = JSON.stringify(labels, Object.keys(labels).sort())
        series.set(key, [...(series.get(key) ?? []), ...timestamps.map((timeMs, i) => [timeMs, values[i]!] as const)])
      }
      return series
    },
    flush: async () => {
      await fetch(`${url}/internal/force_flush`)
    },
    stop: async () => {
      if (child !== undefined) await endProcess(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
