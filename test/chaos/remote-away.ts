import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DebugForward } from '../../src/contract/debug-forward.ts'
import { randomOf, type Random } from '../../sim/random.ts'
import { findPeer } from '../support/peers.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { NO_CONTENT, startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'
import { startVictoriaMetrics, type RunningVictoriaMetrics } from '../support/victoria-metrics.ts'
import { FaultyProxy, type ProxyMode } from './faulty-proxy.ts'
import type { ChaosOptions } from './kills.ts'
import { START_WITHIN_MS } from './life.ts'
import { Report } from './report.ts'

/**
 * The metrics store is away, slow, or refuses a series, while samples go on: what senders receive, what the server says about it, and
 * how long it takes afterwards until all that was acknowledged is there. In each round once each, and the buffer is full once.
 */

const MODES: readonly Exclude<ProxyMode, 'passing'>[] = ['down', 'slow', 'refusing']
const SERIES = 50
const MARKER = 'refused_by_the_store'
const SETTLED_WITHIN_MS = 180_000

/** How a run sends, and how long the store is away. */
interface Pace {
  readonly modes: readonly (typeof MODES)[number][]
  readonly everyMs: number
  /** Of one mode. */
  readonly lastsMs: (random: Random) => number
  /** Beyond it writes are answered 503. */
  readonly bufferBytes: number
}

/** In each round each mode, for seconds. */
export function runRemoteAway(options: ChaosOptions): Promise<Report> {
  return runAway(options, {
    modes: MODES,
    everyMs: 100,
    lastsMs: (random) => 8000 * (0.5 + random.next()),
    bufferBytes: 48 * 1024,
  })
}

/** Scrapes of a second, and a store that is not there for half an hour. */
export function runRemoteDown(options: ChaosOptions): Promise<Report> {
  return runAway(options, { modes: ['down'], everyMs: 1000, lastsMs: () => 30 * 60_000, bufferBytes: 64 * 1024 * 1024 })
}

async function runAway({ rounds, seed, onProgress }: ChaosOptions, pace: Pace): Promise<Report> {
  const report = new Report(onProgress)
  const path = findPeer('victoria-metrics')
  if (path === undefined) {
    report.fault('VictoriaMetrics is not installed')
    return report
  }
  const folder = tempDir('remote-away')
  const victoria = await startVictoriaMetrics(path)
  const proxy = new FaultyProxy(victoria.url, MARKER)
  let server: RunningServer | undefined
  try {
    const url = await proxy.start()
    server = await startServer(
      [
        ...['serve', '--listen', '127.0.0.1:0', '--data', folder.path, '--store.metrics', url],
        ...['--store.metrics-buffer-bytes-max', String(pace.bufferBytes), '--store.metrics-resend-window', '1s'],
        ...[
          '--rules',
          join(import.meta.dirname, '../../alert-rules'),
          '--runbooks',
          NO_CONTENT,
          '--dashboards',
          NO_CONTENT,
        ],
      ],
      {},
      START_WITHIN_MS,
    )
    const run = new AwayRun(pace, server, proxy, victoria, randomOf('remote-away', seed), report, onProgress)
    for (let round = 1; round <= rounds; round++) await run.round(round)
  } catch (thrown) {
    report.fault(`${String(thrown)}: ${server?.output().slice(-2000) ?? ''}`)
  } finally {
    await server?.kill()
    await proxy.stop()
    await victoria.stop()
    folder.remove()
  }
  return report
}

class AwayRun {
  readonly #pace: Pace
  readonly #server: RunningServer
  readonly #proxy: FaultyProxy
  readonly #victoria: RunningVictoriaMetrics
  readonly #random: Random
  readonly #report: Report
  readonly #say: (text: string) => void
  /** Times that were acknowledged. */
  readonly #acked: number[] = []
  readonly #marked: number[] = []

  constructor(
    pace: Pace,
    server: RunningServer,
    proxy: FaultyProxy,
    victoria: RunningVictoriaMetrics,
    random: Random,
    report: Report,
    say: (text: string) => void,
  ) {
    this.#pace = pace
    this.#server = server
    this.#proxy = proxy
    this.#victoria = victoria
    this.#random = random
    this.#report = report
    this.#say = say
  }

