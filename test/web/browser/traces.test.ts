import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { columnsApart } from './columns.ts'
import { startFixtureServer, type FixtureServer } from './fixture-server.ts'
import { accessibilityFaults, openPage, PHONE } from './open-page.ts'
import { FAILED_TRACE, LONG_TRACE, UPGRADE_TRACE } from './trace-fixtures.ts'

let browser: Browser
let server: FixtureServer

beforeAll(async () => {
  browser = await sharedBrowser()
  server = await startFixtureServer()
})
afterAll(async () => {
  await server.close()
})

test('the trace of an upgrade: where its time went in no click, a failed step and its reason in one key', async () => {
  const { page, expectClean, close } = await openPage(browser, server, `/explore/traces/${FAILED_TRACE}`)
  await page.getByRole('heading', { level: 1, name: 'ams-2: 1.17.3 → 1.18.1' }).waitFor()
  const phases = page.getByRole('table', { name: 'Phases of the upgrade' })
  // Twelve of sixteen minutes.
  await phases.getByRole('row', { name: /component kubevirt failed 12 min 75 %/ }).waitFor()
  expect(await phases.getByRole('row').count()).toBe(6)
  expect(await page.getByRole('link', { name: 'Evidence, baseline and alerts' }).getAttribute('href')).toBe(
    `/fleet/upgrades/${FAILED_TRACE}`,
  )
  const spans = page.getByRole('table', { name: 'Spans' })
  expect(await spans.getAttribute('aria-rowcount')).toBe('7')

  await page.keyboard.press('n')
  await page.waitForURL('**?span=a0')
  await page.keyboard.press('n')
  await page.waitForURL('**?span=a4')
  const detail = page.getByRole('complementary', { name: 'Span component kubevirt' })
  await detail.getByText('Error: virt-handler is not ready on worker-7').waitFor()
  await detail.getByText('component.name').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('p')
  await page.waitForURL('**?span=a0')
  await page.getByRole('complementary').getByText('alert.firing').waitFor()
  await page.keyboard.press('Escape')
  await detail.waitFor({ state: 'detached' })

  // Rows by keys: the second one is closed and opened, the third is read.
  await page.keyboard.press('k')
  await page.keyboard.press('[')
  expect(await spans.getAttribute('aria-rowcount')).toBe('2')
  await page.keyboard.press(']')
  await page.keyboard.press('f')
  await page.keyboard.press('Enter')
  await page.waitForURL('**?span=a1')

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download OTLP JSON' }).click(),
  ])
  expect(file.suggestedFilename()).toBe(`trace-${FAILED_TRACE}.otlp.json`)
  const kept = JSON.parse(await readFile(await file.path(), 'utf8')) as Record<string, unknown>
  expect(Object.keys(kept)).toEqual(['resourceSpans'])
  expectClean()
  await close()
})

test('five thousand spans: only those in view are drawn, searched, zoomed into, and read as a table', async () => {
  const { page, expectClean, close } = await openPage(browser, server, `/explore/traces/${LONG_TRACE}`)
  const spans = page.getByRole('table', { name: 'Spans' })
  await spans.getByRole('link', { name: 'reconcile everything' }).waitFor()
  expect(await spans.getAttribute('aria-rowcount')).toBe('5001')
  expect(await spans.getByRole('row').count()).toBeLessThan(80)
  expect(await columnsApart(spans)).toEqual([])
  // The last one in the order of the rows, which is that of the tree.
  await page.getByRole('button', { name: 'Previous error' }).click()
  await spans.getByRole('link', { name: 'call 2500', exact: true }).waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('k8s.pod.name=p-77')
  await page.getByText('11 spans found').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('complementary', { name: 'Span call 77' }).waitFor()

  const overview = page.getByRole('img', { name: /^Overview/ })
  await overview.scrollIntoViewIfNeeded()
  const box = (await overview.boundingBox())!
  await page.mouse.move(box.x + box.width * 0.25, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 3 })
  await page.mouse.up()
  await page.getByRole('button', { name: 'Show the whole trace' }).waitFor()
  expect(Number(await spans.getAttribute('aria-rowcount'))).toBeLessThan(2000)
  await page.getByRole('button', { name: 'Show the whole trace' }).click()
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await spans.getByRole('columnheader', { name: 'Critical path' }).waitFor()
  expect(await spans.getAttribute('aria-rowcount')).toBe('5001')
  expect(await columnsApart(spans)).toEqual([])
  expectClean()
  await close()
})

