import { readdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GateItems } from '../../src/contract/fleet-gates.ts'
import type { ModificationItems } from '../../src/contract/fleet-modifications.ts'
import type { Now } from '../../src/contract/now.ts'
import { tourSteps } from '../../src/web/lib/tour.ts'
import { EXAMPLE_QUERIES } from '../../src/web/lib/promql/own-queries.ts'
import { launchBrowser } from '../support/browser.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The pages on the real server with the simulated fleet: what the fixtures of test/web say is what the server says.

const CLUSTERS = 52
/** No test is about how long something takes, and beside two other files this is slow at times. */
const PATIENCE_MS = 90_000

const temp = tempDir('demo')
let server: RunningServer
let browser: Browser
let tab: Page | undefined

beforeAll(async () => {
  const args = ['demo', '--listen', '127.0.0.1:0', '--clusters', String(CLUSTERS)]
  server = await startServer(args, { TMPDIR: temp.path })
  browser = await launchBrowser()
  await until('the history of the fleet', () => (server.output().includes('Open ') ? true : undefined), 110_000)
}, 120_000)
afterAll(async () => {
  await browser.close()
  await server.stop()
  temp.remove()
})

interface Watched {
  readonly page: Page
  readonly faults: readonly string[]
}

/**
 * One page after the other in one tab, which has the program compiled. It notes console errors, failed answers and requests
 * that leave the server.
 */
