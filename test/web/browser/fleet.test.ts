import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { columnsApart } from './columns.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { fleetAnswer, unjoinedItems } from './fleet-answers.ts'
import { alertItems } from './fixtures.ts'
import { DESKTOP, openPage, PHONE } from './open-page.ts'
import { upgradeDetail } from './upgrade-fixtures.ts'

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

test('clusters: counted by state, drawn as far as they are seen, read to the end, narrowed by the address', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet')
  const table = page.getByRole('table', { name: 'Clusters' })
  await table.getByRole('link', { name: 'ams-stuck-1' }).waitFor()
  expect(await table.getAttribute('aria-rowcount')).toBe('1201')
  expect(await table.getByRole('row').count()).toBeLessThan(80)
  expect(await columnsApart(table)).toEqual([])
  await page.getByText('1 198 of 1 200 clusters reporting').waitFor()

  // Beyond the first page of rows: the next ones are asked for, and the row says where it stands.
  await page.evaluate(() => {
    window.scrollTo(0, document.documentElement.scrollHeight)
  })
  await table.getByRole('link', { name: 'prod-1199' }).waitFor()
  expect(await table.getByRole('row', { name: /prod-1199/ }).getAttribute('aria-rowindex')).toBe('1201')

  await page.getByRole('button', { name: /2\s*silent/ }).click()
  await page.waitForURL('**/fleet/clusters?state=silent')
  await page.getByText('2 of 1 200 clusters').waitFor()
  await page.getByRole('button', { name: /1\s*stuck/ }).click()
  await page.getByText('3 of 1 200 clusters').waitFor()
  await page.getByRole('combobox', { name: 'Version' }).selectOption('1.17.3')
  await page.waitForURL('**/fleet/clusters?state=stuck&state=silent&version=1.17.3')
  await page.getByText('1 of 1 200 clusters').waitFor()
  await page.getByRole('button', { name: 'Remove filter version: 1.17.3' }).click()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('button', { name: 'Cluster', exact: true }).click()
  await page.waitForURL('**/fleet/clusters?order=desc')
  await table.getByRole('link', { name: 'prod-1199' }).waitFor()

  // On paper all that is read, one row below the other.
  await page.emulateMedia({ media: 'print' })
  await table.getByRole('link', { name: 'prod-1100' }).waitFor()
  expect(await columnsApart(table)).toEqual([])
  expect((await table.boundingBox())?.height).toBeGreaterThan(100 * 20)
  expectClean()
  await close()
})

test('clusters: two names of one cluster are listed with what to change', async () => {
  const { page, close } = await openPage(browser, server, '/fleet')
  await page.getByRole('table', { name: 'Clusters' }).getByRole('link', { name: 'ams-stuck-1' }).waitFor()
  const title = page.getByText('counted twice')
  expect(await title.count()).toBe(0)
  const usual = server.answers.fleet
  const action = 'Set `cluster` to "prague" at the sender of "0c-1", then decommission "0c-1".'
  server.answers.fleet = (url) =>
    url.pathname.endsWith('/unjoined')
      ? { ...unjoinedItems(Date.now(), [{ clusters: ['0c-1', 'prague'], by: 'prague', action }]), total: 3 }
      : usual(url)
  await page.reload()
  await page.getByText('3 clusters are probably counted twice: senders use two names.').waitFor()
  await page.getByText('Names and actions').click()
  const items = page.getByRole('group').filter({ hasText: 'Names and actions' }).getByRole('listitem')
  expect(await items.allInnerTexts()).toEqual([
    '0c-1 and prague. Set cluster to "prague" at the sender of "0c-1", then decommission "0c-1".',
    'And 2 more.',
  ])
  expect(await items.getByRole('link', { name: 'prague' }).getAttribute('href')).toBe('/fleet/clusters/prague')
  await close()
})

