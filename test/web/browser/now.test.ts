import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { firstNow, NO_FAULTS, now, quietNow } from './now-fixtures.ts'
import { accessibilityFaults, DESKTOP, openPage, PHONE } from './open-page.ts'

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
  Object.assign(server.answers, usualAnswers())
})

test('answers at once: numbers that are links, the stuck list with its causes, what fires, who is silent', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const summary = page.getByRole('navigation', { name: 'Summary' })
  await summary.waitFor()
  expect(await summary.getByRole('link').allInnerTexts()).toEqual([
    expect.stringMatching(/^Stuck\s+2\s/),
    expect.stringMatching(/^Firing\s+35\s[^]*9 critical[^]*12 warning[^]*14 info[^]*4 pending/),
    expect.stringMatching(/^Upgrading\s+5\s/),
    expect.stringMatching(/^Workload updates\s+2\s+125 VMs remaining/),
    expect.stringMatching(/^Pending approval\s+2\s/),
    expect.stringMatching(/^Silent\s+2\s+1 in an upgrade/),
  ])
  const stuck = page.getByRole('table', { name: 'Stuck upgrades' })
  expect(await stuck.getByRole('row').nth(1).innerText()).toMatch(
    /prague-prod-1[^]*1\.18\.3 →\s+to\s+1\.19\.2[^]*virt-handler pods[^]*node by node: typical 41 s, limit 3 min per wave \(34 upgrades on this path\)[^]*1 h 52 min/,
  )
  expect(await stuck.getByRole('link', { name: '1.18.3 → to 1.19.2' }).first().getAttribute('href')).toMatch(
    /^\/fleet\/upgrades\/.+/,
  )
  await page.getByText('198 of 200 clusters reporting, 170 with objects, 3 without upgrade data.').waitFor()
  expect(await page.getByRole('table', { name: 'Silent clusters' }).getByRole('row').count()).toBe(3)
  expect(await page.title()).toBe('2 stuck · Daytwo')
  expectClean()
  await close()
})

test('says where upgrades stand, whose machines follow, what waits for an approval, which edges got worse', async () => {
  const { page, close } = await openPage(browser, server, '/')
  const strip = page.getByRole('list', { name: 'Upgrades by phase' }).getByRole('listitem')
  await strip.first().waitFor()
  expect((await strip.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
    '1 install: requirements 1 stuck',
    '1 component cdi',
    '2 node by node 1 stuck',
    '1 phase not reported',
  ])
  const rowOf = async (table: string, row: number): Promise<string> =>
    (await page.getByRole('table', { name: table }).getByRole('row').nth(row).innerText()).replaceAll(/\s+/g, ' ')
  expect(await rowOf('Active upgrades', 4)).toMatch(/^iad-prod-4 .* node by node 11 of 40/)
  expect(await rowOf('Workload updates', 1)).toMatch(/^nrt-prod-14 .* 118 of 410 in 1 h 3\d min$/)
  expect(await rowOf('Workload updates', 2)).toMatch(/^gru-edge-13 .* 7 not known$/)
  expect(await rowOf('Pending approval', 1)).toMatch(/^brno-lab-9 stuck openshift-cnv\/install-k2x7q .* 2 d$/)
  expect(await rowOf('Regressing upgrade paths', 1)).toBe(
    '1.18.3 → to 1.19.2 57 of 58 (98 %) earlier, on this path 21 of 30 (70 %)',
  )
  expect(await rowOf('Silent clusters', 1)).toMatch(
    /^gru-lab-6 in an upgrade at that time: 1\.18\.3 → to 1\.19\.2, component ssp/,
  )
  await close()
})

test('answers that lag behind what clusters sent say so', async () => {
  server.answers.now = () => ({
    ...now(Date.now()),
    derivation: { caughtUpAt: new Date(Date.now() - 90_000).toISOString(), waiting: 4, daysToCount: 0 },
  })
  const { page, close } = await openPage(browser, server, '/')
  await page.getByText(/^Data that 4 clusters sent in the last 1 min is not processed yet/).waitFor()
  await close()
})

