import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { openPage, PHONE } from './open-page.ts'

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

/** Files of a page may take a while on a busy machine. */
const PATIENTLY = { timeout: 20_000 }

/** What has the focus: its element, and what it says. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    return `${element?.localName ?? ''} ${(element?.textContent ?? '').slice(0, 60)}`.trim()
  })
}

const announced = (page: Page): Promise<string> => page.locator('[data-announces=page]').innerText()

test('a page that is gone to has the focus on its heading, and its title is announced', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/')
  await page.getByText('2 upgrades are stuck.').waitFor()
  expect(await announced(page)).toBe('')
  const places = page.getByRole('navigation', { name: 'Places' })
  await places.getByRole('link', { name: 'Fleet' }).click()
  await expect.poll(() => focused(page), PATIENTLY).toBe('h1 Fleet: clusters')
  await expect.poll(() => announced(page), PATIENTLY).toBe('Clusters · Daytwo')
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await expect.poll(() => focused(page), PATIENTLY).toBe('h1 Alerts')
  await expect.poll(() => announced(page), PATIENTLY).toBe('Alerts · Daytwo')
  await page.goBack()
  await expect.poll(() => focused(page), PATIENTLY).toBe('h1 Fleet: clusters')
  await expect.poll(() => announced(page), PATIENTLY).toBe('Clusters · Daytwo')
  // From there the next key is on the page, not in the masthead.
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
  expectClean()
  await close()
})

test('the heading of a page whose answer comes later keeps the focus', async () => {
  const { page, close } = await openPage(browser, server, '/fleet')
  const cluster = page.getByRole('link', { name: 'ams-stuck-1', exact: true })
  await cluster.waitFor()
  // Held back, so that the page stands without its answer first.
  let answer = (): void => undefined
  const asked = new Promise<void>((done) => {
    answer = done
  })
  await page.route('**/api/fleet/v1/clusters/ams-stuck-1*', async (route) => {
    await asked
    await route.fallback()
  })
  await cluster.click()
  await expect.poll(() => focused(page), PATIENTLY).toBe('h1 ams-stuck-1')
  answer()
  await page.getByRole('heading', { name: 'Active upgrades' }).waitFor()
  expect(await focused(page)).toBe('h1 ams-stuck-1')
  await page.unrouteAll()
  await close()
})

test('a page that is gone to begins at its top, and one that is gone back to where it was left', async () => {
  const { page, close } = await openPage(browser, server, '/', { viewport: { width: 1200, height: 400 } })
  await page.getByText('2 upgrades are stuck.').waitFor()
  const last = page.getByRole('table', { name: 'Silent clusters' }).getByRole('link').last()
  await last.scrollIntoViewIfNeeded()
  const leftAt = await page.evaluate(() => scrollY)
  expect(leftAt).toBeGreaterThan(0)
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('table', { name: 'Alerts' }).waitFor()
  expect(await page.evaluate(() => scrollY)).toBe(0)
  await page.goBack()
  await expect.poll(() => page.evaluate(() => scrollY), PATIENTLY).toBe(leftAt)
  await close()
})

test('the focus stays where it is when only a question changes, when an alert opens beside its list, and in a dialog', async () => {
  const { page, close } = await openPage(browser, server, '/alerts?group=none')
  await page.getByRole('table', { name: 'Alerts' }).waitFor()
  await page.keyboard.press('j')
  const row = await focused(page)
  expect(row).toMatch(/^a /)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/alerts\/[0-9a-f]+/)
  await page.getByRole('article').waitFor()
  expect(await focused(page)).toBe(row)
  await page.keyboard.press('Escape')
  await page.waitForURL('**/alerts?group=none')
  await expect.poll(() => focused(page), PATIENTLY).toBe(row)
  const search = page.getByLabel('Search alerts and clusters')
  await search.fill('virt')
  await page.waitForURL(/virt/)
  expect(await focused(page)).toMatch(/^input/)
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  expect(await focused(page)).toMatch(/^input/)
  expect(await announced(page)).toBe('')
  await close()
})

test('a field that begins with the focus has it', async () => {
  const { page, close } = await openPage(browser, server, '/')
  await page.getByText('2 upgrades are stuck.').waitFor()
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox').fill('up == 0')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/explore?expr=*')
  await expect.poll(() => announced(page), PATIENTLY).toBe('Explore · Daytwo')
  await close()
})

test.each([
  ['desktop', undefined],
  ['phone', PHONE],
])('an alert that a link elsewhere opens has the focus on its own heading: %s', async (_name, options) => {
  const { page, close } = await openPage(browser, server, '/', options)
  await page.getByText('2 upgrades are stuck.').waitFor()
  const single = page.getByRole('table', { name: 'Firing by alert' }).locator('a[href^="/alerts/"]').first()
  await single.click()
  await page.getByRole('article').waitFor()
  await expect.poll(() => focused(page), PATIENTLY).toMatch(/^h2 /)
  await close()
})

test('the first page leaves the focus alone: the way past the masthead comes first', async () => {
  const { page, close } = await openPage(browser, server, '/fleet')
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  expect(await announced(page)).toBe('')
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('a Skip to content')
  await close()
})

test('what is typed right after the key that opens the command menu is in it, the first time too', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/alerts')
  await page.getByRole('table', { name: 'Alerts' }).waitFor()
  // Its files come when there is time.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/command-menu-')),
  )
  await page.keyboard.press('Control+k')
  await page.keyboard.type('adopt')
  expect(await page.getByRole('dialog').getByRole('combobox').inputValue()).toBe('adopt')
  expectClean()
  await close()
})