  async round(round: number): Promise<void> {
    for (const mode of this.#pace.modes) {
      await this.#send('passing', 1000, false)
      this.#proxy.mode = mode
      const statuses = await this.#send(mode, this.#pace.lastsMs(this.#random), mode === 'refusing')
      await this.#look(mode)
      this.#proxy.mode = 'passing'
      const backMs = performance.now()
      const cpuBefore = cpuSecondsOf(this.#server.pid)
      await this.#caughtUp(`round ${round}, ${mode}`)
      const took = ((performance.now() - backMs) / 1000).toFixed(1)
      this.#say(`round ${round}, ${mode}: senders got ${textOf(statuses)}; caught up after ${took} s`)
      const cpu = (cpuSecondsOf(this.#server.pid) - cpuBefore).toFixed(1)
      this.#report.figures.set(`${mode}: last catch-up`, `${took} s, ${cpu} CPU seconds of the server`)
    }
  }

  /** Answers by status. A sample that was not accepted is sent again, as senders do. */
  async #send(mode: ProxyMode, forMs: number, isMarked: boolean): Promise<ReadonlyMap<number, number>> {
    const statuses = new Map<number, number>()
    const endMs = performance.now() + forMs
    for (let number = 0; performance.now() < endMs; number++) {
      const timeMs = Date.now()
      const value = timeMs
      const marked =
        isMarked && number % 10 === 0
          ? [{ labels: { __name__: MARKER, cluster: 'away' }, samples: [{ timeMs, value }] }]
          : []
      const body = writeBody([
        ...Array.from({ length: SERIES }, (_, i) => ({
          labels: { __name__: 'away', cluster: 'away', number: String(i) },
          samples: [{ timeMs, value }],
        })),
        ...marked,
      ])
      const { status } = await postWrite(this.#server.url, body)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 204) {
        this.#acked.push(timeMs)
        if (marked.length > 0) this.#marked.push(timeMs)
      } else if (status !== 503) this.#report.fault(`${mode}: a sender got ${status}`)
      await new Promise((resolve) => setTimeout(resolve, this.#pace.everyMs))
    }
    for (const [status, count] of statuses) this.#report.count(`${mode}: senders got ${status}`, count)
    return statuses
  }

  /** What the server says while the store is in a mode. */
  async #look(mode: ProxyMode): Promise<void> {
    const { forward } = await this.#state()
    const ready = await fetch(`${this.#server.url}/-/ready`)
    const query = await fetch(`${this.#server.url}/api/v1/query?query=${encodeURIComponent('count(away offset 1m)')}`)
    const page = await fetch(`${this.#server.url}/api/fleet/v1/now`)
    const { data } = (await (await fetch(`${this.#server.url}/api/v1/alerts`)).json()) as {
      readonly data: { readonly alerts: readonly { readonly state: string; readonly labels: { alertname: string } }[] }
    }
    const firing = data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
    this.#report.figures.set(`${mode}: alerts`, [...new Set(firing)].sort().join(', ') || 'none')
    this.#report.figures.set(
      `${mode}: lag, state`,
      `${forward.lagSamples} samples, ${forward.isFailing ? 'failing' : 'not failing'}`,
    )
    this.#report.figures.set(`${mode}: /-/ready`, `${ready.status} ${(await ready.text()).trim().slice(0, 200)}`)
    this.#report.figures.set(`${mode}: a query`, `${query.status} ${(await query.text()).slice(0, 200)}`)
    this.#report.figures.set(`${mode}: the landing page`, page.status)
    if (ready.status !== 200)
      this.#report.fault(`${mode}: /-/ready is ${ready.status}: the server serves facts and alerts all the same`)
    if (page.status !== 200) this.#report.fault(`${mode}: the landing page is ${page.status}`)
    if (mode === 'down' && query.status < 500)
      this.#report.fault(`down: a query is answered with ${query.status}, without the store`)
    if (mode === 'down' && !forward.isFailing) this.#report.fault('down: nothing shows that forwarding fails')
    const refused = Object.values(forward.totals.refused).reduce((sum, count) => sum + count, 0)
    if (mode === 'refusing')
      this.#report.figures.set('refusing: refused samples', `${refused}, in ${this.#proxy.refused} requests`)
  }

  /** All that was acknowledged is in the store, but for the refused series, which is counted. */
  async #caughtUp(where: string): Promise<void> {
    const wanted = new Set(this.#acked)
    let missing = wanted.size
    await until(
      'the store to have everything',
      async () => {
        if ((await this.#state()).forward.lagSamples > 0) return undefined
        await this.#victoria.flush()
        const series = [...(await this.#victoria.export('away')).values()]
        missing =
          series.length < SERIES
            ? wanted.size
            : series.reduce((most, samples) => {
                const there = new Set(samples.map(([timeMs]) => timeMs))
                return Math.max(most, [...wanted].filter((timeMs) => !there.has(timeMs)).length)
              }, 0)
        return missing === 0 ? true : undefined
      },
      SETTLED_WITHIN_MS,
    ).catch(() => {
      this.#report.fault(`${where}: lost: ${missing} of ${wanted.size} acknowledged times are not in the store`)
    })
    const { forward } = await this.#state()
    const refused = Object.values(forward.totals.refused).reduce((sum, count) => sum + count, 0)
    const marked = [...(await this.#victoria.export(MARKER)).values()].flat().length
    if (refused + marked !== this.#marked.length) {
      this.#report.fault(
        `${where}: of ${this.#marked.length} samples of the refused series ${refused} are counted and ${marked} are there`,
      )
    }
    this.#report.figures.set('acknowledged', this.#acked.length * SERIES)
  }

  async #state(): Promise<{ readonly forward: NonNullable<DebugForward['forward']> }> {
    const answer = (await (await fetch(`${this.#server.url}/debug/forward`)).json()) as DebugForward
    return { forward: answer.forward! }
  }
}

function textOf(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')
}

/** Of one process, as Linux counts them: in hundredths. */
function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