test('a disk that is full stands above every page, with what to do; nothing is good news meanwhile', async () => {
  const storage = {
    ...{ since: new Date(Date.now() - 180_000).toISOString(), code: 'storage_full' as const, freeBytes: 0 },
    ...{ message: 'writing the log: database or disk is full', sizeBytes: 400 * 1024 * 1024 },
  }
  server.answers.now = () => ({
    ...quietNow(Date.now()),
    faults: { ...NO_FAULTS, storage, failingRules: 38 },
  })
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const notice = page.getByRole('alert').filter({ hasText: 'The disk of this server is full: new data is refused.' })
  await notice.getByText(/3 min ago: pages show data from before that time.* 0 B of 400 MiB are free\.$/).waitFor()
  await page.getByText('No upgrade was stuck when data was last stored.').waitFor()
  expect(await page.getByRole('link', { name: /^Firing/ }).innerText()).toMatch(/38 rules fail$/)
  await page.getByText('No firing alerts known: 38 rules could not be evaluated.').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Adoption' }).click()
  await page.waitForURL('**/adoption')
  await notice.getByRole('link', { name: 'Runbook' }).click()
  await page.waitForURL('**/rb/DaytwoWritesFailing')
  expectClean()
  await close()
})

test('a worker that does not serve stands above every page, with what that means and what to do', async () => {
  const since = new Date(Date.now() - 20_000).toISOString()
  const thread = { thread: 'query-worker', state: 'hung', serving: false, since, failures: 0 } as const
  const threads = [{ ...thread, cause: 'it does not answer', nextStart: null }]
  server.answers.now = () => ({
    ...quietNow(Date.now()),
    faults: { ...NO_FAULTS, threads },
  })
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const notice = page.getByRole('alert').filter({ hasText: 'The query worker of this server does not answer.' })
  await notice.getByText(/^Rules are not evaluated.* The server restarts it\./).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await notice.getByRole('link', { name: 'Runbook' }).click()
  await page.waitForURL('**/rb/DaytwoThreadFailed')
  expectClean()
  await close()
})

