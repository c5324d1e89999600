import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { startFixtureServer, usualAnswers } from './fixture-server.ts'
import type { FixtureServer } from './fixture-server.ts'
import { accessibilityFaults, openPage, PHONE } from './open-page.ts'

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
  expect(await accessibilityFaults(page)).toEqual([])

  // One click: what it means, who sends it, by what it can be cut, what reads it, what to ask of it.
  await table.getByRole('link', { name: 'kubevirt_info' }).click()
  const detail = page.getByRole('complementary', { name: 'kubevirt_info' })
  await detail.getByText('Versions of the KubeVirt that runs.').waitFor()
  await detail.getByText('KubeVirt 1.1', { exact: true }).waitFor()
  await detail.getByRole('link', { name: '4 of 1,200 clusters' }).waitFor()
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
  await page.getByText('No metric passes these filters').waitFor()
  await page.getByRole('checkbox', { name: 'also what nobody sends' }).check()
  await table.getByRole('link', { name: 'kubevirt_virt_api_up_total' }).click()
  await page.getByText('Operators no longer send it').waitFor()
  expectClean()
  await close()
})

test('metrics: a part that fails is named, and on a phone the open one has the page', async () => {
  const usual = server.answers.explore
  server.answers.explore = (url) =>
    url.pathname === '/api/fleet/v1/metrics' ? { status: 503, body: { error: 'overloaded' } } : usual(url)
  const allowed = ['503']
  const { page, expectClean, close } = await openPage(browser, server, '/explore/metrics', PHONE, allowed)
  await page.getByText('Missing: what rules and panels read.').waitFor()
  await page.getByRole('link', { name: 'kubevirt_info' }).click()
  await page.getByRole('complementary', { name: 'kubevirt_info' }).waitFor()
  expect(await page.getByRole('table', { name: 'Metrics' }).isVisible()).toBe(false)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.getByRole('link', { name: 'Close the metric' }).click()
  await page.getByRole('table', { name: 'Metrics' }).waitFor()
  expectClean()
  await close()
})

test('logs: the changes of a cluster, field by field, narrowed to one object; records with their trace', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore/logs')
  await page.getByRole('heading', { name: 'Of which cluster?' }).waitFor()
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
  await what.locator('.field-name', { hasText: 'lastTransition' }).waitFor()
  await table.getByRole('row', { name: /nodes worker-1 .*first seen; what it was before is not known/ }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('nodes')
  await page.getByText('1 of 2 changes in this time').waitFor()
  await table.getByRole('link', { name: 'worker-1' }).click()
  await page.waitForURL('**/explore/logs?cluster=ams-stuck-1&kind=nodes&q=worker-1')

  await page.getByRole('button', { name: 'Log records' }).click()
  await page.waitForURL('**/explore/logs?source=records&cluster=ams-stuck-1')
  const records = page.getByRole('table', { name: 'Log records' })
  await records.getByText('cannot create the daemon set', { exact: true }).click()
  expect(await records.getByRole('link', { name: 'Its trace' }).getAttribute('href')).toContain('/explore/traces/abab')
  await records.getByText('{"step":"install"}', { exact: true }).waitFor()
  await records.getByText('not said', { exact: true }).waitFor()
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