test('clusters: walked by keys, chosen, silenced; columns and views stay on this machine', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet')
  const table = page.getByRole('table', { name: 'Clusters' })
  await table.getByRole('link', { name: 'ams-stuck-1' }).waitFor()
  const focused = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.textContent)
  await page.keyboard.press('j')
  expect(await focused()).toBe('ams-stuck-1')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('k')
  expect(await focused()).toBe('ams-stuck-1')
  const bar = page.getByRole('group', { name: 'Selected clusters' })
  await bar.getByText('2 clusters selected').waitFor()
  expect(await bar.getByRole('link').getAttribute('href')).toBe(
    '/alerts?cluster=ams-silent-1,ams-stuck-1&group=cluster',
  )
  await bar.getByRole('button', { name: 'Silence…' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('textbox', { name: 'Value 1' }).inputValue()).toBe('ams-silent-1|ams-stuck-1')
  await page.keyboard.press('Escape')
  await bar.getByRole('button', { name: 'Clear' }).click()

  await page.getByRole('button', { name: 'Columns…' }).click()
  await page.getByRole('checkbox', { name: 'KubeVirt' }).check()
  await page.keyboard.press('Escape')
  await table.getByRole('columnheader', { name: 'KubeVirt' }).waitFor()
  await page.getByRole('button', { name: /2\s*silent/ }).click()
  await page.getByText('2 of 1 200 clusters').waitFor()
  await page.getByRole('button', { name: 'Views…' }).click()
  await page.getByRole('textbox', { name: 'Save the current list as' }).fill('Who is silent')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Who is silent' }).waitFor()
  await page.goto(`${server.origin}/fleet`)
  await table.getByRole('columnheader', { name: 'KubeVirt' }).waitFor()
  await page.getByRole('button', { name: 'Views…' }).click()
  await page.getByRole('link', { name: 'Who is silent' }).click()
  await page.waitForURL('**/fleet/clusters?state=silent')
  await table.getByRole('link', { name: 'ams-silent-1' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('silent-2')
  await page.getByText('1 of 1 200 clusters').waitFor()
  expectClean()
  await close()
})

test('a cluster says what is the matter, what changed, and what nobody can know', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/clusters/ams-stuck-1')
  const region = (name: string) => page.getByRole('region', { name })
  await page.getByRole('heading', { level: 1, name: 'ams-stuck-1' }).waitFor()
  await region('Active upgrades').getByText('virt-handler is not ready on worker-7.').waitFor()
  await region('Active upgrades').getByText('48 upgrades on this path', { exact: false }).waitFor()
  expect(await region('Known hazards').getByText('Accepted by ada', { exact: false }).isVisible()).toBe(true)
  await region('Known hazards').getByText('1 hazard not ruled out', { exact: false }).waitFor()
  await region('Data sources').getByText('Not watched:', { exact: false }).waitFor()
  await region('Settings').getByText('(default not known)').waitFor()
  await region('Identity')
    .getByText('1 minor behind the newest of the fleet')
    .or(region('Identity').getByText('newest minor'))
    .waitFor()
  await region('Changes').getByText('conditions[Degraded].status: False → True').waitFor()
  await region('Changes').getByRole('button', { name: 'Upgrades' }).click()
  await page.waitForURL('**/fleet/clusters/ams-stuck-1?show=upgrades')
  expect(await region('Changes').getByRole('listitem').count()).toBe(3)
  const versions = page.getByRole('table', { name: 'Versions over time' })
  await versions.getByText('1.17.3 from', { exact: false }).waitFor({ state: 'attached' })
  await page.keyboard.press('Escape')
  await page.waitForURL('**/fleet/clusters')
  expectClean()
  await close()
})

