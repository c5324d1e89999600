import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { startFixtureServer, type FixtureServer } from './fixture-server.ts'
import { alertItems } from './fixtures.ts'
import { now } from './now-fixtures.ts'
import { accessibilityFaults, openPage } from './open-page.ts'
import { closeTabsInUse } from './tabs-in-use.ts'

let browser: Browser
let server: FixtureServer

beforeAll(async () => {
  browser = await launchBrowser()
  server = await startFixtureServer()
  server.answers.isLive = true
})
// Listeners are counted: those of a test that failed are none of the next one's.
afterEach(closeTabsInUse)
afterAll(async () => {
  await browser.close()
  await server.close()
})

test('a page is told what changes, moves nothing under its reader, and stands still when asked to', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const stuck = page.getByRole('table', { name: 'Stuck upgrades' })
  const clusters = async (): Promise<string[]> => stuck.getByRole('row').locator('td:first-child a').allInnerTexts()
  await page.getByText('Live', { exact: true }).waitFor()
  const read = await clusters()
  expect(server.listening()).toBe(1)

  // Told, asked for at once, and kept behind a bar: the poll alone would take a minute.
  const before = now(Date.now())
  const [first] = before.stuck.items
  const came = { ...first!, id: 'came', cluster: 'osaka-prod-2' }
  server.answers.now = () => ({
    ...now(Date.now()),
    stuck: { count: 2, items: [came, ...before.stuck.items.slice(1)] },
  })
  server.tell('upgrades')
  const bar = page.getByRole('button', { name: /1 new row, 1 removed: show/ })
  await bar.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await clusters()).toEqual(read)
  expect(await stuck.getByText('removed', { exact: true }).count()).toBe(1)
  await page.keyboard.press('u')
  await stuck.getByText('osaka-prod-2').waitFor()
  expect(await bar.count()).toBe(0)

  // Paused: it listens no more, and what is told is not asked for.
  await page.keyboard.press('p')
  await page.getByText('Paused', { exact: true }).waitFor()
  await expect.poll(() => server.listening()).toBe(0)
  const asked = server.asked.length
  await page.getByRole('button', { name: 'Resume live updates' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  // What happened meanwhile is asked for.
  await expect.poll(() => server.asked.slice(asked).includes('/api/fleet/v1/now')).toBe(true)

  // The same stream serves the next page.
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('table', { name: 'Alerts' }).waitFor()
  server.answers.alerts = () => {
    const items = alertItems(Date.now())
    return { ...items, alerts: [...items.alerts, { ...items.alerts[0]!, fingerprint: 'feedfeedfeedfeed' }] }
  }
  server.tell('alerts')
  await page.getByRole('button', { name: /^1 new alert.*: show/ }).waitFor()
  expect(server.listening()).toBe(1)

  // The past does not change.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('1 h ago')
  await page.keyboard.press('Enter')
  await page.getByText('Past', { exact: true }).waitFor()
  await expect.poll(() => server.listening()).toBe(0)

  // The story of a shift's end, here of one that ended an hour ago: two clicks, and it is on the clipboard.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.getByRole('link', { name: 'Hand over' }).click()
  await page.getByRole('button', { name: 'Copy the hand-over as Markdown' }).click()
  await page.getByText('Copied').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(
    /^# Hand-over \d{4}-[^]*\n## Stuck: 2 \(2 at the start of the shift\)\n\n- \[osaka-prod-2\]\(http:[^)]*\?at=20/,
  )
  expect(copied).toMatch(
    /\n## Firing: 35 [^]*acknowledged by [^]*\n## Silences that end within 8 h[^]*\n## Resolved alerts: \d/,
  )
  await page
    .getByRole('region', { name: 'Hand-over' })
    .getByRole('heading', { name: /^Stuck: 2/ })
    .waitFor()
  expect(await accessibilityFaults(page)).toEqual([])

  // On paper: that sheet alone, light, without what only a screen can use.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  expect(await page.getByRole('region', { name: 'Hand-over' }).isVisible()).toBe(true)
  expect(await page.getByRole('banner').isVisible()).toBe(false)
  // Evidence says of when it is, and where it was.
  await page.getByText(/^Daytwo, as of 20.*\/\?.*handover=8h/).waitFor()
  expect(await page.getByRole('navigation', { name: 'Summary' }).isVisible()).toBe(false)
  await page.locator('html:not(.theme-dark)').waitFor()
  await page.emulateMedia({ media: 'screen' })
  await page.locator('html.theme-dark').waitFor()
  expectClean()
  await close()
})

test('what is done in one tab is seen in the other', async () => {
  const items = alertItems(Date.now())
  const first = items.alerts[0]!
  let isTaken = false
  server.answers.alerts = () => {
    const { alerts, ...rest } = alertItems(Date.now())
    const acknowledged = { by: 'jana', note: 'looking', atMs: Date.now() }
    const marks = { silencedBy: [], inhibitedBy: [], mutedBy: [], receivers: [], decisions: [], acknowledged }
    return {
      ...rest,
      alerts: isTaken ? alerts.map((one) => (one.fingerprint === first.fingerprint ? { ...one, marks } : one)) : alerts,
    }
  }
  server.answers.change = () => {
    isTaken = true
    server.tell('alerts')
    return {}
  }
  const path = `/alerts/${first.fingerprint}`
  const [one, other] = [await openPage(browser, server, path), await openPage(browser, server, path)]
  await other.page
    .getByRole('article')
    .getByRole('button', { name: /^Acknowledge/ })
    .waitFor()
  await one.page
    .getByRole('article')
    .getByRole('button', { name: /^Acknowledge/ })
    .click()
  const dialog = one.page.getByRole('dialog')
  for (const field of await dialog.getByRole('textbox').all()) await field.fill('jana')
  await dialog.getByRole('button', { name: /^Acknowledge/ }).click()
  await other.page.getByRole('article').getByRole('button', { name: 'Remove acknowledgement' }).waitFor()
  await one.close()
  await other.close()
})

test('a question that is being asked is answered, however often something changes meanwhile, and asked once more', async () => {
  server.answers.now = () => now(Date.now())
  const { page, expectClean, close } = await openPage(browser, server, '/')
  await page.getByText('Live', { exact: true }).waitFor()
  const givenUp: string[] = []
  page.on('requestfailed', (request) => givenUp.push(request.url()))
  let asked = 0
  let letGo = (): void => undefined
  await page.route('**/api/fleet/v1/now', async (route) => {
    asked++
    if (asked === 1) await new Promise<void>((resolve) => (letGo = resolve))
    await route.continue()
  })
  server.tell('upgrades')
  await expect.poll(() => asked).toBe(1)
  // Of another topic, which has its own pace: it concerns the same question.
  server.tell('clusters')
  server.tell('alerts')
  // Told in order: what comes after them was heard after them.
  await page.evaluate(async () => fetch('/api/fleet/v1/alerts'))
  expect([asked, givenUp]).toEqual([1, []])
  const [first] = now(Date.now()).stuck.items
  server.answers.now = () => ({
    ...now(Date.now()),
    stuck: { count: 1, items: [{ ...first!, cluster: 'osaka-prod-2' }] },
  })
  letGo()
  await page.getByRole('table', { name: 'Stuck upgrades' }).getByText('osaka-prod-2').waitFor()
  await expect.poll(() => asked).toBe(2)
  expect(givenUp).toEqual([])
  expectClean()
  await close()
})
