import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { PROJECT_ROOT } from '../../src/config/project-root.ts'
import type { RolloutAnswer } from '../../src/contract/fleet-rollouts.ts'
import { pastOfPlan } from '../../sim/history/past-of-plan.ts'
import { createRecordsSender } from '../../sim/records-sender.ts'
import { createPlan } from '../../sim/scenario.ts'
import { createCollector, type SimCollector } from '../../sim/sim-collector.ts'
import { pastOptions } from '../../sim/simulate.ts'
import { builtApp } from '../support/built-app.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { startHook, type HookServer } from '../support/hook-server.ts'
import { NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The server as it ships, its own rules, a real receiver: clusters upgrade, a verdict changes, and whoever is to be told is told.

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const NOW_MS = Date.UTC(2026, 10, 21, 12)
const VERSION = '1.17.3'
/** One signal, so that evidence of 1 in 0.05 is enough, over all clusters. */
const ONLY_FAILURES =
  'strata: []\nsignals: { failures_concurrent: false, duration: false, alerts: false, modifications: false }\n'

const folder = tempDir('verdicts')
const policy = join(folder.path, 'verdicts.yaml')
let clock: FakeClock
let hook: HookServer
let app: App
/** Whose upgrade to the version failed, and those that upgraded to another one. */
let failing: readonly SimCollector[]
let others: readonly SimCollector[]

beforeAll(async () => {
  const { startApp } = await builtApp()
  clock = new FakeClock(NOW_MS)
  hook = await startHook()
  writeFileSync(policy, ONLY_FAILURES)
  app = await startApp({ config: configOf(hook.url), clock, log: silentLog, isDemo: false })
  ;[failing, others] = fleet()
}, 300_000)
afterAll(async () => {
  await app.stop()
  await hook.stop()
  folder.remove()
})

function configOf(url: string): ReturnType<typeof readConfig> {
  const [rules, notify] = [join(folder.path, 'rules'), join(folder.path, 'notify.yaml')]
  mkdirSync(rules)
  cpSync(join(PROJECT_ROOT, 'alert-rules/daytwo-upgrades.yaml'), join(rules, 'daytwo-upgrades.yaml'))
  writeFileSync(
    notify,
    `route:
  receiver: nobody
  routes:
  - matchers: [alertname="DaytwoRolloutVerdictChanged", version="${VERSION}"]
    receiver: pipeline
    group_by: [operator, version, verdict]
    group_wait: 0s
    group_interval: 1m
receivers:
- name: nobody
- name: pipeline
  webhook_configs: [{ url: '${url}/hooks/rollout', send_resolved: false }]
`,
  )
  const options = {
    ...{ listen: '127.0.0.1:0', data: join(folder.path, 'data'), rules, runbooks: NO_CONTENT, dashboards: NO_CONTENT },
    ...{ 'own-metrics': 'false', 'content.watch': 'false', 'log.level': 'silent' },
    ...{ 'notify.config': notify, 'verdict.policy': policy, 'external.url': 'https://daytwo.example' },
  }
  return readConfig(new Map(Object.entries(options)), undefined, {})
}

function fleet(): readonly [SimCollector[], SimCollector[]] {
  const startMs = NOW_MS - 60 * MINUTE_MS
  const options = pastOptions(100 * DAY_MS, startMs, NOW_MS)!
  const [failed, good]: [SimCollector[], SimCollector[]] = [[], []]
  for (let index = 0; index < 200; index++) {
    const plan = createPlan({ seed: 'daytwo', index, role: 'healthy', startMs, presentMs: NOW_MS, scrapeMs: 30_000 })
    const past = pastOfPlan(plan, options)
    const last = past.upgrades.at(-1)
    const collector = (): SimCollector => createCollector({ ...plan, upgrades: [] }, NOW_MS, past)
    if (last?.to.hco === VERSION && last.outcome === 'rolled_back') failed.push(collector())
    else if (
      past.upgrades.length > 0 &&
      past.upgrades.every(({ to, outcome }) => to.hco !== VERSION && outcome === 'succeeded')
    )
      good.push(collector())
  }
  return [failed, good]
}

/** What their Collectors saw until now; derived when it ends. */
async function send(collectors: readonly SimCollector[]): Promise<void> {
  const records = createRecordsSender({ url: app.url, clock: systemClock })
  for (const collector of collectors)
    await records.send(collector.plan.profile, collector.recordsBetween(collector.sinceMs, NOW_MS))
  records.close()
  while ((await app.deriveFacts()).waiting > 0) clock.set(clock.nowMs() + 1000)
}

async function minutes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    clock.advance(MINUTE_MS)
    await app.runCycle()
  }
}

