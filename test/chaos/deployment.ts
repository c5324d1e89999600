import { randomOf, type Random } from '../../sim/random.ts'
import { messageOf } from '../../src/base/errors.ts'
import { tempDir } from '../support/temp-dir.ts'
import { startServer, withoutContent } from '../support/server.ts'
import { until } from '../support/until.ts'
import { DeploymentLife, missingForDeployment, PARTS, PROCESSES, type Part } from './deployment-life.ts'
import type { ChaosOptions } from './kills.ts'
import { START_WITHIN_MS } from './life.ts'
import { MixedLoad } from './mixed-load.ts'
import { Report } from './report.ts'
import type { Target } from './target.ts'
import { arrivals, Toggles, type Switch } from './toggles.ts'
import { deliver, HISTORIES, historyRequests, upgradeRecords, type HistoryRequest } from './upgrade-histories.ts'

/**
 * Three processes, PostgreSQL and VictoriaMetrics: each round kills one of the five under load, sometimes two, and starts it again.
 * Afterwards all that was acknowledged is there, every alert was notified once, and the upgrades are those of one process that was
 * never killed.
 */

/** VictoriaMetrics has no native histograms and no exemplars; the erasure of a cluster is that of one process. */
const NOT_SHARED = new Set(['otlp-1', 'erasures'])
const ROUNDS_PER_CHECK = 5
const DOWN_MS_MAX = 4000
const LOAD_MS_MAX = 4000
/** Also on a machine that does other things. */
const SETTLED_WITHIN_MS = 240_000
/** A notification whose sender was killed so soon after it may be sent again: nobody knows its answer. */
const IN_DOUBT_MS = 2000

interface Killed {
  readonly part: Part
  readonly atMs: number
  /** Since then it ran again. */
  backMs: number
}

export async function runDeployment({ rounds, seed, onProgress }: ChaosOptions): Promise<Report> {
  const report = new Report(onProgress)
  const missing = missingForDeployment()
  if (missing !== undefined) {
    report.fault(missing)
    return report
  }
  const life = new DeploymentLife()
  try {
    await life.begin()
    await new DeploymentRun(life, randomOf('deployment', seed), report, rounds, onProgress).run(rounds)
  } catch (thrown) {
    report.fault(String(thrown))
    for (const name of PROCESSES) onProgress(`${name}: ${life.outputOf(name)}`)
  } finally {
    await life.end()
  }
  report.figures.set('acknowledged', report.ackedCount)
  return report
}

class DeploymentRun {
  readonly #life: DeploymentLife
  readonly #random: Random
  readonly #report: Report
  readonly #say: (text: string) => void
  readonly #load = new MixedLoad(Date.now() - 3_600_000, baseMs(), (name) => !NOT_SHARED.has(name), true)
  readonly #toggles = new Toggles()
  readonly #switches: Switch[] = []
  readonly #killed: Killed[] = []
  readonly #takeoversMs: number[] = []
  readonly #requests: readonly HistoryRequest[]
  #delivered = 0
  #isOver = false

  constructor(life: DeploymentLife, random: Random, report: Report, rounds: number, say: (text: string) => void) {
    // Of a short run one cluster: what one process derives is known sooner.
    this.#requests = historyRequests(rounds < ROUNDS_PER_CHECK ? HISTORIES.slice(0, 1) : HISTORIES)
    this.#life = life
    this.#random = random
    this.#report = report
    this.#say = say
  }

