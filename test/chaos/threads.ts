import { randomOf } from '../../sim/random.ts'
import type { App } from '../../src/app.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { builtApp } from '../support/built-app.ts'
import { failingThreads, type WorkerFile } from '../support/failing-threads.ts'
import { NO_CONTENT } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { ChaosOptions } from './kills.ts'
import { Life } from './life.ts'
import { Report } from './report.ts'
import { send, type Target } from './target.ts'

/**
 * Worker threads that die, hang and throw at random moments in the server as it ships, in this process, while everything
 * that is acknowledged is sent: each comes back, rules are evaluated again, and all that was acknowledged is there, once.
 */

type Kind = 'kill' | 'hang' | 'fault'

export interface ThreadOptions extends ChaosOptions {
  readonly kinds?: readonly Kind[]
}

const WORKERS: readonly WorkerFile[] = ['ingest-worker', 'query-worker']
const ACKS_BEFORE_FAILURE_MAX = 300
const LOG_CHARS_SHOWN = 4000

/** Each kind as often as there are rounds, in each of the workers by turns. */
export async function runThreads({
  rounds,
  seed,
  onProgress,
  kinds = ['kill', 'hang'],
}: ThreadOptions): Promise<Report> {
  const report = new Report(onProgress)
  const random = randomOf('threads', seed)
  const plan = kinds
    .flatMap((kind) => Array.from({ length: rounds }, (_, i) => ({ kind, file: WORKERS[i % WORKERS.length]! })))
    .map((failure) => ({ failure, place: random.next() }))
    .sort((a, b) => a.place - b.place)
  const life = new Life('threads')
  const threads = failingThreads()
  let logged = ''
  const start = (): Promise<App> => startApp(life, (line) => (logged += line))
  let app: App | undefined
  let isOver = false
  try {
    await life.begin()
    app = await start()
    const target = (): Target => life.target({ url: app?.url ?? '' })
    const running = life.load.run(target(), () => isOver)
    const delaysMs: number[] = []
    for (const [i, { failure }] of plan.entries()) {
      const wanted = life.load.ackedCount + Math.ceil(random.next() * ACKS_BEFORE_FAILURE_MAX)
      const isAcked = (): true | undefined => (life.load.ackedCount >= wanted ? true : undefined)
      await Promise.race([running, until('acknowledgements', isAcked, 600_000)])
      await pause(random.next() * 50)
      const failedMs = Date.now()
      await threads[failure.kind](failure.file)
      const isEvaluated = async (): Promise<true | undefined> =>
        (await lastEvaluationMs(target())) > failedMs ? true : undefined
      await until('rules to be evaluated', isEvaluated, 600_000)
      delaysMs.push(Date.now() - failedMs)
      await until('it to be healthy', () => send(target(), '/-/healthy').catch(() => undefined), 60_000)
      report.count(`${failure.kind} ${failure.file}`)
      onProgress(`${i + 1} of ${plan.length}: ${failure.kind} ${failure.file}, rules after ${delaysMs.at(-1)} ms`)
    }
    isOver = true
    await running
    report.check('after the failures', await life.load.faults(target()))
    await checkCounts(
      target(),
      plan.map(({ failure }) => failure),
      report,
    )
    // The thread that watches main is there, and upkeep goes on.
    for (const text of ['main-watch-worker', 'upkeep stopped']) {
      if (logged.includes(text)) report.fault(`the log has ${text}`)
    }
    const stacks = logged.split('\n').filter((line) => line.includes('at endlessLoop')).length
    const hung = plan.filter(({ failure }) => failure.kind === 'hang').length
    if (stacks < hung) report.fault(`${stacks} stacks of ${hung} that hung are in the log`)
    await app.stop()
    app = await start()
    report.check('after a restart', await life.load.faults(target()))
    await app.stop()
    report.add(life.load)
    const sorted = delaysMs.sort((a, b) => a - b)
    report.figures.set('rules evaluated again, median ms', sorted[Math.floor(sorted.length / 2)] ?? 0)
    report.figures.set('rules evaluated again, at most ms', sorted.at(-1) ?? 0)
  } catch (thrown) {
    report.fault(`${String(thrown)}; the log ends with ${logged.slice(-LOG_CHARS_SHOWN)}`)
    // Otherwise they go on, and so does this process.
    isOver = true
    await app?.stop().catch(() => undefined)
  } finally {
    threads.stop()
    life.remove()
  }
  return report
}

async function startApp(life: Life, write: (line: string) => void): Promise<App> {
  const options = {
    ...{ listen: '127.0.0.1:0', data: life.dataPath, rules: life.rulesPath, runbooks: NO_CONTENT },
    ...{ dashboards: NO_CONTENT, 'retention.raw': '100y', 'ingest.out-of-order': '10s', 'store.flush-every': '2m' },
    ...{ 'watchdog.hung-after': '3s', 'watchdog.stable-after': '0s', 'own-metrics': 'false' },
  }
  const config = readConfig(new Map(Object.entries(options)), undefined, {})
  const built = await builtApp()
  const app = await built.startApp({ config, clock: systemClock, log: createLog('info', { write }), isDemo: false })
  app.startCycles()
  return app
}

async function lastEvaluationMs(target: Target): Promise<number> {
  const text = await send(target, '/api/v1/rules').catch(() => undefined)
  if (text === undefined) return 0
  const { data } = JSON.parse(text) as {
    readonly data: { readonly groups: readonly { readonly lastEvaluation: string }[] }
  }
  return Date.parse(data.groups[0]?.lastEvaluation ?? '')
}

/** The server's own counts: every failure was noticed. */
async function checkCounts(
  target: Target,
  failures: readonly { readonly kind: Kind; readonly file: WorkerFile }[],
  report: Report,
): Promise<void> {
  const lines = (await send(target, '/metrics')).split('\n')
  for (const file of WORKERS) {
    const count = (reason: string): number => {
      const name = `daytwo_thread_failures_total{thread="${file}",reason="${reason}"`
      return Number(
        lines
          .find((line) => line.startsWith(name))
          ?.split(' ')
          .at(-1) ?? 0,
      )
    }
    const hung = failures.filter((failure) => failure.file === file && failure.kind === 'hang').length
    const died = failures.filter((failure) => failure.file === file && failure.kind !== 'hang').length
    // One that hung is ended, and counts as died too where that is seen first; one that was being started counts as a start.
    const starts = count('start')
    if (count('hung') + starts < hung || count('died') + starts < died) {
      const counted = `${count('hung')} hung, ${count('died')} died and ${starts} starts that failed`
      report.fault(`${file}: ${counted} are counted, want ${hung} and ${died}`)
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