async function rollout(): Promise<RolloutAnswer['rollout']> {
  const answer = await fetch(`${app.url}/api/fleet/v1/rollouts/${VERSION}`)
  expect(answer.status).toBe(200)
  return ((await answer.json()) as RolloutAnswer).rollout
}

interface Message {
  readonly alerts: readonly {
    readonly status: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
  }[]
}

/** Each verdict that the receiver was told, once. */
function told(): readonly (readonly (string | undefined)[])[] {
  const all = hook.got.flatMap(({ body }) => (JSON.parse(body) as Message).alerts)
  const texts = all.map(({ labels, annotations }) =>
    JSON.stringify([labels['version'], annotations['previous_verdict'], labels['verdict'], annotations['rollout_url']]),
  )
  return [...new Set(texts)].map((text) => JSON.parse(text) as (string | undefined)[])
}

/** Deriving and delivering take real time, which the clock does not wait for: minutes go by until they are done. */
async function expectTold(...expected: readonly ReturnType<typeof told>[number][]): Promise<void> {
  await until('the verdicts that the receiver is told', async () => {
    if (told().length >= expected.length) return true
    await minutes(1)
    return undefined
  })
  expect(told()).toEqual(expected)
}

const PAGE = `https://daytwo.example/fleet/rollouts/${VERSION}?operator=kubevirt-hyperconverged`

test(
  'the first verdict, and a change of it, reach the receiver with version, both verdicts and the page',
  { timeout: 300_000 },
  async () => {
    await send([...others, failing[0]!])
    await minutes(4)
    expect(await rollout()).toMatchObject({ decision: 'insufficient', canary: { count: 1, of: 1 } })
    await expectTold([VERSION, 'none', 'insufficient', PAGE])

    await minutes(10)
    await send(failing.slice(1))
    await minutes(6)
    expect(await rollout()).toMatchObject({ decision: 'hold', reason: 'Worse: failures.' })
    await expectTold([VERSION, 'none', 'insufficient', PAGE], [VERSION, 'insufficient', 'hold', PAGE])
    expect(hook.got.at(-1)).toMatchObject({ method: 'POST', path: '/hooks/rollout' })
  },
)

test(
  'a changed policy changes the verdict at the next reload, and the receiver is told',
  { timeout: 300_000 },
  async () => {
    const reload = (): Promise<Response> => fetch(`${app.url}/-/reload`, { method: 'POST' })
    await minutes(10)
    writeFileSync(policy, `${ONLY_FAILURES}hold: { failure_difference_min: 0.99 }\n`)
    expect((await rollout()).decision).toBe('hold')
    expect((await reload()).status).toBe(200)
    expect(await rollout()).toMatchObject({ decision: 'insufficient', reason: null })
    await minutes(6)
    await expectTold(
      [VERSION, 'none', 'insufficient', PAGE],
      [VERSION, 'insufficient', 'hold', PAGE],
      [VERSION, 'hold', 'insufficient', PAGE],
    )

    writeFileSync(policy, `${ONLY_FAILURES}hold: { failure_difference_min: 7 }\n`)
    const refused = await reload()
    expect(refused.status).toBe(500)
    expect(await refused.text()).toContain(
      `cannot use the policy of verdicts in ${policy}: hold.failure_difference_min: got 7, want a number from 0 to 1`,
    )
    expect((await rollout()).decision).toBe('insufficient')

    writeFileSync(policy, ONLY_FAILURES)
    await app.reload('signal')
    expect((await rollout()).decision).toBe('hold')
  },
)
