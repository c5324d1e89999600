/**
 * Makes `test/golden/stored-data`: a data directory written by the given build of the server, and its answers. Everything
 * is sent over the wire by a fleet that follows from a seed, at times that are fixed.
 *
 *   node --import tsx scripts/make-stored-data.ts DIST COMMIT
 *
 * DIST is the `dist` folder of a checkout of COMMIT, built by `npm run build:server`.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import type { App, startApp } from '../src/app.ts'
import { systemClock } from '../src/base/clock.ts'
import { planHistory, type DeliveryMode } from '../sim/history/plan-history.ts'
import { mergedShipments, shippingOf } from '../sim/history/shipments.ts'
import { createHistoryPlayer, type HistoryPlayer } from '../sim/history-player.ts'
import { FakeClock } from '../test/support/fake-clock.ts'
import { startHook } from '../test/support/hook-server.ts'
import { ANSWERS_FILE, answersOf, DATABASE_FILE, get, openStoredData } from '../test/support/stored-data.ts'
import { createByHand, END_MS, MINUTE_MS } from './stored-data-by-hand.ts'
import { requestsOf } from './stored-data-requests.ts'

const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Start of the planned histories, and of the data that is sent. */
const PLANNED_FROM_MS = Date.UTC(2026, 4, 20)
const FROM_MS = Date.UTC(2026, 5, 21)

/** Clusters of the simulated fleet and their state at the end. */
const CLUSTERS: readonly { readonly index: number; readonly mode: DeliveryMode; readonly is: string }[] = [
  { index: 897, mode: 'all', is: 'upgrading' },
  { index: 847, mode: 'objects', is: 'waiting for an approval' },
  { index: 641, mode: 'objects', is: 'stuck in OLM' },
  { index: 5, mode: 'all', is: 'edited, with spans of its operator' },
  { index: 20, mode: 'objects', is: 'after an upgrade that was rolled back' },
  { index: 39, mode: 'metrics', is: 'patched' },
]

interface Stage {
  readonly app: App
  readonly clock: FakeClock
  readonly token: string
}

const [dist = '', commit = ''] = process.argv.slice(2)
if (commit === '') throw new Error('want DIST and COMMIT')
const start = ((await import(pathToFileURL(resolve(dist, 'app.js')).href)) as { startApp: typeof startApp }).startApp
const data = mkdtempSync(join(tmpdir(), 'daytwo-stored-'))
const token = addToken('admin', 'ada')
addToken('viewer', 'sre')
addToken('ingest', 'prague', '--cluster', 'prague-prod-01')
const ids = await fill()
const files = readdirSync(data)
if (files.some((name) => name !== 'daytwo.db' && name !== 'daytwo.lock'))
  throw new Error(`more files: ${files.join(' ')}`)
writeFileSync(
  DATABASE_FILE,
  brotliCompressSync(readFileSync(join(data, 'daytwo.db')), { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } }),
)

const nowMs = END_MS + 30_000
const requests = requestsOf(ids)
const rounds = [await askCopy(), await askCopy()]
const answers = rounds[0]!
answers.forEach((answer, i) => {
  if (answer.status !== 200) console.log(`${answer.status} ${answer.request} ${JSON.stringify(answer.body)}`)
  if (JSON.stringify(answer) !== JSON.stringify(rounds[1]![i])) console.log(`not the same twice: ${answer.request}`)
})
const lines = answers.map((answer) => JSON.stringify(answer)).join(',\n')
writeFileSync(
  ANSWERS_FILE,
  `{ "commit": "${commit}", "nowMs": ${nowMs}, "token": "${token}", "answers": [\n${lines}\n] }\n`,
)
rmSync(data, { recursive: true })
console.log(`${requests.length} requests`)

/** Opens a copy, because opening a data directory writes to it. */
async function askCopy() {
  const copy = mkdtempSync(join(tmpdir(), 'daytwo-stored-'))
  cpSync(data, copy, { recursive: true })
  try {
    return await answersOf(start, copy, { nowMs, token }, requests)
  } finally {
    rmSync(copy, { recursive: true })
  }
}

function addToken(role: string, name: string, ...more: readonly string[]): string {
  const main = resolve(dist, 'main.js')
  const words = [main, 'token', 'add', '--data', data, '--role', role, '--name', name, ...more]
  return execFileSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}

