/**
 * A small fleet of two teams on the server as it ships: upgrades, edits, samples, traces, log records, alerts, silences and
 * everything else that a route can show, of clusters of team A and of team B. The same can be played without team B.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App, startApp } from '../../src/app.ts'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { parseSelectors } from '../../src/model/cluster-scope.ts'
import type { Role } from '../../src/model/token.ts'
import { hashToken } from '../../src/runtime/token-index.ts'
import { planHistory, type DeliveryMode } from '../../sim/history/plan-history.ts'
import { mergedShipments, shippingOf } from '../../sim/history/shipments.ts'
import { createHistoryPlayer } from '../../sim/history-player.ts'
import { FakeClock } from './fake-clock.ts'
import { startHook } from './hook-server.ts'
import { openFactsInMode } from './mode.ts'
import { postWrite, writeBody, type SentSeries } from './remote-write.ts'
import { NO_CONTENT } from './server.ts'
import { tempDir } from './temp-dir.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const PLANNED_FROM_MS = Date.UTC(2026, 4, 20)
/** In the middle of an upgrade of a cluster of each team. */
export const END_MS = Date.UTC(2026, 6, 16, 7, 25)
const FROM_MS = END_MS - 30 * HOUR_MS

export type Team = 'a' | 'b'

const FLEET: readonly { readonly team: Team; readonly index: number; readonly mode: DeliveryMode }[] = [
  { team: 'a', index: 897, mode: 'all' },
  { team: 'a', index: 39, mode: 'metrics' },
  { team: 'b', index: 641, mode: 'objects' },
  { team: 'b', index: 5, mode: 'all' },
]

const HISTORIES = FLEET.map(({ team, index, mode }) => {
  const untilMs = PLANNED_FROM_MS + 60 * DAY_MS
  const plan = { seed: 'stored', index, mode, fromMs: PLANNED_FROM_MS, untilMs, stallShare: 0.5 }
  return { team, history: planHistory(plan) }
})

/** Names of the clusters of a team: of the simulated fleet, and two that are sent by hand. */
export function clustersOf(team: Team): readonly string[] {
  const simulated = HISTORIES.filter((one) => one.team === team).map(({ history }) => history.profile.name)
  return [...simulated, `${team}-shop`, `${team}-gone`]
}

/** What a response about other clusters never contains: names, ids, and words of everything that is sent by hand. */
export function wordsOf(team: Team): readonly string[] {
  const ids = HISTORIES.filter((one) => one.team === team).map(({ history }) => history.profile.id)
  return [...clustersOf(team), ...ids, `only-${team}`, `team-${team}`]
}

export const TOKENS = ['viewer', 'responder', 'admin'] as const satisfies readonly Role[]
/** `all`: no scope; `a`: the clusters of team A; `empty`: clusters that do not exist. */
export const SCOPES = ['all', 'a', 'empty'] as const
export type ScopeName = (typeof SCOPES)[number]

export function tokenOf(role: Role, scope: ScopeName): string {
  return `${role}-${scope}`
}

const SELECTORS: Readonly<Record<ScopeName, string | undefined>> = {
  all: undefined,
  a: clustersOf('a')
    .map((cluster) => `cluster=${cluster}`)
    .join(','),
  empty: 'cluster=nothing-*',
}

export interface TeamIds {
  readonly silence: string
  /** Of the alert of rules, of `{team}-shop`. */
  readonly fingerprint: string
  readonly decommission: string
  readonly traceId: string
}

export interface ScopedServer {
  readonly app: App
  readonly clock: FakeClock
  readonly ids: Readonly<Partial<Record<Team, TeamIds>>>
  /** Set by hand without a cluster: it is of no team. */
  readonly openSilence: string
  stop(): Promise<void>
}

/** Rules and a runbook, for all servers: when a rule is evaluated follows from the path of its file. */
export function writeContent(folder: string): void {
  const [rules, runbooks] = [join(folder, 'rules'), join(folder, 'runbooks')]
  mkdirSync(rules)
  mkdirSync(runbooks)
  writeFileSync(join(rules, 'shop.yaml'), RULES)
  writeFileSync(join(runbooks, 'ShopLoadHigh.md'), PAGE)
}

