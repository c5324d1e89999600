/**
 * What it costs to forward samples: CPU and memory of the thread's work, from the log to a receiver in another process that
 * acknowledges everything. Beside it, where it is installed, vmagent, which receives the same samples by remote write and forwards
 * them to the same receiver. `--clusters N` of 60 series each (default 1000), a sample a minute; `--quick`: fewer samples.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { Forwarder } from '../src/forward/forwarder.ts'
import { createRemoteHttp } from '../src/forward/remote-http.ts'
import { Labels } from '../src/model/labels.ts'
import { reservePort } from '../src/runtime/reserve-port.ts'
import { openSampleLog } from '../src/store/log/sample-log.ts'
import { STORE_DEFAULTS } from '../src/store/options.ts'
import { openWriter } from '../src/store/writer.ts'
import { encodeWriteRequest } from '../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../src/wire/snappy.ts'

const METRICS = 60
const START_MS = 20_376 * 24 * 3_600_000
const CLUSTERS_PER_COMMIT = 20

/** Acknowledges everything, and counts. */
const RECEIVER = `
import { createServer } from 'node:http'
let bytes = 0
createServer((request, response) => {
  if (request.method === 'GET') return response.end(String(bytes))
  request.on('data', (part) => (bytes += part.length))
  request.on('end', () => { response.statusCode = 204; response.end() })
}).listen(Number(process.argv[1]), '127.0.0.1')
`