async function fill() {
  const hook = await startHook()
  const routes = join(mkdtempSync(join(tmpdir(), 'daytwo-stored-')), 'notify.yaml')
  writeFileSync(
    routes,
    `route: { receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1m, repeat_interval: 4h }
receivers: [{ name: hook, webhook_configs: [{ url: '${hook.url}/hook' }] }]\n`,
  )
  const clock = new FakeClock(FROM_MS)
  const app = await openStoredData(start, data, clock, { 'notify.config': routes })
  const player = createHistoryPlayer({ url: app.url, token, clock: systemClock })
  try {
    const stage = { app, clock, token }
    const made = await play(stage, player)
    const counts = player.counts()
    for (const [kind, { taken, refused, lastRefusal }] of Object.entries(counts)) {
      console.log(`${kind}: ${taken} taken, ${refused} refused ${lastRefusal}`)
    }
    console.log(`${hook.got.length} notifications`)
    return made
  } finally {
    await player.close()
    await app.stop()
    await hook.stop()
  }
}

async function play(stage: Stage, player: HistoryPlayer) {
  const { app, clock } = stage
  const from = { samplesMs: FROM_MS, objectsMs: FROM_MS, spansMs: FROM_MS }
  const fleet = CLUSTERS.map(({ index, mode }) => {
    const history = historyOf(index, mode)
    return { history, shipping: shippingOf(history, { from, hasFailovers: false, togetherMs: DAY_MS }) }
  })
  const byHand = createByHand(app.url, stage.token)
  for (const momentMs of moments()) {
    clock.advance(momentMs - clock.nowMs())
    for (const { history, shipping } of fleet) await player.send(history, mergedShipments(shipping.until(momentMs)))
    await byHand.sendUntil(momentMs)
    await app.runCycle()
    if (momentMs === END_MS - 2 * HOUR_MS) await settle(stage)
  }
  while ((await waitingDerivations(stage)) > 0) {
    clock.set(clock.nowMs() + 1000)
    await app.runCycle()
  }
  return { ...byHand.ids, ...(await foundIds(stage)) }
}

function historyOf(index: number, mode: DeliveryMode) {
  const untilMs = PLANNED_FROM_MS + 60 * DAY_MS
  return planHistory({ seed: 'stored', index, mode, fromMs: PLANNED_FROM_MS, untilMs, stallShare: 0.5 })
}

/** Ids that the server derived from the telemetry. */
async function foundIds({ app, token: shown }: Stage) {
  const { body } = await get(app.url, shown, '/api/fleet/v1/upgrades?operator=kubevirt-hyperconverged')
  const { upgrades } = body as { readonly upgrades: readonly { id: string; cluster: string; state: string }[] }
  const idOf = (index: number, state: string): string => {
    const cluster = historyOf(index, 'all').profile.name
    return upgrades.find((one) => one.cluster === cluster && one.state === state)!.id
  }
  const found = await get(app.url, shown, '/api/traces?service=hyperconverged-cluster-operator&limit=1')
  const { data: traces } = found.body as { readonly data: readonly { readonly traceID: string }[] }
  return {
    open: idOf(897, 'in_progress'),
    stuck: idOf(641, 'in_progress'),
    ended: idOf(847, 'succeeded'),
    upgradeTrace: traces[0]!.traceID,
  }
}

/** When facts are derived and rules evaluated. Rising; the last one is the end. */
function moments(): readonly number[] {
  const found: number[] = []
  const add = (fromMs: number, untilMs: number, stepMs: number): void => {
    for (let atMs = fromMs; atMs < untilMs; atMs += stepMs) found.push(atMs)
  }
  add(FROM_MS + 6 * HOUR_MS, END_MS - 3 * HOUR_MS, 6 * HOUR_MS)
  add(END_MS - 3 * HOUR_MS, END_MS - HOUR_MS, 5 * MINUTE_MS)
  add(END_MS - HOUR_MS, END_MS + 1, MINUTE_MS)
  return found
}

/** Waits until everything that is old enough is flushed, rolled up and compacted. */
async function settle({ app, clock, token: shown }: Stage): Promise<void> {
  for (let round = 0; round < 250; round++) {
    clock.advance(1000)
    await new Promise((done) => setTimeout(done, 25))
    const { body } = await get(app.url, shown, '/metrics')
    const lines = (body as readonly string[]).filter((line) => /^daytwo_store_(rollup|compaction)_backlog/.test(line))
    if (round > 20 && lines.every((line) => line.endsWith(' 0'))) return
  }
  throw new Error('the store did not settle')
}

async function waitingDerivations({ app, token: shown }: Stage): Promise<number> {
  const { body } = await get(app.url, shown, '/api/fleet/v1/now')
  return (body as { readonly derivation: { readonly waiting: number } }).derivation.waiting
}
