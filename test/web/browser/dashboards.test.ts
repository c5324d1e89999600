import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { until } from '../../support/until.ts'
import { DASHBOARD_LIST, EVERY_KIND_ANSWER, everyKindInstant, everyKindRange } from './dashboard-fixtures.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { accessibilityFaults, DESKTOP, openPage, PHONE } from './open-page.ts'

// A page with thirty panels, drawn where two cores are shared.
vi.setConfig({ testTimeout: 120_000 })

let browser: Browser
let server: FixtureServer

beforeAll(async () => {
  browser = await sharedBrowser()
  server = await startFixtureServer()
})
afterAll(async () => {
  await server.close()
})
beforeEach(() => {
  Object.assign(server.answers, usualAnswers(), {
    dashboards: () => DASHBOARD_LIST,
    dashboard: (name: string) =>
      name === 'every-kind'
        ? EVERY_KIND_ANSWER
        : { status: 404, body: { error: 'no such dashboard', nearest: ['every-kind'] } },
    query: everyKindInstant,
    range: everyKindRange,
    labelValues: () => ['b', 'a'],
  })
})

test('what a panel asks is not asked again because a variable took until the next second', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards')
  // All panels are in sight.
  await page.setViewportSize({ width: 1440, height: 6000 })
  const from = server.asked.length
  const asked = (): readonly string[] => server.asked.slice(from).filter((path) => path.includes('disk_used_ratio'))
  const second = (): number => Math.floor(Date.now() / 1000)
  await page.route('**/api/v1/label/**', async (route) => {
    const callAt = await until('the first question', () => (asked().length > 0 ? second() : undefined))
    await until('the next second', () => (second() > callAt ? true : undefined))
    await route.continue()
  })
  await page.getByRole('link', { name: 'Every kind' }).click()
  await page.getByRole('button', { name: /^Cluster.*All 2$/ }).waitFor()
  await page.getByRole('region', { name: 'CPU by node', exact: true }).getByRole('table').waitFor()
  await page.getByRole('region', { name: 'Disk', exact: true }).getByText('75.0 %').waitFor()
  expect(asked()).toEqual([expect.stringContaining('query_range')])
  expectClean()
  await close()
})