  async run(rounds: number): Promise<void> {
    const target = this.#life.target(this.#random)
    await this.#load.prepare(target)
    const isOver = (): boolean => this.#isOver
    const running = Promise.all([this.#load.run(target, isOver, false), this.#toggles.run(target, isOver)])
    const failed = running.then(
      () => undefined,
      (thrown: unknown) => messageOf(thrown),
    )
    const expected = expectedUpgrades(this.#requests, this.#say)
    expected.catch(() => undefined)
    const histories = this.#deliver(target, rounds)
    histories.catch(() => undefined)
    try {
      await this.#rounds(rounds)
      await histories
    } finally {
      this.#isOver = true
    }
    const thrown = await failed
    if (thrown !== undefined) this.#report.fault(`a load ended: ${thrown}`)
    await this.#checkStored(target, rounds)
    await this.#checkUpgrades(target, await expected)
    this.#checkRepeats()
    this.#report.add(this.#load)
    this.#figures()
  }

  async #rounds(rounds: number): Promise<void> {
    for (let round = 1; round <= rounds; round++) {
      await this.#round(round)
      if (round % ROUNDS_PER_CHECK === 0 || round === rounds) await this.#checkSwitches(round)
    }
  }

  /** All histories, evenly over the rounds. */
  async #deliver(target: Target, rounds: number): Promise<void> {
    const pauseMs = (rounds * (DOWN_MS_MAX + LOAD_MS_MAX)) / 2 / this.#requests.length
    for (const request of this.#requests) {
      if (this.#isOver) return
      await deliver(target, request)
      this.#delivered++
      await pause(pauseMs)
    }
  }

  async #round(round: number): Promise<void> {
    for (let i = this.#random.int(0, 2); i > 0; i--) this.#switch(this.#toggles.on())
    if (this.#random.chance(0.5)) this.#switch(this.#toggles.off(this.#life.webhook))
    await pause(this.#random.next() * LOAD_MS_MAX)
    const victims = new Set([this.#random.pick(PARTS), ...(this.#random.chance(0.2) ? [this.#random.pick(PARTS)] : [])])
    for (const part of victims) {
      this.#killed.push({ part, atMs: Date.now(), backMs: Infinity })
      await this.#life.kill(part)
      this.#report.count(`killed ${part}`)
    }
    const [only] = victims
    const isProcess = victims.size === 1 && only !== 'postgres' && only !== 'victoria'
    if (isProcess) await this.#takeOver(only!)
    else await pause(this.#random.next() * DOWN_MS_MAX)
    // A process does not start without PostgreSQL.
    for (const part of ['postgres', 'victoria', ...PROCESSES] as const) if (victims.has(part)) await this.#start(part)
    this.#say(
      `round ${round}: ${[...victims].join(' and ')}; ${this.#load.ackedCount} acknowledged, ${this.#delivered} of ${this.#requests.length} histories`,
    )
  }

  async #start(part: Part): Promise<void> {
    await this.#life.start(part)
    for (const one of this.#killed) if (one.part === part) one.backMs = Math.min(one.backMs, Date.now())
  }

  /** Whether a process was killed before it could store that it had sent a notification: PostgreSQL may have been away. */
  #isInDoubt(sentMs: number): boolean {
    const away = this.#killed.filter(
      ({ part, atMs, backMs }) => part === 'postgres' && atMs <= sentMs + IN_DOUBT_MS && backMs >= sentMs,
    )
    const untilMs = Math.max(sentMs, ...away.map(({ backMs }) => backMs)) + IN_DOUBT_MS
    return this.#killed.some(({ atMs }) => atMs >= sentMs && atMs <= untilMs)
  }

  /** Until others own all that a killed process owned. */
  async #takeOver(killed: string): Promise<void> {
    const startedMs = performance.now()
    const owned = (await this.#life.leases()).filter(({ process }) => process === killed)
    if (owned.length === 0) return
    const nameOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind} ${name}`
    await until(
      'others to take over',
      async () => {
        const others = new Set((await this.#life.leases()).filter(({ process }) => process !== killed).map(nameOf))
        return owned.every((lease) => others.has(nameOf(lease))) ? true : undefined
      },
      60_000,
    ).then(
      () => this.#takeoversMs.push(performance.now() - startedMs),
      () => {
        this.#report.fault(`after a minute no process has the leases of ${killed}`)
      },
    )
  }

  #switch(one: Switch | undefined): void {
    if (one !== undefined) this.#switches.push(one)
  }

  async #checkSwitches(round: number): Promise<void> {
    const missing = (): readonly Switch[] => {
      return this.#switches.filter((one) => arrivals(this.#life.webhook, one).length === 0)
    }
    const isComplete = (): true | undefined => (missing().length === 0 ? true : undefined)
    await until('all notifications', isComplete, SETTLED_WITHIN_MS).catch(() => undefined)
    for (const { number, status } of missing()) {
      this.#report.fault(`round ${round}: lost: the notification that alert ${number} is ${status}`)
    }
  }

  /** Until nothing is missing: forwarding and shipping go on. */
  async #checkStored(target: Target, round: number): Promise<void> {
    let faults: ReadonlyMap<string, readonly string[]> = new Map()
    await until(
      'all that was acknowledged',
      async () => {
        faults = await this.#load.faults(target)
        return [...faults.values()].every((list) => list.length === 0) ? true : undefined
      },
      SETTLED_WITHIN_MS,
    ).catch(() => undefined)
    this.#report.check(`after ${round} rounds`, faults)
  }

  async #checkUpgrades(target: Target, expected: ReadonlyMap<string, string>): Promise<void> {
    this.#report.figures.set('upgrades', expected.size)
    if (expected.size === 0) this.#report.fault('without kills no upgrade is derived: nothing is compared')
    let got: ReadonlyMap<string, string> = new Map()
    await until(
      'the upgrades',
      async () => {
        got = await upgradeRecords(target)
        return got.size === expected.size && [...expected].every(([id, record]) => got.get(id) === record)
          ? true
          : undefined
      },
      SETTLED_WITHIN_MS,
    ).catch(() => undefined)
    for (const id of new Set([...expected.keys(), ...got.keys()])) {
      if (expected.get(id) === got.get(id)) continue
      this.#report.fault(`upgrade ${id}: ${difference(got.get(id) ?? 'none', expected.get(id) ?? 'none')}`)
    }
  }

  #checkRepeats(): void {
    const toggled = this.#life.webhook.messages.filter(({ body }) => body.commonLabels['alertname'] === 'Toggled')
    const events = [
      ...toggled.map(({ atMs, body: { commonLabels, status } }) => ({
        atMs,
        text: `${commonLabels['number']} ${status}`,
      })),
      ...this.#killed.map(({ part, atMs }) => ({ atMs, text: `kill of ${part}` })),
    ].sort((one, other) => one.atMs - other.atMs)
    let hasRepeats = false
    for (const one of this.#switches) {
      const [first, ...more] = arrivals(this.#life.webhook, one)
      if (more.length === 0) continue
      if (more.length === 1 && this.#isInDoubt(first!)) {
        this.#report.count('sent again, because a part was killed before the answer was stored')
        continue
      }
      hasRepeats = true
      const later = more.map((ms) => ms - first!).join(', ')
      this.#report.fault(`${more.length + 1} times: alert ${one.number} is ${one.status}, ${later} ms later`)
    }
    if (hasRepeats) {
      this.#say(events.map(({ atMs, text }) => `${new Date(atMs).toISOString().slice(14, 23)} ${text}`).join('; '))
    }
    this.#report.figures.set('notifications', this.#switches.length)
  }

  #figures(): void {
    const sorted = [...this.#takeoversMs].sort((a, b) => a - b)
    const at = (share: number): string =>
      `${((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN) / 1000).toFixed(1)} s`
    if (sorted.length > 0) this.#report.figures.set('takeover p50, p99', `${at(0.5)}, ${at(0.99)} of ${sorted.length}`)
  }
}

/** What one process derives that received everything. */
async function expectedUpgrades(
  requests: readonly HistoryRequest[],
  say: (text: string) => void,
): Promise<ReadonlyMap<string, string>> {
  const folder = tempDir('deployment-alone')
  const args = [
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--data',
    folder.path,
    '--retention.raw',
    '100y',
    '--no-own-metrics',
  ]
  const server = await startServer([...args, ...withoutContent()], {}, START_WITHIN_MS)
  try {
    const target = { url: server.url, dataPath: folder.path, token: '', environment: {}, position: () => 0 }
    for (const request of requests) await deliver(target, request)
    // Equal for a while: nothing is pending.
    let [last, sinceMs] = ['', performance.now()]
    await until(
      'the upgrades of one process',
      async () => {
        const text = JSON.stringify([...(await upgradeRecords(target))])
        if (text !== last) [last, sinceMs] = [text, performance.now()]
        return performance.now() - sinceMs > 60_000 ? true : undefined
      },
      SETTLED_WITHIN_MS,
    )
    say('the upgrades of one process are known')
    return await upgradeRecords(target)
  } finally {
    await server.kill()
    folder.remove()
  }
}

function difference(got: string, want: string): string {
  let at = 0
  while (at < got.length && got[at] === want[at]) at++
  return `got ${got.slice(Math.max(0, at - 60), at + 100)}, want ${want.slice(Math.max(0, at - 60), at + 100)}`
}

/** Of samples at old times: they do not meet those of now. */
const baseMs = (): number => Math.floor(Date.now() / 1000) * 1000 - 30 * 86_400_000
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