test('a failure stays in its part, an unknown name says so, an empty fleet teaches', async () => {
  server.answers.fleet = (url) =>
    url.pathname.endsWith('/changes')
      ? { status: 503, body: { error: 'overloaded', code: 'overloaded' } }
      : fleetAnswer(url, Date.now())
  const { page, close } = await openPage(browser, server, '/fleet/clusters/ams-stuck-1')
  await page.getByText('Could not load the changes').waitFor()
  await page.getByRole('heading', { name: 'Identity' }).waitFor()
  await page.goto(`${server.origin}/fleet/clusters/nobody`)
  await page.getByText('Not found: the cluster nobody').waitFor()
  // What is known is shown without what is not.
  server.answers.fleet = (url) =>
    url.pathname.endsWith('/stuck')
      ? { status: 503, body: { error: 'overloaded', code: 'overloaded' } }
      : fleetAnswer(url, Date.now())
  await page.goto(`${server.origin}/fleet/upgrades`)
  const running = page.getByRole('region', { name: 'Active' })
  await running.getByText('Could not load the stuck upgrades').waitFor()
  await running.getByText('number of stuck upgrades not known').waitFor()
  await running.getByRole('link', { name: 'ams-stuck-1' }).first().waitFor()
  server.answers.fleet = (url) => {
    const answer = fleetAnswer(url, Date.now()) as { readonly coverage: object }
    const coverage = { ...answer.coverage, clusters: 0 }
    return { ...answer, total: 0, clusters: [], upgrades: [], stuck: [], nextCursor: null, coverage }
  }
  await page.goto(`${server.origin}/fleet`)
  await page.getByText('No cluster has reported yet').waitFor()
  // And no page calls it good news that nothing runs on none.
  await page.goto(`${server.origin}/fleet/upgrades`)
  await page.getByRole('region', { name: 'Active' }).getByRole('link', { name: 'How to connect one' }).waitFor()
  await close()
})

test('on a phone a row holds what its columns say', async () => {
  const items = alertItems(Date.now(), 2)
  const onStuck = items.alerts.map((alert) => ({ ...alert, cluster: 'ams-stuck-1', state: 'firing' as const }))
  server.answers.alerts = () => ({ ...items, alerts: onStuck })
  const { page, expectClean, close } = await openPage(browser, server, '/fleet', PHONE)
  const row = page.getByRole('row', { name: /ams-stuck-1/ })
  await row.getByRole('link', { name: 'critical of 2 alerts' }).waitFor()
  await row.getByText('HCO → 1.18.1').first().waitFor()
  // Rows that are not drawn leave a gap, and its columns took the name's width away.
  expect((await row.getByRole('cell').first().boundingBox())?.width).toBeGreaterThan(330)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expectClean()
  await close()
})

test('on a phone the tables of a cluster, an edge and an upgrade fit, and say all that they do elsewhere', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/clusters/ams-stuck-1', PHONE)
  const pageWidth = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth)
  const hiddenWidth = (table: Locator): Promise<number> =>
    table.evaluate(({ parentElement }) => parentElement!.scrollWidth - parentElement!.clientWidth)
  const ofCluster = page.getByRole('table', { name: 'Upgrades of the cluster' })
  await ofCluster.getByRole('row', { name: /1\.18\.1.* ago/ }).waitFor()
  expect(await pageWidth()).toBeLessThanOrEqual(390)

  await page.goto(`${server.origin}/fleet/edges/kubevirt-hyperconverged/1.17.3/1.18.1`)
  const phases = page.getByRole('table', { name: 'Durations by phase' })
  await phases.getByRole('row', { name: /virt-handler waves/ }).waitFor()
  expect(await hiddenWidth(phases)).toBe(0)
  await page.getByRole('table', { name: 'Upgrades on the path' }).getByRole('row', { name: / ago/ }).first().waitFor()
  expect(await pageWidth()).toBeLessThanOrEqual(390)

  // The object does not say when the first node was through, the phase does.
  server.answers.fleet = (url) => {
    const detail = upgradeDetail('u-stuck', Date.now())!
    return url.pathname.endsWith('/u-stuck/detail')
      ? { ...detail, virtHandler: { ...detail.virtHandler, canaryAt: null } }
      : fleetAnswer(url, Date.now())
  }
  await page.goto(`${server.origin}/fleet/upgrades/u-stuck`)
  const lanes = page.getByRole('table', { name: 'Phases' })
  await lanes.getByRole('row', { name: /virt-handler canary/ }).waitFor()
  expect(await hiddenWidth(lanes)).toBe(0)
  await page.getByRole('region', { name: 'virt-handler' }).getByText('after ').waitFor()
  expectClean()
  await close()
})