test('a dashboard in two clicks, and each panel drawn as its definition says', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore')
  await page.getByRole('link', { name: 'Dashboards' }).click()
  await page.getByRole('link', { name: 'Every kind' }).click()
  await page.getByRole('heading', { level: 1, name: 'Every kind' }).waitFor()
  const panel = (name: string) => page.getByRole('region', { name, exact: true })
  const says = async (name: string, ...texts: readonly string[]): Promise<void> => {
    await panel(name).scrollIntoViewIfNeeded()
    for (const text of texts) await panel(name).getByText(text, { exact: true }).first().waitFor()
  }

  await panel('CPU by node')
    .getByRole('img', { name: /cpu node-1, cpu node-2/ })
    .waitFor()
  const legend = panel('CPU by node').getByRole('table')
  expect(await legend.getByRole('row').allInnerTexts()).toEqual([
    expect.stringMatching(/series\s+last\s+mean\s+max/),
    expect.stringMatching(/cpu node-1\s+90 %\s+70 %\s+90 %/),
    expect.stringMatching(/cpu node-2\s+25 %\s+25 %\s+25 %/),
    expect.stringMatching(/node="node-1".*\s+3 GiB\s+3 GiB\s+3 GiB/),
  ])
  const line = legend.getByRole('button', { name: 'cpu node-2' })
  await line.click()
  expect(await legend.getByRole('button', { name: 'cpu node-1' }).getAttribute('aria-pressed')).toBe('false')
  await line.click()
  await says('Upgrades by phase', '{phase="olm"}')
  await says('Health', 'down', 'healthy')
  await says('Disk', '75.0 %', '≥ 70 %')
  await says('Versions', '1.4', '75 %', '25 %')
  await says('Versions as a share', '150', '75 %')
  // Asked at the end of the time only, and named with a variable.
  await says('Versions at this moment', '1.4 of 5', '160', '80 %')
  await says('Latency', '> 1 s', '≤ 100 ms', 'max 6')
  await says('State over time', 'db-1', 'down', 'up')

  const clusters = panel('Clusters').getByRole('table', { name: 'Clusters' })
  await panel('Clusters').scrollIntoViewIfNeeded()
  await clusters.getByText('8 GiB').waitFor()
  const texts = (await clusters.getByRole('row').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  expect(texts).toEqual(['Cluster Health ↓ Memory', 'a 2 unknown', 'b 0 8 GiB'])
  expect(await clusters.getByRole('link', { name: 'a' }).getAttribute('href')).toBe('/fleet/clusters/a')
  await clusters.getByRole('button', { name: 'Cluster' }).click()
  await clusters.getByRole('button', { name: /^Cluster/ }).click()
  expect((await clusters.getByRole('row').nth(1).innerText()).startsWith('b')).toBe(true)
  await panel('Clusters').getByRole('searchbox', { name: 'Find in Clusters' }).fill('a')
  await panel('Clusters').getByText('1 of 2 rows').waitFor()
  await says('Machines', 'a test', '~2!', 'db-1')

  await says('What to do', 'a + b')
  expect(await panel('What to do').innerText()).toContain('<b>')
  await says('Profile', 'Panels of the kind FlameChart are not supported.')
  await says('Nothing here', 'No series in this range.', 'No sender has the metric nothing_at_all.')
  // Once for each value, each asks for its own, and opens alone.
  await says('Busy share of node-1', '90 %')
  await page.getByRole('heading', { level: 2, name: 'Each node: node-2' }).waitFor()
  await panel('Busy share of node-2').scrollIntoViewIfNeeded()
  await expect
    .poll(() => server.asked.map((path) => decodeURIComponent(path.replaceAll('+', ' '))).join('\n'))
    .toContain('node_cpu{node=~"node-2"}')
  await panel('Busy share of node-2').getByRole('link', { name: 'Busy share of node-2' }).click()
  await page.waitForURL(/panel=each&of=node-2/)
  await panel('Busy share of node-2').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('14 panels').click()
  const units = {
    'percent-decimal': '42.5 %',
    decimal: '1 234 567',
    bytes: '1.5 GiB',
    'bytes/sec': '1.5 MiB/s',
    'decbytes/sec': '1.5 MB/s',
    'ops/sec': '1 234 ops/s',
    seconds: '1 h 30 min',
    hours: '1 d 12 h',
  }
  for (const [unit, text] of Object.entries(units)) await says(`Unit ${unit}`, text)
  await says('Unit datetime-local', '2026-09-21 16:13:20 +02:00')
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

test('variables, time, table, queries and alerts stand in the address, and one query that fails leaves the others', async () => {
  const askedBefore = server.asked.length
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards/every-kind', DESKTOP, [
    '500',
  ])
  const lines = page.getByRole('region', { name: 'CPU by node', exact: true })
  await lines.getByRole('img').waitFor()
  const lastAsked = (part: string): string =>
    server.asked
      .slice(askedBefore)
      .map((path) => decodeURIComponent(path.replaceAll('+', ' ')))
      .findLast((path) => path.includes(part)) ?? ''
  expect(lastAsked('node_cpu')).toContain('node_cpu{cluster=~"(a|b)",node=~".*"}[240s]')

  await page.getByRole('button', { name: /^Cluster.*All 2$/ }).click()
  await page.getByRole('checkbox', { name: 'a', exact: true }).check()
  await page.waitForURL(/var-cluster=a/)
  await expect.poll(() => lastAsked('node_cpu')).toContain('cluster=~"a"')
  await page.getByText('No upgrade of a in this range.').waitFor()
  await expect.poll(() => lastAsked('group by (node)')).toContain('cluster=~"a"')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Node.*All 2$/ }).click()
  await page.getByRole('checkbox', { name: 'node-2' }).check()
  await expect.poll(() => lastAsked('node_cpu')).toContain('node=~"node-2"')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: '15 min' }).click()
  await page.waitForURL(/range=15m/)
  await lines.getByRole('heading').hover()
  await lines.getByRole('button', { name: 'CPU by node as a table' }).click()
  await lines.getByRole('table', { name: 'CPU by node' }).getByText('70 %').waitFor()

  server.answers.range = (expr, start, end, step) =>
    expr.includes('memory') ? { status: 500, body: { error: 'it broke' } } : everyKindRange(expr, start, end, step)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await lines.getByText(/Partial result. Query 2: it broke/).waitFor()
  await lines.getByText('cpu node-1').waitFor()

  await lines.getByRole('button', { name: /3 firing/ }).click()
  await lines.getByRole('link', { name: 'Runbook' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/panel=lines/)
  await page.getByRole('heading', { name: 'Queries' }).waitFor()
  await page.getByText('Definition in the file').first().waitFor()
  await page.getByText('Copy as curl').first().waitFor()
  expect(await page.getByRole('link', { name: 'Runbook', exact: true }).getAttribute('href')).toBe('/rb/NodeBusy')
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Health', exact: true }).waitFor()
  expect(page.url()).toContain('var-cluster=a')

  // On paper: panels that were never in sight ask too, and one whose answer has not come says so.
  server.answers.range = (expr, start, end, step) =>
    expr.includes('nothing') ? 'hang' : everyKindRange(expr, start, end, step)
  expect(lastAsked('nothing')).toBe('')
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  await page.emulateMedia({ media: 'print' })
  await expect.poll(() => lastAsked('nothing')).not.toBe('')
  const late = page.getByRole('region', { name: 'Nothing here', exact: true })
  await late.getByText('Not loaded when the page was printed.').waitFor()
  expectClean()
  await close()
})

test('on a phone the panels stand below each other, in the dark too, and a wrong name leads to the right one', async () => {
  const { page, expectClean, close } = await openPage(
    browser,
    server,
    '/explore/dashboards/every-kin',
    { ...PHONE, colorScheme: 'dark' },
    ['404'],
  )
  await page.getByRole('link', { name: 'every-kind' }).click()
  await page.getByRole('region', { name: 'CPU by node', exact: true }).getByRole('img').waitFor()
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(PHONE.viewport.width)
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

test('without a dashboard the page says how to get one, and without a variable why nothing is asked', async () => {
  server.answers.dashboards = () => ({ dashboards: [] })
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards', DESKTOP, ['500'])
  await page.getByText('daytwo import grafana FILE').waitFor()
  // Nor does anybody wait for a variable that failed.
  server.answers.labelValues = () => {
    throw new Error('the server answers 500')
  }
  await page.goto(`${server.origin}/explore/dashboards/every-kind`)
  await page
    .getByRole('region', { name: 'CPU by node', exact: true })
    .getByText('The values of Cluster could not be loaded')
    .waitFor()
  await page.getByRole('button', { name: /^Cluster.*not loaded$/ }).waitFor()
  expectClean()
  await close()
})