async function open(path: string): Promise<Watched> {
  if (tab === undefined) {
    tab = await browser.newPage()
    // The tour lies over the page, and has tests of its own.
    await tab.addInitScript({ content: `localStorage.setItem('daytwo.tour', '{"isDismissed":true}')` })
  }
  const page = tab
  page.removeAllListeners()
  page.setDefaultTimeout(PATIENCE_MS)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) faults.push(`another origin: ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(`${server.url}${path}`)
  return { page, faults }
}

async function api<T>(path: string): Promise<T> {
  return (await (await fetch(`${server.url}${path}`)).json()) as T
}

test('Now says what the server says, and that the fleet is simulated', async () => {
  const { page, faults } = await open('/')
  await page.getByText('Demo: simulated fleet').waitFor()
  const now = await api<{
    clusters: { total: number; reporting: number }
    stuck: { count: number; items: { cluster: string }[] }
    silent: { count: number }
    firing: { critical: number; warning: number }
  }>('/api/fleet/v1/now')
  expect(now.clusters.total).toBe(CLUSTERS)
  expect(Math.min(now.stuck.count, now.silent.count, now.firing.critical, now.firing.warning)).toBeGreaterThan(0)
  await page.getByText(`${now.clusters.reporting} of ${CLUSTERS} clusters reporting`).waitFor()
  for (const { cluster } of now.stuck.items) {
    await page.getByRole('table', { name: 'Stuck upgrades' }).getByRole('link', { name: cluster }).waitFor()
  }
  expect(faults).toEqual([])
})

test('the main cases of a fleet are found through the API', async () => {
  const now = await api<Now>('/api/fleet/v1/now')
  const causes = now.stuck.items.map(({ cause }) => cause?.cause)
  expect(causes).toContain('unknown')
  expect(causes.filter((cause) => cause !== undefined && cause !== 'unknown').length).toBeGreaterThan(0)
  expect(now.silent.count).toBeGreaterThan(0)
  expect(now.following.machines).toBeGreaterThan(0)
  expect(now.firing.groups.map(({ alertname }) => alertname)).toContain('UnsupportedHCOModification')
  const modifications = async (search: string) =>
    (await api<ModificationItems>(`/api/fleet/v1/modifications?${search}&limit=1000`)).modifications
  const edits = await modifications('kind=out_of_band&component=kubevirt')
  expect(Math.max(...edits.map(({ count }) => count))).toBeGreaterThan(20)
  const patches = await modifications('kind=jsonpatch&open=true')
  const paths = new Set(patches.flatMap(({ operations }) => (operations ?? []).map(({ path }) => path)))
  expect(paths.size).toBeGreaterThan(3)
  const { gates } = await api<GateItems>('/api/fleet/v1/gates')
  expect(gates.filter(({ on, off }) => on > 0 && off > 0).length).toBeGreaterThan(4)
  const skew = await until('the derived series', async () => {
    const found = await server.query('daytwo_version_skew < -1')
    return found.length === 0 ? undefined : found
  })
  expect(skew).toHaveLength(1)
  // A regressing path needs more clusters: test/sim/history/past-of-plan.test.ts has it.
  const keys = tourSteps(now, edits, []).map(({ key }) => key)
  expect(keys).toEqual(expect.arrayContaining(['known', 'fight', 'unsafe', 'unknown', 'workloads']))
})

// That the cells of every page that fires are answered is held without a browser, in content/rules-on-fleet.
test('Adoption shows the months that objects told of', async () => {
  const { page, faults } = await open('/adoption')
  await page.getByText(/First installed \d+ days earlier/).waitFor()
  await page.getByRole('button', { name: 'All', exact: true }).click()
  const table = page.getByRole('table', { name: 'How fast versions spread' })
  expect(await table.getByRole('row').count()).toBeGreaterThan(4)
  expect(faults).toEqual([])
})

test('an alert of each component opens with a runbook whose queries run', { timeout: 120_000 }, async () => {
  const { alerts } = await api<{
    alerts: { fingerprint: string; alertname: string; labels: Record<string, string> }[]
  }>('/api/fleet/v1/alerts')
  const component = 'kubernetes_operator_component'
  const oneOfEach = [...new Map(alerts.map((alert) => [alert.labels[component], alert])).values()]
  expect(oneOfEach.length).toBeGreaterThan(3)
  for (const { fingerprint, alertname } of oneOfEach) {
    const { page, faults } = await open(`/alerts/${fingerprint}`)
    await page.getByRole('article', { name: alertname }).waitFor()
    const runbook = page.getByRole('region', { name: 'Runbook' })
    await runbook.getByRole('heading', { name: 'Mitigation', exact: true }).waitFor()
    const cells = runbook.getByRole('group', { name: 'Answer' })
    for (let i = 0; i < (await cells.count()); i++)
      await cells
        .nth(i)
        .getByText(/^queried /)
        .waitFor()
    expect(await runbook.innerText()).not.toMatch(/\{\{\s*\w+\s*\}\}/)
    expect(faults, alertname).toEqual([])
  }
})

test('an alert is acknowledged and silenced by keys, and the server keeps both', { timeout: 120_000 }, async () => {
  const { alerts } = await api<{ alerts: { fingerprint: string; state: string; activeAtMs: number }[] }>(
    '/api/fleet/v1/alerts',
  )
  // Of what began long ago it is least likely that it ends meanwhile: the fleet goes on.
  const firing = alerts.filter(({ state }) => state === 'firing').sort((a, b) => a.activeAtMs - b.activeAtMs)
  const path = `/alerts/${firing[0]!.fingerprint}`
  const { page, faults } = await open(path)
  const article = page.getByRole('article')
  await article.getByRole('button', { name: 'Acknowledge' }).waitFor()
  await page.keyboard.press('a')
  await page.keyboard.type('looking at it')
  await page.keyboard.press('Enter')
  await article.getByText(/Acknowledged by .*: “looking at it”/).waitFor()
  // The answer may be here before the form has gone, and letters go into a form that is there.
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('s')
  const suppresses = page.getByRole('dialog').getByText(/^Suppresses /)
  await suppresses.waitFor()
  expect(await suppresses.innerText()).toMatch(/^Suppresses [1-9]\d* alerts? now/)
  await page.keyboard.type('planned work')
  await page.keyboard.press('Enter')
  await article.getByText('1 silence suppresses its notifications').waitFor()
  await article.getByRole('link', { name: 'Show the silence' }).click()
  const card = page.getByRole('listitem').filter({ hasText: 'planned work' })
  await card.getByText(/Suppresses [1-9]\d* alerts? now/).waitFor()
  await card.getByRole('button', { name: 'Expire now' }).click()
  await page.getByText('Silence expired: its alerts notify again').waitFor()
  await page.goto(`${server.url}${path}`)
  await article.getByRole('button', { name: 'Remove acknowledgement' }).click()
  await article.getByRole('button', { name: 'Acknowledge' }).waitFor()
  expect(faults).toEqual([])
})

test('a rule is tested and replayed over what is stored', { timeout: 240_000 }, async () => {
  const { page, faults } = await open('/alerts/rules')
  await page.getByRole('table', { name: 'Rules' }).getByRole('link', { name: 'KubeVirtCRModified' }).click()
  await page.getByRole('button', { name: 'Run tests' }).click()
  await page.getByText('All pass').waitFor({ timeout: 90_000 })
  const editor = page.getByRole('textbox', { name: /^The rule/ })
  await editor.fill('alert: KubeVirtCRModified\nexpr: vector(0) > 1\n')
  await page.getByRole('button', { name: 'Replay both' }).click()
  const table = page.getByRole('table', { name: 'Current and edited rule' })
  await table.waitFor({ timeout: 120_000 })
  const [, present, edited] = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()
  expect(Number(present)).toBeGreaterThan(0)
  expect(edited).toBe('0')
  expect(faults).toEqual([])
})

test.each([
  ['/alerts/resolved?runs=all', /\d occurrences?[.;]/],
  ['/alerts/delivery', 'pager'],
  ['/alerts/lint', /alerts, \d+ runbooks and \d+ dashboards? checked by/],
])('%s answers from the server', { timeout: 120_000 }, async (path, says) => {
  const { page, faults } = await open(path)
  await page.getByText(says).first().waitFor({ timeout: 90_000 })
  expect(faults).toEqual([])
})

test('the link of an alert that many have lets choose, and the choice fills the page in', async () => {
  const { alerts } = await api<{ alerts: { alertname: string; cluster: string }[] }>('/api/fleet/v1/alerts')
  const name = alerts.find(({ alertname }, i) => alerts.findIndex((other) => other.alertname === alertname) < i)
  expect(name).toBeDefined()
  const { page, faults } = await open(`/rb/${name!.alertname}`)
  await page.getByRole('heading', { name: /active .*alerts \(most severe first\)/ }).waitFor()
  const link = page.getByRole('table', { name: 'Alerts with this name' }).getByRole('link').first()
  const cluster = await link.innerText()
  await link.click()
  await page.waitForURL(/\?instance=[0-9a-f]{16}$/)
  // The runbook may have a section of this name.
  const aside = page.getByRole('complementary', { name: 'The alert' })
  await aside.getByRole('heading', { name: 'Other clusters with this alert' }).waitFor()
  await page.locator('.markdown mark.filled', { hasText: cluster }).first().waitFor()
  expect(faults).toEqual([])
})

test('the examples of Explore are queries that this fleet answers', async () => {
  const { page, faults } = await open('/explore')
  const examples = page.getByRole('region', { name: 'Example queries' }).getByRole('listitem')
  await examples.first().waitFor()
  const [first] = EXAMPLE_QUERIES
  expect(await examples.count()).toBe(EXAMPLE_QUERIES.length)
  await page.getByRole('button', { name: first!.says }).click()
  await page.waitForURL((url) => url.searchParams.get('expr') === first!.expr)
  expect(faults).toEqual([])
  for (const { expr } of EXAMPLE_QUERIES) {
    const series = await server.query(expr)
    expect(series.length, expr).toBeGreaterThan(0)
    // A label that no series has would make one nameless group of the whole fleet.
    expect(Object.keys(series[0]!.metric).length, expr).toBeGreaterThan(0)
  }
})

test('the demo leaves nothing behind', async () => {
  expect(readdirSync(temp.path)).toEqual([expect.stringMatching(/^daytwo-demo-/)])
  expect(await server.stop()).toBe(0)
  expect(readdirSync(temp.path)).toEqual([])
})