test('why is this cluster slow? In two clicks: its upgrade, the phase beside what is usual, what is in its way', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/upgrades', {
    ...DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const heat = page.getByRole('table', { name: 'Active upgrades by phase' })
  await heat
    .getByRole('img', { name: /virt-handler waves: stuck, 50 min/ })
    .first()
    .waitFor()
  expect(await heat.getByRole('row').nth(1).innerText()).toMatch(/^ams-stuck-1\s[^]*stuck/)
  await page.goto(`${server.origin}/fleet`)
  await page.getByRole('link', { name: 'ams-stuck-1' }).click()
  await page.getByRole('region', { name: 'Active upgrades' }).getByRole('link', { name: 'HCO 1.17.3 → 1.18.1' }).click()

  await page.getByRole('heading', { level: 1, name: 'HCO 1.17.3 → 1.18.1 on ams-stuck-1' }).waitFor()
  const phases = page.getByRole('table', { name: 'Phases' })
  expect(await phases.getByRole('row', { name: /^virt-handler waves/ }).innerText()).toMatch(
    /stuck\s[^]*50 min[^]* slow[^]*1 min 50 s – 5 min \(48\)/,
  )
  await phases.getByText('reconstructed').first().waitFor()
  const block = page.getByRole('region', { name: 'Blocked by' })
  await block.getByText('7 of 12 updated, 1 unavailable', { exact: false }).waitFor()
  expect(await block.getByRole('link', { name: 'Runbook' }).first().getAttribute('href')).toBe(
    '/rb/DaytwoUpgradeStuck#virt-handler-rollout',
  )
  await page.getByRole('region', { name: 'VMs' }).getByText('96 of 140 (69 %)').waitFor()
  expect(
    await page.getByRole('link', { name: 'the median upgrade on this path (prod-0012, 12 min)' }).getAttribute('href'),
  ).toBe(`/explore/traces/0123456789abcdef0123456789abcdef?than=${'f'.repeat(32)}`)
  expect(await page.getByRole('link', { name: 'its phases as spans' }).getAttribute('href')).toBe(
    '/explore/traces/0123456789abcdef0123456789abcdef',
  )
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('- **virt-handler does not roll out**')
  await page
    .getByRole('region', { name: 'Previous and next upgrade' })
    .getByRole('link', { name: '1.16.0 → 1.17.3' })
    .click()
  await page.getByRole('heading', { level: 1, name: 'HCO 1.16.0 → 1.17.3 on ams-stuck-1' }).waitFor()
  expectClean()
  await close()
})

test('the history is narrowed and sorted by the address, read to its end, and two of it are compared', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/upgrades?state=failed')
  const history = page.getByRole('table', { name: 'Upgrades', exact: true })
  await page.getByRole('status').getByText('20 upgrades').waitFor()
  expect(await history.getByRole('row').count()).toBe(21)
  expect(await columnsApart(history)).toEqual([])
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('200 loaded, more available').waitFor()
  expect(await history.getAttribute('aria-rowcount')).toBe('-1')
  await page.evaluate(() => {
    window.scrollTo(0, document.documentElement.scrollHeight)
  })
  await page.getByRole('status').getByText('302 upgrades').waitFor()
  expect(await history.getAttribute('aria-rowcount')).toBe('303')
  await page.evaluate(() => {
    window.scrollTo(0, 0)
  })
  await page.getByRole('checkbox', { name: 'Compare HCO 1.17.3 → 1.18.1 on ams-stuck-1' }).check()
  await page.getByRole('checkbox', { name: 'Compare HCO 1.16.0 → 1.17.3 on ams-stuck-1' }).check()
  await page.waitForURL('**/fleet/upgrades?compare=u-stuck&compare=u-0')
  const compared = page.getByRole('table', { name: 'Compared upgrades' })
  // The page's clock ticks once a second, and may be one tick behind the answer.
  expect(await compared.getByRole('row', { name: /^Operands/ }).innerText()).toMatch(/(56 min|55 min 59 s)[^]*5 min/)
  await page.getByRole('button', { name: 'Clear' }).click()
  await compared.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Duration', exact: true }).click()
  await page.waitForURL('**/fleet/upgrades?sort=duration')
  await page.getByRole('button', { name: 'Durations by cluster size' }).click()
  await page.getByText('All upgrade paths of HCO.').waitFor()
  await page.waitForURL('**/fleet/upgrades?sort=duration&sizes=true')
  await page.getByRole('table', { name: 'Durations by cluster size' }).waitFor()
  expectClean()
  await close()
})