test('what several processes share stands above every page while it is away, with the steps', async () => {
  const since = new Date(Date.now() - 120_000).toISOString()
  const faults = {
    ...{ ...NO_FAULTS, metricsStore: 'connection refused', postgres: { since, message: 'no answer' }, apart: ['c'] },
    silentProcesses: [{ name: 'b', since, lagSamples: 12 }],
  }
  server.answers.now = () => ({ ...quietNow(Date.now()), faults })
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const notice = (text: string) => page.getByRole('alert').filter({ hasText: text })
  for (const [title, text, runbook] of [
    ['PostgreSQL does not answer this server.', 'Cause: no answer.', 'DaytwoPostgresUnavailable'],
    ['The metrics store does not answer this server.', 'Cause: connection refused.', 'DaytwoMetricsStoreUnavailable'],
    ['A process has stopped.', 'No heartbeat from b (12 samples not forwarded).', 'DaytwoProcessMissing'],
  ] as const) {
    await notice(title).getByText(text).waitFor()
    const link = notice(title).getByRole('link', { name: 'Runbook' })
    expect(await link.getAttribute('href')).toContain(runbook)
  }
  await notice('Samples of other processes are missing').getByText('store.metrics').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

test('damaged data stands above every page, with what is missing and how to repair it', async () => {
  const damage = {
    count: 3,
    from: '2026-11-22T20:00:00Z',
    to: '2026-11-22T22:00:00Z',
    kind: 'pack',
    message: 'checksum',
  }
  server.answers.now = () => ({
    ...quietNow(Date.now()),
    faults: { ...NO_FAULTS, damage },
  })
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const notice = page.getByRole('alert').filter({ hasText: '3 stored items are damaged and left out.' })
  await notice.getByText(/Samples of 2026-11-22 21:00:00 \+01:00 to .* may be missing\..* daytwo doctor /).waitFor()
  await notice.getByRole('link', { name: 'Runbook' }).click()
  await page.waitForURL('**/rb/DaytwoStoreDamaged')
  expectClean()
  await close()
})

test('versions are newest first, and clusters without one are counted', async () => {
  const { page, close } = await openPage(browser, server, '/')
  const rows = page.getByRole('region', { name: 'Versions' }).getByRole('listitem')
  await rows.first().waitFor()
  const texts = (await rows.allInnerTexts()).map((text) => text.split(/\s+/))
  expect(texts.map(([version]) => version)).toEqual(['1.20.0', '1.19.2', '1.18.3', '1.17.9', '1.16.4', 'not'])
  expect(texts.at(-1)).toEqual(['not', 'known', '3', '2', '%'])
  await close()
})

test('one firing alert opens at once, several open as a list; a long list is shown whole when it is asked for', async () => {
  const usual = now(Date.now())
  const [first] = usual.silent.items
  const items = Array.from({ length: 20 }, (_, i) => ({ ...first!, cluster: `dark-${i}` }))
  server.answers.now = () => ({ ...usual, silent: { ...usual.silent, count: 30, items } })
  const { page, close } = await openPage(browser, server, '/')
  const silent = page.getByRole('region', { name: 'Silent' })
  await silent.getByText('The first 12 of 30.').waitFor()
  expect(await silent.getByRole('row').count()).toBe(13)
  await silent.getByRole('link', { name: 'The first 20 silent clusters' }).click()
  await silent.getByText('The first 20 of 30.').waitFor()
  const whole = silent.getByRole('link', { name: 'All silent clusters, as clusters' })
  expect(await whole.getAttribute('href')).toBe('/fleet/clusters?state=silent')
  expect([await silent.getByRole('row').count(), new URL(page.url()).search]).toEqual([21, '?all=silent'])
  await silent.getByRole('link', { name: 'Only the first 12 silent clusters' }).click()
  await silent.getByText('The first 12 of 30.').waitFor()
  const firing = page.getByRole('table', { name: 'Firing by alert' })
  await firing.getByRole('link', { name: 'KubeVirtCRModified' }).click()
  await page.waitForURL('**/alerts?state=firing&alert=KubeVirtCRModified')
  await page.goBack()
  await firing.getByRole('link', { name: 'HCOOperatorConditionsUnhealthy' }).click()
  await page.waitForURL('**/alerts/0000000000000000')
  await page.getByRole('heading', { name: 'HCOOperatorConditionsUnhealthy' }).waitFor()
  await close()
})

test('good news says what it rests on', async () => {
  server.answers.now = () => quietNow(Date.now() - 12_000)
  const { page, close } = await openPage(browser, server, '/')
  await page.getByText('No stuck upgrades.').waitFor()
  expect(await page.getByText(/Last checked .* ago, 198 of 200 clusters reporting\./).count()).toBe(1)
  await page.getByText('No firing alerts.').waitFor()
  await page.getByText('No silent clusters: every known cluster is reporting.').waitFor()
  await close()
})

test('an empty server teaches how to connect the first cluster, with its own address', async () => {
  server.answers.now = () => firstNow(Date.now())
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const context = page.context()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('heading', { name: 'No cluster has reported yet' }).waitFor()
  await page.getByRole('button', { name: 'Prometheus' }).click()
  await page.getByRole('button', { name: 'Copy remote write configuration' }).click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'url: "https://daytwo.example.org/api/v1/write"',
  )
  expectClean()
  await close()
})

test('without an answer there is a skeleton, and then no more', async () => {
  server.answers.now = () => 'hang'
  const { page, close } = await openPage(browser, server, '/')
  await page.getByRole('status', { name: 'Loading the fleet state' }).waitFor()
  await page.getByText('Connecting').waitFor()
  await close()
})

test('a failure is told with its cause, and trying again brings the page back', async () => {
  server.answers.now = () => ({
    status: 503,
    body: { error: 'the query worker does not answer', code: 'overloaded', hint: 'It is restarted by itself.' },
  })
  const { page, close } = await openPage(browser, server, '/')
  const error = page.getByRole('alert')
  await error.waitFor()
  expect(await error.innerText()).toContain('The query worker does not answer. It is restarted by itself.')
  await page.getByText('API call').click()
  await page.getByText('/api/fleet/v1/now').waitFor()
  server.answers.now = () => now(Date.now())
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('2 upgrades are stuck.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await close()
})

test('when the server goes away the data stays, and says how old it is', async () => {
  const { page, close } = await openPage(browser, server, '/')
  await page.getByText('2 upgrades are stuck.').waitFor()
  server.answers.now = () => 'drop'
  await page.getByText(/No response, data \d+ s old/).waitFor()
  await page.getByText('Could not refresh the fleet state: showing older data').waitFor()
  expect(await page.getByText('2 upgrades are stuck.').isVisible()).toBe(true)
  server.answers.now = () => now(Date.now())
  await page.getByText('Polling', { exact: true }).waitFor()
  await close()
})

test('who may not look is told what to do', async () => {
  server.answers.now = () => ({ status: 401, body: { error: 'forbidden', code: 'forbidden' } })
  const { page, close } = await openPage(browser, server, '/?at=2026-08-20T10:00Z')
  await page.getByText('Not signed in, or the session has expired.').first().waitFor()
  await page.getByRole('status').getByText('No access', { exact: true }).waitFor()
  // And comes back to what was to be seen.
  expect(await page.getByRole('link', { name: 'Sign in' }).first().getAttribute('href')).toBe(
    `/sign-in?role=viewer&to=${encodeURIComponent('/?at=2026-08-20T10:00Z')}`,
  )
  await close()
})

test('ages follow the clock of the server, not of the phone', async () => {
  // The server lives an hour ahead of this machine.
  server.answers.now = () => now(Date.now() + 3_600_000)
  const { page, close } = await openPage(browser, server, '/')
  const row = page.getByRole('table', { name: 'Silent clusters' }).getByRole('row').nth(1)
  await row.waitFor()
  expect(await row.innerText()).toContain('26 min ago')
  await close()
})

test('a phone shows the same, without columns that do not fit', async () => {
  const usual = now(Date.now())
  server.answers.now = () => ({ ...usual, firing: { ...usual.firing, critical: 1200 } })
  const { page, expectClean, close } = await openPage(browser, server, '/', PHONE)
  const row = page.getByRole('table', { name: 'Stuck upgrades' }).getByRole('row').nth(1)
  await row.waitFor()
  expect(await row.innerText()).toMatch(/prague-prod-1\s+1\.18\.3 →\s+to\s+1\.19\.2\s+3 virt-handler pods/)
  const places = await page.getByRole('navigation', { name: 'Places' }).boundingBox()
  expect(places!.y + places!.height).toBe(844)
  // A night with many is one line too.
  const badge = await page.locator('.place-nav-badge').boundingBox()
  expect(badge!.height).toBeLessThan(24)
  expectClean()
  await close()
})

test.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
  ['zoomed to four times', { viewport: { width: 320, height: 256 } }],
])('names as long as they may be leave the page its width, and words whole: %s', async (_name, options) => {
  const name = 'edge-north-west-datacentre-second-availability-zone-of-prague-x9'.slice(0, 63)
  const usual = now(Date.now())
  const long = <T extends { readonly id: string }>(items: readonly T[]): T[] =>
    Array.from({ length: 12 }, (_, i) => ({ ...items[i % items.length]!, id: `${i}`, cluster: name }))
  server.answers.now = () => ({
    ...usual,
    stuck: { count: 30, items: long(usual.stuck.items) },
    upgrading: { ...usual.upgrading, count: 80, items: long(usual.upgrading.items) },
    silent: {
      ...usual.silent,
      count: 50,
      items: usual.silent.items.map((item, i) => ({ ...item, cluster: `${i}${name}`.slice(0, 63) })),
    },
  })
  const { page, close } = await openPage(browser, server, '/', options)
  const stuck = page.getByRole('table', { name: 'Stuck upgrades' })
  await stuck.waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  const widths = await page
    .locator('table')
    .evaluateAll((tables) =>
      tables.map((table) =>
        Math.round(table.getBoundingClientRect().right - table.parentElement!.getBoundingClientRect().right),
      ),
    )
  expect(widths.filter((over) => over > 1)).toEqual([])
  if (options === DESKTOP) {
    const phase = page.getByRole('table', { name: 'Active upgrades' }).getByRole('cell').nth(2)
    expect((await phase.boundingBox())!.width).toBeGreaterThan(90)
    // What is said of it begins beside the name's first line.
    const row = stuck.getByRole('row').nth(1)
    const [named, cause] = await Promise.all([
      row.getByRole('link').first().boundingBox(),
      row.locator('.cause').last().boundingBox(),
    ])
    expect(Math.abs(named!.y - cause!.y)).toBeLessThan(4)
  }
  await close()
})
