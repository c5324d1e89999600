import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { until } from './until.ts'

/**
 * A real Prometheus on loopback, in a folder of its own: scrapes what it is told every second and sends it on by remote
 * write. Find the program with `requirePeer('prometheus', context)`.
 */
export interface RunningPrometheus {
  /** `http://127.0.0.1:port`. */
  readonly url: string
  /** Its answer to an instant query: value by label set, as the API prints them. */
  query(
    expr: string,
    timeMs?: number,
  ): Promise<readonly { readonly metric: Record<string, string>; readonly value: number }[]>
  /** What it printed so far. */
  log(): string
  /** Ends the process and waits for it; a second call does nothing. */
  stop(): Promise<void>
}

export interface PrometheusOptions {
  /** The program. */
  readonly path: string
  /** `host:port` of each exporter. */
  readonly targets: readonly string[]
  /** Full address of the write endpoint; nothing is sent when absent. */
  readonly remoteWriteUrl?: string
  readonly externalLabels?: Readonly<Record<string, string>>
  readonly token?: string
  /** Takes samples by remote write itself, at `/api/v1/write`. */
  readonly isReceiver?: boolean
  /** Keeps what is of long ago. */
  readonly isOfLongAgo?: boolean
  /** Scrapes native histograms and sends them on. */
  readonly hasNativeHistograms?: boolean
  /** A rule file, evaluated each second. */
  readonly rules?: string
  /** `host:port` of an Alertmanager; it is told again every two seconds. */
  readonly alertmanager?: string
  /** Stands in links of alerts. */
  readonly externalUrl?: string
  /** Labels of all targets, such as `namespace`. */
  readonly targetLabels?: Readonly<Record<string, string>>
}

export async function startPrometheus(options: PrometheusOptions): Promise<RunningPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'daytwo-prometheus-'))
  writeFileSync(join(folder, 'prometheus.yml'), stringify(configOf(options)))
  if (options.rules !== undefined) writeFileSync(join(folder, 'rules.yaml'), options.rules)
  const child = spawn(
    options.path,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
      ...(options.externalUrl === undefined
        ? []
        : [`--web.external-url=${options.externalUrl}`, '--web.route-prefix=/']),
      ...(options.alertmanager === undefined ? [] : ['--rules.alert.resend-delay=2s']),
      ...(options.isOfLongAgo === true ? ['--storage.tsdb.retention.time=100y'] : []),
      ...(options.isReceiver === true ? ['--web.enable-remote-write-receiver'] : []),
      ...(options.hasNativeHistograms === true ? ['--enable-feature=native-histograms'] : []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let log = ''
  child.stdout.on('data', (part: Buffer) => (log += part.toString()))
  child.stderr.on('data', (part: Buffer) => (log += part.toString()))
  const stop = async (): Promise<void> => {
    await endProcess(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const url = await readyUrl(child, () => log)
    return { url, query: (expr, timeMs) => instantQuery(url, expr, timeMs), log: () => log, stop }
  } catch (err) {
    await stop()
    throw err
  }
}

function configOf(options: PrometheusOptions): object {
  const { externalLabels = {}, targetLabels = {}, targets, remoteWriteUrl, token } = options
  const write = {
    url: remoteWriteUrl,
    // Small and quick, so that a test sees its samples at once.
    queue_config: { batch_send_deadline: '200ms', min_backoff: '30ms', max_backoff: '500ms' },
    ...(token === undefined ? {} : { authorization: { credentials: token } }),
    ...(options.hasNativeHistograms === true ? { send_native_histograms: true } : {}),
    metadata_config: { send_interval: '1s' },
  }
  return {
    global: {
      scrape_interval: '1s',
      scrape_timeout: '1s',
      // Also the step of subqueries without one; Daytwo's is a minute.
      evaluation_interval: options.rules === undefined ? '1m' : '1s',
      external_labels: externalLabels,
    },
    ...(options.rules === undefined ? {} : { rule_files: ['rules.yaml'] }),
    ...(options.alertmanager === undefined
      ? {}
      : { alerting: { alertmanagers: [{ static_configs: [{ targets: [options.alertmanager] }] }] } }),
    scrape_configs: [
      {
        job_name: 'kubevirt-hyperconverged-operator-metrics',
        honor_labels: true,
        static_configs: [{ targets, labels: targetLabels }],
      },
    ],
    ...(remoteWriteUrl === undefined ? {} : { remote_write: [write] }),
  }
}

/** The address stands in the log, since the port is any free one. */
async function readyUrl(child: ChildProcess, log: () => string): Promise<string> {
  return until('prometheus to be ready', async () => {
    if (child.exitCode !== null) throw new Error(`prometheus ended with code ${child.exitCode}:\n${log()}`)
    const address = /address=(127\.0\.0\.1:[1-9]\d*)/.exec(log())?.[1]
    if (address === undefined) return undefined
    const url = `http://${address}`
    return (await isReady(url)) ? url : undefined
  })
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`)).ok
  } catch {
    return false
  }
}

async function instantQuery(url: string, expr: string, timeMs?: number): ReturnType<RunningPrometheus['query']> {
  const parameters = new URLSearchParams({ query: expr })
  if (timeMs !== undefined) parameters.set('time', String(timeMs / 1000))
  const response = await fetch(`${url}/api/v1/query?${parameters.toString()}`)
  const answer = (await response.json()) as {
    status: string
    error?: string
    data: { result: { metric: Record<string, string>; value: [number, string] }[] }
  }
  if (answer.status !== 'success') throw new Error(`query ${expr}: ${answer.error ?? 'no reason given'}`)
  return answer.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
}

/** Asks the process to end, and insists after a while; by its own handle, never by name. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve()
    })
  })
  child.kill('SIGTERM')
  const insist = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(insist)
}