test('which edge is worst this week, in one click; did the fix release fix it, in two more', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/')
  await page.getByRole('link', { name: 'this week, lowest success rate first' }).click()
  await page.waitForURL('**/fleet/edges?window=7d')
  const table = page.getByRole('table', { name: 'Upgrade paths' })
  await page.getByText('upgrades started in the last 7 days', { exact: false }).waitFor()
  expect(await table.getByRole('link').first().getAttribute('href')).toMatch(/1\.16\.0\/1\.17\.3\?window=7d$/)
  expect(server.asked.some((path) => path.includes('/edges?sort=success_low&order=asc&window=7d'))).toBe(true)
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.waitForURL('**/fleet/edges')
  await table.getByRole('link', { name: '1.17.3 → 1.18.1' }).waitFor()
  const order = async (): Promise<readonly string[]> =>
    (await table.getByRole('link').allInnerTexts()).map((text) => text.slice(0, 6))
  expect(await order()).toEqual(['1.16.0', '1.17.3', '1.14.0', '1.15.2', '1.13.0'])
  await table.getByText('none ended, 1 running').waitFor()
  const graph = page.getByRole('group', { name: 'Graph of versions' })
  await graph.getByRole('link', { name: '1.16.0 → 1.17.3: 151 attempts', exact: false }).waitFor()
  await page.getByRole('button', { name: 'Newest first' }).click()
  await page.waitForURL('**/fleet/edges?order=newest')
  expect((await order())[0]).toBe('1.17.3')

  // Where are people stranded? Two clicks: the edges, and this one.
  await page.getByRole('button', { name: 'Stranded' }).click()
  await page.waitForURL('**/fleet/edges?order=newest&show=stranded')
  const stranded = page.getByRole('table', { name: 'Stranded versions' })
  expect(await stranded.getByRole('row').nth(1).innerText()).toMatch(
    /^1\.13\.0\s[^]*all 38 clusters[^]*no upgrade observed/,
  )
  await page.getByText('2 stranded versions: 41 of 1 200 clusters (', { exact: false }).waitFor()
  await graph.getByText('▲ 1.13.0').waitFor()
  expect(await graph.getByRole('link').count()).toBe(3)
  await page.getByRole('button', { name: 'All versions' }).click()
  await page.waitForURL('**/fleet/edges?order=newest')

  await table.getByRole('link', { name: '1.17.3 → 1.18.1' }).click()
  // How long do upgrades take by cluster size? Two clicks: the edges, and this one.
  const sizes = page.getByRole('region', { name: 'Durations by cluster size' })
  await sizes.getByRole('img', { name: '270 upgrades by nodes and duration, 30 not finished' }).waitFor()
  await sizes.getByText('The newest 300 of 412 upgrades, 30 on clusters of unknown size', { exact: false }).waitFor()
  await sizes.getByRole('row', { name: /^31 to 100 nodes 60 \(1 open\) 21 min/ }).waitFor()
  await sizes.getByRole('combobox', { name: 'Phase' }).selectOption('virt_handler.waves')
  await page.waitForURL('**?phase=virt_handler.waves')
  await sizes.getByRole('row', { name: /^31 to 100 nodes 60 \(1 open\) 4 min 12 s/ }).waitFor()
  await sizes.getByRole('button', { name: 'Table', exact: true }).click()
  const runs = sizes.getByRole('table', { name: 'Upgrades', exact: true })
  expect(await runs.getAttribute('aria-rowcount')).toBe('301')
  expect(await columnsApart(runs)).toEqual([])
  await sizes.getByRole('button', { name: 'Plot', exact: true }).click()
  await sizes.getByRole('combobox', { name: 'Phase' }).selectOption('')
  const with_ = page.getByRole('combobox', { name: 'Compare with' })
  await with_.getByRole('option', { name: '1.16.0 → 1.17.3' }).waitFor({ state: 'attached' })
  await with_.selectOption('1.16.0..1.17.3')
  await page
    .getByText('The success rate of 1.17.3 → 1.18.1 is higher than that of 1.16.0 → 1.17.3 by 13.3 points')
    .waitFor()
  await page.getByText('Operands: slower (log-rank test, p = 0.002).').waitFor()
  await with_.selectOption('1.14.0..1.15.2')
  await page.waitForURL('**/fleet/edges/kubevirt-hyperconverged/1.17.3/1.18.1?than=1.14.0..1.15.2')
  await page.getByText('38 more ended upgrades needed', { exact: false }).waitFor()
  await page.getByRole('table', { name: 'Durations by phase' }).getByText('virt-handler waves').waitFor()
  expectClean()
  await close()
})