test('on a phone spans are a list, the open one a sheet; an unknown trace says so', async () => {
  const { page, expectClean, close } = await openPage(
    browser,
    server,
    `/explore/traces/${UPGRADE_TRACE}?span=a4`,
    PHONE,
    ['404'],
  )
  await page.getByRole('complementary', { name: 'Span component kubevirt' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.goto(`${server.origin}/explore/traces/${'9'.repeat(32)}`)
  await page.getByText('No span of a trace with this ID is stored.').waitFor()
  expectClean()
  await close()
})

test('an upgrade that still runs is not said to be shorter for it; a service nobody knows stays chosen', async () => {
  const usual = server.answers.traces
  server.answers.traces = (url) => {
    const isOther = url.pathname.includes(FAILED_TRACE)
    const mark = '{"key":"upgrade.provisional","value":{"stringValue":"true"}},'
    const text = JSON.stringify(usual(url))
    return JSON.parse(
      isOther ? text : text.replaceAll('{"key":"deployment.id"', `${mark}{"key":"deployment.id"`),
    ) as unknown
  }
  const path = `/explore/traces/${UPGRADE_TRACE}?than=${FAILED_TRACE}`
  const { page, expectClean, close } = await openPage(browser, server, path)
  await page.getByText('This trace is still running: the missing part of a trace is not time saved.').waitFor()
  await page.getByTitle('Not ended').getByText('at least').waitFor()
  await page.goto(`${server.origin}/explore/traces?service=nobody`)
  await page.getByRole('row', { name: /ams-1.* at least 8 min/ }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Service' }).inputValue()).toBe('nobody')

  // On a phone the boxes to compare are gone, and the name keeps its distance from the edge.
  await page.setViewportSize({ width: 390, height: 844 })
  const table = page.getByRole('table', { name: 'Traces' })
  const [edge, name] = await Promise.all([table.boundingBox(), table.getByRole('link').first().boundingBox()])
  expect(name!.x - edge!.x).toBeGreaterThanOrEqual(8)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expectClean()
  await close()
})

test('traces: found by errors, seen over time, opened in two clicks; none is an answer', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore/traces', undefined, ['404'])
  const table = page.getByRole('table', { name: 'Traces' })
  await table.getByRole('row', { name: /ams-1.*8 min/ }).waitFor()
  expect(await table.getByRole('row').count()).toBe(3)
  await page.getByText('2 traces by start and duration, 1 with errors (squares)').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('checkbox', { name: 'Errors only' }).check()
  await page.waitForURL('**/explore/traces?errors=true')
  await table.getByRole('row', { name: /ams-1/ }).waitFor({ state: 'detached' })
  expect(server.asked.some((path) => path.includes('query.attributes=%7B%22error%22%3A%22true%22%7D'))).toBe(true)
  await page.getByRole('checkbox', { name: 'Errors only' }).uncheck()

  // What did the slow one spend its time on? In three clicks.
  await page.getByRole('checkbox', { name: 'Compare ams-2: 1.17.3 → 1.18.1' }).check()
  await page.getByRole('group', { name: 'Selected traces' }).getByText('select another trace').waitFor()
  await page.getByRole('checkbox', { name: 'Compare ams-1: 1.17.3 → 1.18.1' }).check()
  await page.getByRole('link', { name: 'Compare' }).click()
  await page.waitForURL(`**/explore/traces/${FAILED_TRACE}?than=${UPGRADE_TRACE}`)
  await page.getByText('16 min, 8 min longer than', { exact: false }).waitFor()
  await page.getByText('Largest part: component kubevirt, +8 min.', { exact: false }).waitFor()
  await page.getByRole('img', { name: /^install: requirements 1 min, .* component kubevirt 12 min/ }).waitFor()
  const bars = page.getByRole('table', { name: 'Largest differences' })
  expect((await bars.getByRole('row').allInnerTexts()).slice(1).map((text) => text.replace(/\s+/g, ' '))).toEqual([
    'component kubevirt below components +8 min',
    'upgrade kubevirt-hyperconverged +1 min',
    'workload update below upgrade kubevirt-hyperconverged only in the other trace -1 min',
    'Total +8 min',
  ])
  await page
    .getByRole('table', { name: 'Phases of both' })
    .getByRole('row', { name: 'workload update none 1 min -1 min -1 min' })
    .waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  const both = page.getByRole('table', { name: 'Spans of both' })
  expect(await both.getAttribute('aria-rowcount')).toBe('8')
  expect(await columnsApart(both)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Compare with another trace' }).waitFor()
  await page.goto(`${server.origin}/explore/traces?operation=nowhere`)
  await page.getByText('No traces match these filters').waitFor()
  expectClean()
  await close()
})
