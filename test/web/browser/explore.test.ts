import type { ForwardState } from '../../../src/contract/debug-forward.ts'
import type { ProcessItem, ProcessItems } from '../../../src/contract/debug-processes.ts'
import { readFileSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { columnsApart } from './columns.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
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

test('metrics: all of them, drawn as far as they are seen, narrowed, and one opened with all that is known', async () => {
  server.answers.query = () => ({
    status: 'success',
    data: { resultType: 'vector', result: [{ metric: {}, value: [1, '4'] }] },
  })
  const { page, expectClean, close } = await openPage(browser, server, '/explore/metrics')
  const table = page.getByRole('table', { name: 'Metrics' })
  await table.getByRole('link', { name: 'kubevirt_info' }).waitFor()
  expect(await table.getAttribute('aria-rowcount')).toBe('403')
  expect(await table.getByRole('row').count()).toBeLessThan(80)
  expect(await columnsApart(table)).toEqual([])
  expect(await accessibilityFaults(page)).toEqual([])

  // One click: what it means, who sends it, by what it can be cut, what reads it, what to ask of it.
  await table.getByRole('link', { name: 'kubevirt_info' }).click()
  const detail = page.getByRole('complementary', { name: 'kubevirt_info' })
  await detail.getByText('Versions of the KubeVirt that runs.').waitFor()
  expect(await columnsApart(table)).toEqual([])
  await detail.getByText('KubeVirt 1.1', { exact: true }).waitFor()
  await detail.getByRole('link', { name: '4 of 1 200 clusters' }).waitFor()
  await detail.getByRole('row', { name: /kubeversion 2 1.7.0/ }).waitFor()
  expect(await detail.getByRole('link', { name: '1.8.1' }).getAttribute('href')).toBe(
    '/explore?expr=kubevirt_info%7Bkubeversion%3D%221.8.1%22%7D',
  )
  expect(await detail.getByRole('link', { name: 'VirtVersionSkew' }).getAttribute('href')).toBe(
    '/alerts/rules/VirtVersionSkew',
  )
  expect(await detail.getByRole('link', { name: /Clusters per version/ }).getAttribute('href')).toBe(
    '/explore/dashboards/version-adoption?panel=versions',
  )
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.waitForURL('**/explore/metrics')

  await page.keyboard.press('/')
  await page.keyboard.type('api up')
  await page.getByText('No metric matches these filters').waitFor()
  await page.getByRole('checkbox', { name: 'include metrics without data' }).check()
  await table.getByRole('link', { name: 'kubevirt_virt_api_up_total' }).click()
  await page.getByText('Operators no longer export this metric').waitFor()
  expectClean()
  await close()
})

test('metrics: the store that samples are forwarded to is above them', async () => {
  const usual = server.answers.explore
  server.answers.explore = (url) =>
    url.pathname === '/debug/forward' ? { asOfMs: Date.now(), forward: FORWARD, ...NO_OTHERS } : usual(url)
  const { page, expectClean, close } = await openPage(browser, server, '/explore/metrics')
  const panel = page.getByRole('region', { name: 'Metrics store' })
  await panel.getByText('victoriametrics 1.79.5, remote write 1.0').waitFor()
  await panel.getByText('12 000 samples, 6 min').waitFor()
  await panel.getByText('Log row 40 of 42').waitFor()
  await panel.getByText('25 % full').waitFor()
  await panel.getByText('HTTP 503: busy').waitFor()
  await panel.getByText('VictoriaMetrics has none').waitFor()
  await panel.getByText('{__name__="up"}').waitFor()
  expect(await panel.getByRole('link', { name: 'Runbook' }).getAttribute('href')).toContain('DaytwoForwardingLags')
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

const NO_OTHERS: ProcessItems = { processes: [], unheardMs: 0 }

const PROCESS: ProcessItem = {
  ...{ name: 'daytwo-0', isSelf: true, state: 'running', version: '1.4.0', roles: ['collect', 'evaluate', 'serve'] },
  ...{ startedMs: 1, silentMs: 900, faults: [], leases: { cluster: 3334, rules: 20, alerts: 1 } },
  ...{ forward: { lagSamples: 0, lagSeconds: 0 }, shipping: { lagSeconds: 1, pendingCommits: 0 } },
}

test('metrics: processes are listed with their state and what others lack of them', async () => {
  const processes: ProcessItem[] = [
    PROCESS,
    {
      ...{ ...PROCESS, name: 'daytwo-1', isSelf: false, leases: { cluster: 3333, rules: 21, alerts: 0 } },
      ...{ forward: { lagSamples: 12_000, lagSeconds: 360 }, shipping: { lagSeconds: 420, pendingCommits: 31 } },
      faults: ['the metrics store does not answer'],
    },
    { ...PROCESS, name: 'daytwo-2', isSelf: false, state: 'silent', silentMs: 720_000 },
    { ...PROCESS, name: 'daytwo-3', isSelf: false, state: 'ended', silentMs: 90_000 },
  ]
  const usual = server.answers.explore
  server.answers.explore = (url) =>
    url.pathname === '/debug/forward'
      ? { asOfMs: Date.now(), forward: FORWARD, processes, unheardMs: 41_000, fault: 'connection refused' }
      : usual(url)
  for (const size of [DESKTOP, PHONE]) {
    const { page, expectClean, close } = await openPage(browser, server, '/explore/metrics', size)
    const panel = page.getByRole('region', { name: 'Processes' })
    await panel.getByText('2 of 4 processes running').waitFor()
    await panel.getByText('PostgreSQL does not answer: the list is 41 s old.').waitFor()
    await panel.getByText('No heartbeat for 12 min').waitFor()
    await panel.getByText('Ended 1 min 30 s ago').waitFor()
    await panel.getByText('12 000 samples, 6 min').waitFor()
    if (size === DESKTOP) {
      await panel.getByText('31 commits, 7 min').waitFor()
      await panel.getByText('3 334 clusters, 20 rule groups, notifications').first().waitFor()
    }
    expect(await panel.getByRole('link', { name: 'Runbook' }).last().getAttribute('href')).toContain(
      'DaytwoProcessMissing',
    )
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(size.viewport.width)
    expect(await accessibilityFaults(page)).toEqual([])
    expectClean()
    await close()
  }
})

const FORWARD: ForwardState = {
  writeUrl: 'http://vm:8428/api/v1/write',
  remote: {
    ...{ engine: 'victoriametrics', version: '1.79.5', protocol: '1.0', needsResend: true },
    notAccepted: [{ what: 'exemplars', why: 'VictoriaMetrics has none' }],
  },
  rows: { newest: 42, acknowledged: 40, released: 30 },
  ...{ lagSamples: 12_000, lagSeconds: 360, isFailing: true },
  lastError: { atMs: Date.now() - 5000, text: 'HTTP 503: busy' },
  buffer: { usedBytes: 1024, maxBytes: 4096, refused: 0 },
  totals: {
    ...{ requests: 9, samples: 100, exemplars: 0, metadata: 0, bytes: 1000, resentSamples: 0, restarts: 0 },
    ...{
      refused: { invalid: 3 },
      repeatedSamples: 0,
      skippedHistograms: 0,
      erasedSamples: 0,
      retries: { overloaded: 4 },
    },
  },
  refusals: [{ reason: 'invalid', atMs: Date.now(), series: '{__name__="up"}', text: 'HTTP 400: bad' }],
}

test('metrics: a part that fails is named, and on a phone the open one has the page', async () => {
  const usual = server.answers.explore
  server.answers.explore = (url) =>
    url.pathname === '/api/fleet/v1/metrics' ? { status: 503, body: { error: 'overloaded' } } : usual(url)
  const allowed = ['503']
  const { page, expectClean, close } = await openPage(browser, server, '/explore/metrics', PHONE, allowed)
  await page.getByText('Missing: metrics used by rules and panels.').waitFor()
  await page.getByRole('link', { name: 'kubevirt_info' }).click()
  await page
    .getByRole('complementary', { name: 'kubevirt_info' })
    .getByText('Could not load the rules and panels that use this metric.')
    .waitFor()
  expect(await page.getByRole('table', { name: 'Metrics' }).isVisible()).toBe(false)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.getByRole('link', { name: 'Close the metric' }).click()
  await page.getByRole('table', { name: 'Metrics' }).waitFor()
  expectClean()
  await close()
})

test('metrics: what it is narrowed to stays and can be changed while the list cannot be read', async () => {
  const usual = server.answers.labelValues
  let isDown = true
  server.answers.labelValues = (name) =>
    isDown && name === '__name__' ? { status: 503, body: { error: 'overloaded' } } : usual(name)
  const path = '/explore/metrics?q=kubevirt_info&type=gauge&show=all'
  const { page, close } = await openPage(browser, server, path, DESKTOP, ['503'])
  await page.getByText('Could not load the metrics').waitFor()
  const search = page.getByRole('searchbox', { name: 'Search metrics' })
  expect(await search.inputValue()).toBe('kubevirt_info')
  expect(await page.getByRole('combobox', { name: 'Type' }).inputValue()).toBe('gauge')
  expect(await page.getByRole('checkbox', { name: 'include metrics without data' }).isChecked()).toBe(true)
  await search.fill('kubevirt_hco')
  await page.waitForURL('**/explore/metrics?q=kubevirt_hco&type=gauge&show=all')
  expect(await accessibilityFaults(page)).toEqual([])
  isDown = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText(/^\d+ of \d+ metrics$/).waitFor()
  expect(await search.inputValue()).toBe('kubevirt_hco')
  await close()
})

test('logs: the changes of a cluster, field by field, narrowed to one object; records with their trace', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore/logs')
  await page.getByRole('heading', { name: 'Select a cluster' }).waitFor()
  // One click to what changed.
  await page.getByRole('link', { name: 'ams-stuck-1' }).click()
  await page.waitForURL('**/explore/logs?cluster=ams-stuck-1')
  const table = page.getByRole('table', { name: 'Object changes' })
  const row = table.getByRole('row', { name: /hyperconvergeds/ })
  const what = row.getByRole('cell').last()
  await what.getByText('conditions[Degraded].status', { exact: true }).waitFor()
  expect(await what.getByRole('deletion').textContent()).toBe('False')
  expect(await what.getByRole('insertion').textContent()).toBe('True')
  await what.getByText('1 more field').click()
  await what.locator('.object-log-changes .mono', { hasText: 'lastTransition' }).waitFor()
  // Who wrote it, and the object itself: a click more.
  await row.getByRole('cell', { name: 'kubectl-edit' }).waitFor()
  await what.getByText('Full object after this change').click()
  await what.getByText('"apiVersion": "hco.kubevirt.io/v1beta1"').waitFor()
  await table
    .getByRole('row', { name: /nodes worker-1 .*not reported first seen; the earlier state is not known/ })
    .waitFor()
  expect(await columnsApart(table)).toEqual([])
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('nodes')
  await page.getByText('1 of 2 changes in this range').waitFor()
  expect(await page.getByRole('combobox', { name: 'Last written by' }).textContent()).toContain('kubectl-edit (1)')
  await table.getByRole('link', { name: 'worker-1' }).click()
  await page.waitForURL('**/explore/logs?cluster=ams-stuck-1&kind=nodes&q=worker-1')

  await page.getByRole('button', { name: 'Log records' }).click()
  await page.waitForURL('**/explore/logs?source=records&cluster=ams-stuck-1')
  const records = page.getByRole('table', { name: 'Log records' })
  await records.getByText('cannot create the daemon set', { exact: true }).click()
  expect(await records.getByRole('link', { name: 'Trace' }).getAttribute('href')).toContain('/explore/traces/abab')
  await records.getByText('{"step":"install"}', { exact: true }).waitFor()
  await records.getByText('not reported', { exact: true }).waitFor()
  expect(await columnsApart(records)).toEqual([])
  await page.getByRole('combobox', { name: 'Severity' }).selectOption('error')
  await page.waitForURL('**/explore/logs?source=records&cluster=ams-stuck-1&severity=error')
  await expect
    .poll(() => server.asked.some((path) => path.includes('/logs?') && path.includes('severity=error')))
    .toBe(true)
  await page.getByRole('button', { name: '1 h', exact: true }).click()
  await page.waitForURL('**/explore/logs?source=records&cluster=ams-stuck-1&severity=error&range=1h')
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

test('logs: any of ten thousand clusters is found by a part of its name, and a name nobody knows is told', async () => {
  const usual = server.answers.fleet
  const names = Array.from({ length: 10_000 }, (_, i) => `edge-${String(i).padStart(5, '0')}`)
  server.answers.fleet = (url) => {
    if (url.pathname !== '/api/fleet/v1/clusters') {
      return url.pathname.endsWith('/changes')
        ? { asOf: new Date().toISOString(), changes: [], hasMore: false }
        : usual(url)
    }
    const found = names.filter((name) => name.includes(url.searchParams.get('text') ?? ''))
    const clusters = found.slice(0, 50).map((cluster) => ({ cluster }))
    return { asOf: new Date().toISOString(), total: found.length, clusters, facets: null }
  }
  const { page, expectClean, close } = await openPage(browser, server, '/explore/logs')
  const choice = page.getByRole('region', { name: 'Select a cluster' })
  await choice.getByText('24 of 10 000 clusters, by name').waitFor()
  const field = page.getByRole('combobox', { name: 'Cluster' })
  await field.fill('0777')
  await choice.getByText('11 clusters with a matching name').waitFor()
  await field.fill('07771')
  await choice.getByText('1 cluster with a matching name').waitFor()
  await field.press('Enter')
  await page.waitForURL('**/explore/logs?cluster=edge-07771')
  await page.getByText('No object changes in this range.').waitFor()
  expect(await page.getByText('No cluster has the name').count()).toBe(0)
  await page.goto(`${server.origin}/explore/logs?cluster=egde-1`)
  await page.getByText('No cluster has the name egde-1').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

test('logs: on a phone the object after a change is opened where the change is', async () => {
  const path = '/explore/logs?cluster=ams-stuck-1'
  const { page, expectClean, close } = await openPage(browser, server, path, PHONE)
  const table = page.getByRole('table', { name: 'Object changes' })
  const row = table.getByRole('row', { name: /hyperconvergeds/ })
  await row.getByText('Full object after this change').filter({ visible: true }).click()
  await row.getByText('"apiVersion": "hco.kubevirt.io/v1beta1"').filter({ visible: true }).waitFor()
  const [head, cell] = await Promise.all([
    table.getByRole('columnheader', { name: 'Object' }).boundingBox(),
    row.locator('.object-log-object').boundingBox(),
  ])
  expect(Math.abs(head!.x - cell!.x)).toBeLessThanOrEqual(1)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

/** The editor, once it has come; until then a plain field stands in its place. */
function editorOf(page: Page): Locator {
  return page.locator('[data-promql-editor]').getByRole('textbox', { name: /^PromQL/ })
}

/** Takes the first suggestion, once it is this one. */
async function takeSuggestion(page: Page, name: string | RegExp, written: string): Promise<void> {
  await page.getByRole('option', { name }).waitFor()
  await page.keyboard.press('Tab')
  await page.waitForFunction(
    (text) => document.querySelector('[data-promql-editor]')?.shadowRoot?.textContent.includes(text) === true,
    written,
  )
}

test('PromQL: written with suggestions, drawn, zoomed, read as a table, saved and explained; all in the address', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore')
  const editor = editorOf(page)
  await editor.waitFor()
  await page.getByRole('heading', { name: 'Example queries' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])

  // Shortcuts are letters in the editor, which is left by Esc.
  await page.keyboard.press('/')
  await page.keyboard.type('d?gl/jk')
  expect(await editor.innerText()).toBe('d?gl/jk')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('sum by (cluster) (kubevirt_inf')
  await takeSuggestion(page, /^kubevirt_info/, '(kubevirt_info)')
  await page.keyboard.type('{kube')
  await takeSuggestion(page, 'kubeversion', '{kubeversion}')
  await page.keyboard.type('="1.8')
  await takeSuggestion(page, '1.8.1', '"1.8.1"')
  await page.keyboard.press('Enter')
  const expr = 'sum by (cluster) (kubevirt_info{kubeversion="1.8.1"})'
  expect(await editor.innerText()).toBe(expr)
  // What is written in the moment before it runs runs too, and stays.
  await page.keyboard.press('End')
  await editor.evaluate((content) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ' > 0')
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    content.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true }))
  })
  await expect.poll(() => new URL(page.url()).searchParams.get('expr')).toBe(`${expr} > 0`)
  expect(await editor.innerText()).toBe(`${expr} > 0`)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(expr)
  await page.keyboard.press('Enter')
  const graph = page.getByRole('img', { name: /^Graph of Query: \{kubeversion="1.4.0"\}/ })
  await graph.waitFor()
  expect(new URL(page.url()).search).toBe(`?${new URLSearchParams({ expr }).toString()}`)
  await page.getByRole('button', { name: '6 h' }).click()
  await page.waitForURL('**&range=6h')
  await expect
    .poll(() => server.asked.some((path) => path.includes('query_range') && path.includes('step=120')))
    .toBe(true)
  await page.getByRole('combobox', { name: 'Unit' }).selectOption('percent')
  await page.getByRole('row', { name: /kubeversion="1.4.0".* %/ }).waitFor()

  // Dragging over the graph shows that time alone, and one click goes back.
  const box = (await graph.boundingBox())!
  await page.mouse.move(box.x + box.width / 3, box.y + 60)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 3 })
  await page.mouse.up()
  await page.waitForURL('**&from=*&to=*')
  await page.getByRole('button', { name: 'Back to before the zoom' }).click()
  await page.waitForURL('**&range=6h')

  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await page.waitForURL('**tab=table**')
  await page.getByText('1 series', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV file' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('kubevirt_info.csv')
  expect(readFileSync(await file.path(), 'utf8')).toMatch(
    /^component_name,time,value\r\nkubevirt\/[\w-]+,[\d-]+T[\d:.]+Z,3\r\n$/,
  )

  // A part of the plan shows where it stands in the text.
  await page.getByRole('button', { name: 'Explain' }).click()
  const plan = page.getByRole('table', { name: 'Parts of the query' })
  await plan
    .getByRole('row', { name: /kubevirt_info.* 3 543 60 % 6 ms/ })
    .getByRole('button')
    .focus()
  expect(await page.locator('.cm-shown-part').allInnerTexts()).toEqual(['kubevirt_info{kubeversion="1.8.1"}'])
  await page.getByText('40 000 000 samples, 80 % of the query limit: near the limit.').waitFor()
  expect(await page.getByRole('link', { name: 'kubevirt_info' }).getAttribute('href')).toBe(
    '/explore/metrics?show=all&metric=kubevirt_info',
  )
  // A graph of one cluster says when it upgraded, until nobody wants to know it: one click, kept in the address.
  await page.getByRole('button', { name: 'Graph', exact: true }).click()
  expect(await page.getByRole('checkbox', { name: 'Mark upgrades' }).count()).toBe(0)
  await editor.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('up{cluster="ams-stuck-1"}')
  await page.keyboard.press('Enter')
  const upgrades = page.getByRole('region', { name: 'Upgrades in this range' })
  const marked = upgrades.getByRole('listitem').filter({ hasText: 'running' })
  expect(await marked.innerText()).toMatch(/^running HCO 1\.17\.3 → 1\.18\.1 from /)
  expect(await marked.getByRole('link').getAttribute('href')).toMatch(/^\/fleet\/upgrades\//)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('checkbox', { name: 'Mark upgrades' }).uncheck()
  await page.waitForURL('**upgrades=off')
  expect(await upgrades.count()).toBe(0)
  expectClean()
  await close()
})

test('PromQL: several queries; one that fails tells where, one that finds nothing why, one that is slow is stopped', async () => {
  server.answers.range = (expr, start, end, step) => {
    if (expr === 'sum(') return QUERY_FAULT
    if (expr === 'slow') return 'hang'
    if (expr === 'kubevirt_imfo') return { status: 'success', data: { resultType: 'matrix', result: [] } }
    return nativeAnswer(start, end, step)
  }
  const path = '/explore?expr=sum%28&expr=sizes_bytes'
  const { page, expectClean, close } = await openPage(browser, server, path, DESKTOP, ['400'])
  const query = (number: number): Locator => page.getByRole('region', { name: `Query ${number}`, exact: true })
  const fault = query(1).getByRole('alert')
  await fault.getByText('Unexpected end of input.').waitFor()
  await fault.getByText('column 5').waitFor()
  expect(await fault.locator('pre').textContent()).toBe('sum(\n    ^')

  // Native histograms are rows of buckets; a remark shows its place.
  await query(2)
    .getByRole('row', { name: /1 KiB – 2 KiB/ })
    .waitFor()
  await query(2).getByText('encountered a mix of histograms and floats').waitFor()
  await editorOf(page).nth(1).waitFor()
  await query(2).getByRole('button', { name: 'Show where' }).click()
  expect(await query(2).locator('.cm-shown-part').innerText()).toBe('sizes_bytes')

  await page.getByRole('button', { name: 'Add a query' }).click()
  await page.keyboard.type('kubevirt_imfo')
  await page.keyboard.press('Enter')
  await query(3).getByText('No sender has the metric kubevirt_imfo.').waitFor()
  await query(3).getByRole('button', { name: 'kubevirt_info' }).click()
  await page.waitForURL('**/explore?expr=sum%28&expr=sizes_bytes&expr=kubevirt_info')

  await query(1).getByRole('button', { name: 'History' }).click()
  await query(1).getByRole('button', { name: 'kubevirt_imfo' }).waitFor()
  await page.keyboard.press('Escape')
  await query(3).getByRole('button', { name: 'Remove' }).click()
  await query(2).getByRole('button', { name: 'Hide' }).click()
  await page.waitForURL('**/explore?expr=sum%28&expr=sizes_bytes&hide=2')
  expect(await query(2).getByRole('button', { name: 'Table' }).count()).toBe(0)

  await editorOf(page).first().click()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('slow')
  await page.keyboard.press('Enter')
  await query(1).getByRole('button', { name: 'Stop' }).click()
  await query(1).getByText('Stopped.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

test('PromQL: a range vector is a table of samples; what no line shows, what stands beside the pointer', async () => {
  const RANGE_FAULT =
    'invalid parameter "query": invalid expression type "range vector" for range query, must be Scalar or instant Vector'
  server.answers.range = (expr, start, end, step) =>
    expr === 'up[2m]'
      ? { status: 400, body: { status: 'error', errorType: 'bad_data', error: RANGE_FAULT } }
      : {
          status: 'success',
          data: { resultType: 'matrix', result: [nanAt(start, end, step), ...lines(start, end, step)] },
        }
  server.answers.query = () => ({
    status: 'success',
    data: { resultType: 'matrix', result: [sampled('ams-1', ['1', '1', '0']), sampled('ams-2', ['1', 'NaN'])] },
  })
  const { page, expectClean, close } = await openPage(browser, server, '/explore?expr=up%5B2m%5D', DESKTOP, [
    '400',
    'ERR_FAILED',
  ])
  await page.getByRole('button', { name: 'Show as a table' }).click()
  await page.waitForURL('**tab=table')
  await page.getByText('2 series', { exact: false }).waitFor()
  await page.getByRole('row', { name: /ams-2 NaN$/ }).waitFor()
  await page.getByRole('button', { name: 'Show 3 samples of {cluster="ams-1"}' }).click()
  const samples = page.getByRole('region', { name: 'Samples of {cluster="ams-1"}' })
  expect(await samples.getByRole('row').allInnerTexts()).toEqual([
    'Time\tSince the previous sample\tValue',
    expect.stringMatching(/^2026-11-04 15:04:22\.500 \+01:00\t30 s\t0$/),
    expect.stringMatching(/^2026-11-04 15:03:52\.500 \+01:00\t30 s\t1$/),
    expect.stringMatching(/^2026-11-04 15:03:22\.500 \+01:00\t–\t1$/),
  ])
  expect(await accessibilityFaults(page)).toEqual([])

  // What could not be asked is not asked again by itself, and the page does not say so.
  await page.route('**/api/v1/query?*', (route) => route.abort())
  await page.goto(`${server.origin}/explore?expr=up&tab=table`)
  await page.getByText('Queries on this page are not retried automatically').waitFor()
  expect(await page.getByText('The page retries automatically.').count()).toBe(0)
  await page.unroute('**/api/v1/query?*')
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByText('2 series', { exact: false }).waitFor()

  await page.goto(`${server.origin}/explore?expr=sizes`)
  await page.getByText('1 series has samples that a line cannot show: NaN.').waitFor()
  await page.getByText('and 61 more lines').waitFor()
  // What stands beside the pointer is whole, and not under it: also at the foot of the graph.
  const graph = (await page.getByRole('img', { name: /^Graph of Query/ }).boundingBox())!
  for (const [x, y] of [
    [0.2, 0.3],
    [0.8, 0.8],
  ] as const) {
    const [left, top] = [graph.x + x * graph.width, graph.y + y * graph.height]
    await page.mouse.move(left, top, { steps: 2 })
    const spot = page.locator('.plot-spot')
    await spot.getByText('and 112 more').waitFor()
    const box = (await spot.boundingBox())!
    expect(left >= box.x && left <= box.x + box.width && top >= box.y && top <= box.y + box.height).toBe(false)
    expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1440 && box.y + box.height <= 900).toBe(true)
    // No box around the plot cuts it off.
    expect(await spot.evaluate((element) => getComputedStyle(element).position)).toBe('fixed')
  }
  // On a phone it takes the width there is, and no more.
  await page.setViewportSize({ width: 390, height: 844 })
  const small = (await page.getByRole('img', { name: /^Graph of Query/ }).boundingBox())!
  await page.mouse.move(small.x + 0.45 * small.width, small.y + 60, { steps: 2 })
  await page.locator('.plot-spot').getByText('and 112 more').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expectClean()
  await close()
})

/** 2026-11-04T14:03:22.5Z, and every half a minute from there. */
function sampled(cluster: string, texts: readonly string[]): unknown {
  return { metric: { cluster }, values: texts.map((text, i) => [1_793_801_002.5 + 30 * i, text]) }
}

function nanAt(start: number, end: number, step: number): unknown {
  return {
    metric: { cluster: 'a-cluster-with-a-name-as-long-as-names-get-in-production' },
    values: valuesOf(start, end, step, 'NaN'),
  }
}

function lines(start: number, end: number, step: number): readonly unknown[] {
  return Array.from({ length: 120 }, (_, i) => ({
    metric: { cluster: `ams-${i}` },
    values: valuesOf(start, end, step, String(i)),
  }))
}

function valuesOf(start: number, end: number, step: number, text: string): readonly unknown[] {
  return Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, i) => [start + i * step, text])
}

const QUERY_FAULT = {
  status: 400,
  body: {
    status: 'error',
    errorType: 'bad_data',
    error: 'invalid parameter "query": 1:5: parse error: unexpected end of input',
  },
}

function nativeAnswer(start: number, end: number, step: number): unknown {
  const histogram = { count: '4', sum: '6000', buckets: [[0, '1024', '2048', '4']] }
  const histograms = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, i) => [
    start + i * step,
    histogram,
  ])
  return {
    status: 'success',
    warnings: ['PromQL warning: encountered a mix of histograms and floats (1:1)'],
    data: { resultType: 'matrix', result: [{ metric: { cluster: 'ams-1' }, histograms }] },
  }
}