test('settings of a cluster whose HyperConverged nobody tells are not known, whatever the defaults are', async () => {
  const { fleet: usual } = server.answers
  server.answers.fleet = (url) => {
    const answer = usual(url)
    if (!url.pathname.endsWith('/clusters/prod-0003')) return answer
    const settings = [{ name: 'evictionStrategy', set: null, default: 'LiveMigrate' }]
    return Object.assign({}, answer, { hyperConvergedApi: null, featureGates: {}, settings })
  }
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/clusters/prod-0003')
  const settings = page.getByRole('region', { name: 'Settings' })
  await settings.getByText('Not known: the HyperConverged object is not reported.').waitFor()
  expect(await settings.getByText('by default').count()).toBe(0)
  expectClean()
  await close()
})

test('JSON patches: narrowed by class and target, handed to an owner, and what replaces one', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/patches')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const patches = page.getByRole('table', { name: 'JSON patches' })
  await patches.getByText('breaks on 2').waitFor()
  expect(await patches.getByRole('row').count()).toBe(4)
  await page.getByText('900 of 1 200 clusters report annotations', { exact: false }).waitFor()
  await page.getByRole('combobox', { name: 'Target version' }).selectOption('1.19.0')
  await page.waitForURL('**/fleet/patches?to=1.19.0')
  await page.getByRole('link', { name: '1 broken by the upgrade to 1.19.0' }).click()
  await page.waitForURL('**/fleet/patches?to=1.19.0&breaking=true')
  await page.getByText('1 patch', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Copy the list as Markdown' }).click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('checked against 1.19.0: 1 patch\n')
  await page.goto(`${server.origin}/fleet/patches/copy?to=1.19.0`)
  await page.getByText('allowPostCopy: true').first().waitFor()
  const changes = page.getByRole('table', { name: 'Changed fields' })
  expect(await changes.getByRole('row').nth(1).innerText()).toMatch(/allowPostCopy\s+false\s+true$/)
  await page.getByText('kubevirt.kubevirt.io/jsonpatch-', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('### Set in HyperConverged instead')
  expect(await page.getByRole('link', { name: 'All patches' }).getAttribute('href')).toBe('/fleet/patches?to=1.19.0')
  expectClean()
  await close()
})

test('who patches and who edits by hand, in one click: by time, and by hour of the day', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet')
  await page.getByRole('navigation', { name: 'Pages of Fleet' }).getByRole('link', { name: 'Modifications' }).click()
  const patches = page.getByRole('region', { name: 'JSON patches' })
  await patches.getByRole('link', { name: 'ams-stuck-1' }).waitFor()
  await page.getByText('900 of 1 200 clusters report annotations', { exact: false }).waitFor()
  const edits = page.getByRole('table', { name: 'Out-of-band modifications by component and cluster' })
  expect(await edits.getByRole('row').nth(1).innerText()).toMatch(/KubeVirt\s+ams-stuck-1\s+5\s/)
  await edits
    .getByRole('img', { name: /^Modifications by hour: / })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'All' }).click()
  await page.waitForURL('**/fleet/modifications?standing=all')

  // Is a gate used, and who sets it by patch? Two clicks: the gates, and the gate.
  await page.getByRole('navigation', { name: 'Pages of Fleet' }).getByRole('link', { name: 'Configuration' }).click()
  await page.getByText('900 of 1 200 clusters report the settings of HyperConverged').waitFor()
  await page.getByRole('link', { name: 'downwardMetrics' }).click()
  await page.waitForURL('**/fleet/configuration/gates/downwardMetrics')
  const uses = page.getByRole('table', { name: 'Clusters that set it' })
  expect(await uses.getByRole('row').nth(1).innerText()).toMatch(
    /^ams-stuck-1\s+1\.17\.3\s+on\s+JSON patch of KubeVirt/,
  )
  await page.getByText('12 of 900 (', { exact: false }).waitFor()
  await page.getByText('200 of 893').waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('400 of 893').waitFor()
  await page.getByRole('button', { name: 'By JSON patch' }).click()
  await page.waitForURL('**/fleet/configuration/gates/downwardMetrics?show=patched')
  await page.getByText('1 place, patches first').waitFor()
  expectClean()
  await close()
})