/** Plays the fleet of some teams into a server of its own. @param content a folder of `writeContent` */
export async function playScopedFleet(
  start: typeof startApp,
  teams: readonly Team[],
  content: string,
): Promise<ScopedServer> {
  const folder = tempDir(`scopes-${teams.join('')}`)
  const data = join(folder.path, 'data')
  const hook = await startHook()
  await addTokens(data)
  const clock = new FakeClock(FROM_MS)
  const app = await start({ config: configOf(folder.path, content, hook.url), clock, log: silentLog, isDemo: false })
  const send = senderTo(app.url)
  const player = createHistoryPlayer({ url: app.url, token: tokenOf('admin', 'all'), clock: systemClock })
  const stop = async (): Promise<void> => {
    await app.stop()
    await hook.stop()
    folder.remove()
  }
  try {
    const from = { samplesMs: FROM_MS, objectsMs: FROM_MS, spansMs: FROM_MS }
    const fleet = HISTORIES.filter(({ team }) => teams.includes(team)).map(({ history }) => {
      return { history, shipping: shippingOf(history, { from, hasFailovers: false, togetherMs: DAY_MS }) }
    })
    for (const momentMs of moments()) {
      clock.advance(momentMs - clock.nowMs())
      for (const { history, shipping } of fleet) await player.send(history, mergedShipments(shipping.until(momentMs)))
      for (const team of teams) await sendTeam(app.url, send, team, momentMs)
      await app.runCycle()
    }
    // After the cycle, not at its moment: days are counted again for what is declared later.
    clock.set(clock.nowMs() + 1000)
    const ids: Partial<Record<Team, TeamIds>> = {}
    for (const team of teams) ids[team] = await actOn(send, team)
    const { id: openSilence } = (await send('POST', '/api/fleet/v1/silences', {
      ...{ matchers: [{ name: 'alertname', op: '=', value: 'Elsewhere' }], endsAtMs: END_MS + HOUR_MS },
      comment: 'of the whole fleet',
    })) as { readonly id: string }
    // Decommissions are derived, notifications sent, and the history of alerts is stored.
    for (let cycle = 0; cycle < 4; cycle++) {
      clock.advance(MINUTE_MS)
      for (const team of teams) await sendTeam(app.url, send, team, clock.nowMs())
      await app.runCycle()
    }
    while ((await app.deriveFacts()).waiting > 0) clock.set(clock.nowMs() + 1000)
    return { app, clock, ids, openSilence, stop }
  } catch (thrown) {
    await stop()
    throw thrown
  } finally {
    await player.close()
  }
}

async function addTokens(data: string): Promise<void> {
  const facts = await openFactsInMode(data)
  for (const role of TOKENS) {
    for (const scope of SCOPES) {
      const text = SELECTORS[scope]
      const clusters = text === undefined ? undefined : parseSelectors(text)!
      const name = tokenOf(role, scope)
      const record = { role, name, hash: hashToken(name), createdAtMs: 0, ...(clusters && { clusters }) }
      await facts.tokens.add(record, { atMs: 0, by: 'test', action: 'token.add', detail: '{}' })
    }
  }
  await facts.close()
}

const RULES = `groups:
- name: shop
  rules:
  - alert: ShopLoadHigh
    expr: shop_load > 0.9
    labels: { severity: critical }
    annotations: { summary: 'Load of {{ $labels.cluster }}' }
  - alert: ShopBusy
    expr: shop_load > 0.8
    labels: { severity: warning }
  - alert: FleetLoadHigh
    expr: sum(shop_load) > 1.5
    labels: { severity: warning }
    annotations: { summary: 'Of the whole fleet: {{ $value }}' }
  - record: cluster:shop_load:avg
    expr: avg by (cluster) (shop_load)
  - record: shop_load:sum
    expr: sum(shop_load)
`

const PAGE = `# ShopLoadHigh

## Meaning

Load.

## Impact

None.

## Diagnosis

\`\`\`promql live
shop_load{cluster="{{cluster}}"}
\`\`\`

## Mitigation

Wait.
`

function configOf(folder: string, content: string, hook: string): ReturnType<typeof readConfig> {
  const [rules, runbooks, notify] = [join(content, 'rules'), join(content, 'runbooks'), join(folder, 'notify.yaml')]
  writeFileSync(
    notify,
    `route:
  receiver: rest
  group_by: [cluster]
  group_wait: 0s
  group_interval: 1m
  routes:
  - receiver: team-b
    matchers: ['cluster=~"${clustersOf('b').join('|')}"']
receivers:
- name: rest
  webhook_configs: [{ url: '${hook}/rest' }]
- name: team-b
  webhook_configs: [{ url: '${hook}/team-b' }]
`,
  )
  const options = {
    ...{ listen: '127.0.0.1:0', data: join(folder, 'data'), rules, runbooks, dashboards: NO_CONTENT },
    ...{ 'own-metrics': 'false', 'content.watch': 'false', 'log.level': 'silent', 'notify.config': notify },
    'auth.roles': 'team-b=viewer@cluster=b-*',
  }
  return readConfig(new Map(Object.entries(options)), undefined, {})
}

