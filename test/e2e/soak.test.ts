import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test, type TestContext } from 'vitest'
import { reservePort } from '../../src/runtime/reserve-port.ts'
import { startExporter, type Exporter } from '../support/exporter.ts'
import { requirePeer } from '../support/peers.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'
import { startVmagent } from '../support/vmagent.ts'

// Stock senders write into the server as it ships, which is killed once in the middle and started again. At the end as
// many samples are stored as the sender says it sent, by its own counters, and nothing was refused or dropped.

/** Ten minutes are for the hand: DAYTWO_SOAK_SECONDS=600 npx vitest run test/e2e/soak.test.ts */
const SECONDS = Number(process.env['DAYTWO_SOAK_SECONDS'] ?? 6)
const SERIES = 1000
const CLUSTER = 'soak-1'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Sender {
  /** Where its own metrics are. */
  readonly url: string
  /** Counter of the samples it sent. */
  readonly sent: string
  /** Counter of those that are in `sent` once more for each time they were sent again. */
  readonly repeated?: string
  /** Counters of what it gave up, or could not send at once for other reasons than a server that was away. */
  readonly lost: readonly string[]
  log(): string
}

interface SenderParts {
  readonly path: string
  readonly targets: readonly string[]
  readonly remoteWriteUrl: string
  readonly externalLabels: Readonly<Record<string, string>>
}

const SENDERS: readonly (readonly [program: string, start: (parts: SenderParts) => Promise<Sender>])[] = [
  [
    'prometheus',
    async (parts) => {
      const prometheus = await startPrometheus(parts)
      closers.push(() => prometheus.stop())
      const prefix = 'prometheus_remote_storage'
      return {
        url: prometheus.url,
        sent: `${prefix}_samples_total`,
        repeated: `${prefix}_samples_retried_total`,
        lost: [`${prefix}_samples_failed_total`, `${prefix}_samples_dropped_total`],
        log: () => prometheus.log(),
      }
    },
  ],
  [
    'vmagent',
    async (parts) => {
      const agent = await startVmagent(parts)
      closers.push(() => agent.stop())
      return {
        url: agent.url,
        sent: 'vmagent_remotewrite_rows_pushed_after_relabel_total',
        lost: ['vmagent_remotewrite_packets_dropped_total'],
        log: () => agent.log(),
      }
    },
  ],
]

/** The sum of a metric over its series, in a process' own metrics; 0 when it has none. */
async function own(url: string, metric: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(metric) && /^[ {]/.test(line.slice(metric.length)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

/** Counters that go up, each at its own pace, and a gauge that changes its mind; new values each second. */
function startTicking(exporter: Exporter): void {
  let tick = 0
  const step = (): void => {
    tick++
    for (let i = 0; i < SERIES; i++) {
      const value = i % 2 === 0 ? Math.floor(tick / (1 + (i % 7))) * i : Math.sin(tick * i)
      exporter.set(i % 2 === 0 ? 'soak_total' : 'soak_level', { item: String(i) }, value)
    }
  }
  step()
  const timer = setInterval(step, 1000)
  closers.push(() => {
    clearInterval(timer)
  })
}

/** How many different samples a sender sent. */
async function sentBy({ url, sent, repeated }: Sender): Promise<number> {
  return (await own(url, sent)) - (repeated === undefined ? 0 : await own(url, repeated))
}

/** Of each metric by itself: a count has no name, and two series that differ in nothing else would be one. */
async function stored(server: RunningServer): Promise<number> {
  const parameters = new URLSearchParams({ 'match[]': `{cluster="${CLUSTER}"}` })
  const response = await fetch(`${server.url}/api/v1/label/__name__/values?${parameters.toString()}`)
  const { data } = (await response.json()) as { data: readonly string[] }
  if (data.length === 0) return 0
  const counts = data.map((name) => `sum(count_over_time(${name}{cluster="${CLUSTER}"}[2h]))`)
  const [sum] = await server.query(counts.join(' + '))
  return Number(sum?.value[1] ?? 0)
}

test.for(SENDERS)(
  '%s, whose receiver is killed once, has all it sent stored, and nothing refused',
  { timeout: 120_000 + SECONDS * 2000 },
  async ([program, start], context: TestContext) => {
    const path = requirePeer(program, context)
    const data = tempDir('soak')
    closers.push(() => {
      data.remove()
    })
    const port = await reservePort('127.0.0.1')
    const args = ['serve', '--listen', `127.0.0.1:${port}`, '--data', data.path]
    let server = await startServer(args)
    closers.push(() => server.stop())
    const exporter = await startExporter([])
    closers.push(() => exporter.close())
    startTicking(exporter)
    const sender = await start({
      path,
      targets: [exporter.address],
      remoteWriteUrl: `${server.url}/api/v1/write`,
      externalLabels: { cluster: CLUSTER, region: 'eu-central' },
    })

    const refused: number[] = []
    const live = async (): Promise<void> => {
      await wait((SECONDS * 1000) / 2)
      refused.push(await own(server.url, 'daytwo_ingest_samples_refused_total'))
    }
    await live()
    await server.kill()
    server = await startServer(args)
    await live()

    // Between two scrapes, when nothing is on its way, both must know the same number.
    const samples = await until('as many samples stored as sent', async () => {
      await wait(100)
      const before = await sentBy(sender)
      const there = await stored(server)
      const after = await sentBy(sender)
      return before === after && there === before && there > 0 ? there : undefined
    }).catch(async (cause: unknown) => {
      const counts = `${await sentBy(sender)} sent, ${await stored(server)} stored`
      throw new Error(`${counts}\n${sender.log().slice(-4000)}\n${server.output().slice(-2000)}`, { cause })
    })
    const lost = await Promise.all(sender.lost.map((metric) => own(sender.url, metric)))
    expect({ refused, lost }).toEqual({ refused: [0, 0], lost: lost.map(() => 0) })
    // A sender that never got going would agree about nothing, too.
    expect(samples).toBeGreaterThan(SERIES)
    const repeated = sender.repeated === undefined ? '' : `, ${await own(sender.url, sender.repeated)} sent twice`
    process.stdout.write(`${program}: ${samples} samples in ${SECONDS} s, all stored${repeated}\n`)
  },
)