test('the configuration: which setting differs, on which cluster, since when and by whom; what a target changes', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/configuration')
  await page.getByText('15 of 900 clusters differ').waitFor()
  const settings = page.getByRole('table', { name: 'Settings in use' })
  expect(await settings.getByRole('row').nth(1).innerText()).toMatch(
    /^liveMigration\.progressTimeout\s+150 \(default\) >99 % · 300 <1 %\s+150\s+900\s+3/,
  )
  await page.getByRole('row', { name: /^pc-q35-rhel8\.6\.0 14 deprecated; removed in el10/ }).waitFor()
  await page
    .getByRole('row', { name: /^flowschemas\.v1beta3\.flowcontrol/ })
    .getByText('argocd/v2.9')
    .waitFor()
  await page.getByRole('combobox', { name: 'Target version' }).selectOption({ index: 1 })
  await page.waitForURL('**/fleet/configuration?target=*')
  await page.getByRole('table', { name: 'Hazards of live migration' }).getByText('9.0.0 → 9.1.0').waitFor()
  await page.getByRole('columnheader', { name: 'Breaks with the target' }).waitFor()

  await settings.getByRole('link', { name: 'liveMigration.progressTimeout' }).click()
  await page.waitForURL('**/fleet/configuration/settings/liveMigration.progressTimeout')
  const clusters = page.getByRole('table', { name: 'Clusters with this setting' })
  expect(await clusters.getByRole('row').nth(1).innerText()).toMatch(
    /^ams-stuck-1\s+1\.17\.3\s+300\s+yes\s+kubectl-edit\s+(5\s?h|4\s?h\s59\s?min)\sago/,
  )
  await page.getByRole('button', { name: 'Outliers' }).click()
  await page.waitForURL('**/settings/liveMigration.progressTimeout?show=outliers')
  await page.getByText('1 cluster, those that differ first').waitFor()
  expectClean()
  await close()
})

test('old addresses of feature gates lead to the configuration, with their filter', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/gates/downwardMetrics?show=patched')
  await page.waitForURL('**/fleet/configuration/gates/downwardMetrics?show=patched')
  await page.getByText('1 place, patches first').waitFor()
  expectClean()
  await close()
  const list = await openPage(browser, server, '/fleet/gates')
  await list.page.waitForURL('**/fleet/configuration')
  await list.close()
})

test('the page of a cluster lists how it differs from the baseline', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/clusters/prod-0003')
  const differences = page.getByRole('region', { name: 'Configuration differences' })
  await differences.getByText('1 setting of 45 differ from the baseline', { exact: false }).waitFor()
  await differences
    .getByRole('row', { name: /^liveMigration\.progressTimeout .* kubectl-edit 300 150 \(default\)/ })
    .waitFor()
  expectClean()
  await close()
})