type Send = (method: string, path: string, body?: unknown) => Promise<unknown>

function senderTo(url: string): Send {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${tokenOf('admin', 'all')}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }
}

/** When facts are derived and rules evaluated. */
function moments(): readonly number[] {
  const before = [24, 12, 2, 1].map((hours) => END_MS - hours * HOUR_MS)
  return [...before, ...[5, 4, 3, 2, 1, 0].map((minutes) => END_MS - minutes * MINUTE_MS)]
}

const traceIdOf = (team: Team): string => (team === 'a' ? 'a' : 'b').repeat(32)
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

async function sendTeam(url: string, send: Send, team: Team, timeMs: number): Promise<void> {
  const clusters = [`${team}-shop`, ...(timeMs < END_MS - HOUR_MS ? [`${team}-gone`] : [])]
  const series = clusters.flatMap((cluster): SentSeries[] => {
    const common = { cluster, job: `only-${team}`, instance: `only-${team}-${cluster}:9100` }
    const sample = (value: number) => [{ timeMs, value }]
    return [
      { labels: { ...common, __name__: 'up' }, samples: sample(1) },
      { labels: { ...common, __name__: 'shop_load', region: `only-${team}` }, samples: sample(0.95) },
      { labels: { ...common, __name__: `shop_only_${team}_total` }, samples: sample(timeMs / MINUTE_MS) },
      { labels: { ...common, __name__: 'kubevirt_hco_system_health_status' }, samples: sample(0) },
    ]
  })
  const response = await postWrite(url, writeBody(series), { authorization: `Bearer ${tokenOf('admin', 'all')}` })
  if (!response.ok) throw new Error(`write: ${response.status} ${await response.text()}`)
  const resource = { attributes: [text('service.name', `only-${team}`), text('k8s.cluster.name', `${team}-shop`)] }
  const record = {
    ...{ timeUnixNano: `${timeMs}000000`, severityNumber: 17, body: { stringValue: `only-${team} is slow` } },
    traceId: traceIdOf(team),
  }
  await send('POST', '/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] })
  if (timeMs !== END_MS) return
  const span = (spanId: string, parentSpanId?: string) => ({
    ...{ traceId: traceIdOf(team), spanId, name: `only-${team}`, kind: 2, attributes: [text('of', `only-${team}`)] },
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    ...{ startTimeUnixNano: `${timeMs - 1000}000000`, endTimeUnixNano: `${timeMs}000000` },
  })
  const bank = { attributes: [text('service.name', `only-${team}-bank`), text('k8s.cluster.name', `${team}-shop`)] }
  const root = team === 'a' ? 'a'.repeat(16) : 'b'.repeat(16)
  await send('POST', '/v1/traces', {
    resourceSpans: [
      { resource, scopeSpans: [{ spans: [span(root)] }] },
      { resource: bank, scopeSpans: [{ spans: [span(`${root.slice(1)}1`, root)] }] },
    ],
  })
  const startsAt = new Date(timeMs).toISOString()
  const labels = { alertname: 'NodeDown', cluster: `${team}-shop`, node: `only-${team}` }
  await send('POST', '/api/v2/alerts', [{ labels, startsAt, endsAt: new Date(timeMs + DAY_MS).toISOString() }])
}

/** What people do: a silence, an acknowledgement, and a decommission. */
async function actOn(send: Send, team: Team): Promise<TeamIds> {
  const matchers = [
    { name: 'alertname', op: '=', value: 'NodeDown' },
    { name: 'cluster', op: '=', value: `${team}-shop` },
  ]
  const body = { matchers, endsAtMs: END_MS + HOUR_MS, comment: `only-${team} is known` }
  const silence = (await send('POST', '/api/fleet/v1/silences', body)) as { readonly id: string }
  const { alerts } = (await send('GET', '/api/fleet/v1/alerts')) as {
    readonly alerts: readonly { readonly alertname: string; readonly cluster: string; readonly fingerprint: string }[]
  }
  const { fingerprint } = alerts.find(
    ({ alertname, cluster }) => alertname === 'ShopLoadHigh' && cluster === `${team}-shop`,
  )!
  await send('POST', `/api/fleet/v1/alerts/${fingerprint}/acknowledge`, { note: `only-${team}: on it`, by: 'ada' })
  const gone = { clusters: [`${team}-gone`], reason: `only-${team} closed`, by: 'ada' }
  const { decommissions } = (await send('POST', '/api/fleet/v1/decommissions', gone)) as {
    readonly decommissions: readonly { readonly id: string }[]
  }
  return { silence: silence.id, fingerprint, decommission: decommissions[0]!.id, traceId: traceIdOf(team) }
}