export async function run({ clusters, quick }: { readonly clusters?: string; readonly quick: boolean }): Promise<void> {
  const count = Number(clusters ?? 1000)
  const rounds = quick ? 10 : 60
  const samples = count * METRICS * rounds
  const port = await reservePort('127.0.0.1')
  const receiver = spawn(process.execPath, ['--input-type=module', '-e', RECEIVER, String(port)], { stdio: 'inherit' })
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  try {
    const url = `http://127.0.0.1:${port}`
    await answers(url)
    console.log(`${samples / 1e6} M samples of ${count * METRICS} series, ${rounds} of each`)
    await fill(dir, count, rounds)
    // In a process of its own: nothing of the writer is measured.
    const child = spawnSync(process.execPath, ['--import', 'tsx', import.meta.filename, dir, url, String(samples)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    process.stdout.write(child.stdout)
    await vmagent(url, count, rounds, samples)
  } finally {
    receiver.kill()
    rmSync(dir, { recursive: true, force: true })
  }
}

const labelsOf = (cluster: number, metric: number): Labels =>
  Labels.of({
    __name__: `kubevirt_metric_${metric}`,
    cluster: `cluster-${cluster}`,
    container: 'virt-operator',
    endpoint: 'metrics',
    instance: `10.${cluster >> 8}.${cluster & 255}.7:8443`,
    job: 'kubevirt-prometheus-metrics',
    namespace: 'openshift-cnv',
    pod: `virt-operator-${cluster}-${(cluster * 7919).toString(36)}`,
    service: 'kubevirt-prometheus-metrics',
  })

const valueOf = (cluster: number, metric: number, round: number): number =>
  metric % 3 === 0 ? cluster + metric : metric % 3 === 1 ? round * (metric + 1) : Math.sin(cluster + metric + round)

async function fill(dir: string, clusters: number, rounds: number): Promise<void> {
  const options = {
    ...STORE_DEFAULTS,
    dir,
    seriesMax: 10_000_000,
    headBytesMax: Infinity,
    forwardBufferBytesMax: Infinity,
  }
  const writer = openWriter(options, START_MS)
  for (let round = 0; round < rounds; round++) {
    for (let cluster = 0; cluster < clusters; cluster++) {
      for (let metric = 0; metric < METRICS; metric++) {
        const ref = writer.appender.resolve(labelsOf(cluster, metric))!
        writer.appender.append(ref, START_MS + round * 60_000, valueOf(cluster, metric, round))
      }
      if (cluster % CLUSTERS_PER_COMMIT === 0) await writer.commit()
    }
    await writer.commit()
  }
  await writer.close()
}

async function forward(dir: string, url: string, samples: number): Promise<void> {
  const source = openSampleLog(dir)
  const http = createRemoteHttp({ ca: undefined, connections: 4, tenantHeaders: {}, readHeaders: () => ({}) })
  const options = {
    kind: 'prometheus',
    writeUrl: `${url}/api/v1/write`,
    queryUrl: url,
    connections: 4,
    resendWindowMs: 0,
  } as const
  const forwarder = new Forwarder({ options, source, http, clock: systemClock, random: Math.random })
  const idleMb = process.memoryUsage().rss / 2 ** 20
  const before = process.cpuUsage()
  const startedMs = performance.now()
  let peakMb = 0
  forwarder.start()
  for (;;) {
    peakMb = Math.max(peakMb, process.memoryUsage().rss / 2 ** 20)
    const { totals } = forwarder.status()
    if (totals.samples >= samples) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { user, system } = process.cpuUsage(before)
  const { requests, bytes } = forwarder.status().totals
  forwarder.stop()
  source.close()
  report(
    'daytwo',
    (user + system) / 1000,
    samples,
    bytes,
    performance.now() - startedMs,
    `+${(peakMb - idleMb).toFixed(0)} MB at most, ${requests} requests`,
  )
}

/** The same samples, as senders send them: 2,000 in a request. */
async function vmagent(url: string, clusters: number, rounds: number, samples: number): Promise<void> {
  if (spawnSync('vmagent', ['-version']).error !== undefined) {
    console.log('  vmagent is not installed')
    return
  }
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  const address = `127.0.0.1:${await reservePort('127.0.0.1')}`
  const args = [`-remoteWrite.url=${url}/api/v1/write`, `-remoteWrite.tmpDataPath=${dir}`, `-httpListenAddr=${address}`]
  const child = spawn('vmagent', args, { stdio: 'ignore' })
  try {
    await answers(`http://${address}/health`)
    const bytesBefore = Number(await (await fetch(url)).text())
    const cpuBefore = cpuMsOf(child.pid!)
    const startedMs = performance.now()
    for (let round = 0; round < rounds; round++) {
      for (let first = 0; first < clusters; first += 33) {
        const series = []
        for (let cluster = first; cluster < Math.min(first + 33, clusters); cluster++) {
          for (let metric = 0; metric < METRICS; metric++) {
            const sample = { timeMs: START_MS + round * 60_000, value: valueOf(cluster, metric, round) }
            series.push({ labels: labelsOf(cluster, metric), samples: [sample] })
          }
        }
        const body = new Uint8Array(encodeSnappy(encodeWriteRequest(series)))
        await fetch(`http://${address}/api/v1/write`, { method: 'POST', body })
      }
    }
    const sentOf = async (): Promise<number> => {
      const text = await (await fetch(`http://${address}/metrics`)).text()
      const pending = Number(/^vmagent_remotewrite_pending_data_bytes\{.*\} (\d+)/m.exec(text)?.[1] ?? 0)
      return pending === 0 ? Number(/^vmagent_remotewrite_bytes_sent_total\{.*\} (\d+)/m.exec(text)?.[1] ?? 0) : -1
    }
    let bytes = -1
    for (let i = 0; i < 100 && bytes < 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1200))
      bytes = await sentOf()
    }
    const received = Number(await (await fetch(url)).text()) - bytesBefore
    const rssMb = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
    report(
      'vmagent',
      cpuMsOf(child.pid!) - cpuBefore,
      samples,
      received,
      performance.now() - startedMs,
      `${rssMb.toFixed(0)} MB at most; it also decodes what it receives`,
    )
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill()
    await ended
    rmSync(dir, { recursive: true, force: true })
  }
}

function report(what: string, cpuMs: number, samples: number, bytes: number, ms: number, more: string): void {
  const perMillion = (cpuMs / samples) * 1e6
  const rate = samples / ms / 1000
  console.log(
    `  ${what.padEnd(8)} ${perMillion.toFixed(0).padStart(6)} ms CPU per M samples, ${rate.toFixed(2)} M/s, ${(bytes / samples).toFixed(1)} bytes each; ${more}`,
  )
}

/** User and system, in ms: 100 ticks a second. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function answers(url: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${url} does not answer`)
}

if (process.argv[1] === import.meta.filename) {
  const [dir, url, samples] = process.argv.slice(2)
  await forward(dir!, url!, Number(samples))
}
