import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { launchBrowser, sharedBrowser } from '../../support/browser.ts'
import { fleetAnswer } from './fleet-answers.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { SETTINGS } from './fixtures.ts'
import { now } from './now-fixtures.ts'
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

const isDark = (): boolean => document.documentElement.classList.contains('theme-dark')

test('the five places are links, and say where one is', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const places = page.getByRole('navigation', { name: 'Places' })
  for (const name of ['Fleet', 'Adoption', 'Explore', 'Alerts', 'Now']) {
    await places.getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name: name }).waitFor({ state: 'attached' })
    expect(await places.locator('[aria-current=page]').innerText()).toContain(name)
  }
  expectClean()
  await close()
})

test('a moment of the past is asked for, kept by links, changed, and left', async () => {
  const fields = ['stuck.cause', 'clusters.silent']
  const past = { unavailable: fields, untold: fields, knownFrom: null }
  server.answers.now = () => ({ ...now(Date.now()), past })
  const { page, expectClean, close } = await openPage(browser, server, '/?at=2026-08-20T09:00:00Z')
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/fleet/v1/now') asked.push(searchParams.get('at') ?? 'now')
  })
  const bar = page.getByText('State at')
  await bar.waitFor()
  await page.getByRole('button', { name: 'Not available: 2' }).click()
  const untold = page.getByRole('group', { name: 'Data not available for this time' }).getByRole('listitem')
  expect(await untold.allInnerTexts()).toEqual(['the cause of a stuck upgrade', 'which clusters were silent'])
  await page.getByRole('button', { name: '1 h earlier' }).click()
  await page.waitForURL(/at=2026-08-20T08%3A00%3A00Z/)
  await expect.poll(() => asked.at(-1)).toBe('2026-08-20T08:00:00Z')
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Alerts' }).click()
  await page.waitForURL(/\/alerts\?at=2026-08-20T08%3A00%3A00Z/)
  // What the numbers in the masthead do not know is not missing here.
  await page.getByRole('table', { name: 'Alerts' }).waitFor()
  expect(await page.getByRole('button', { name: 'Not available' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Back to now' }).click()
  await page.waitForURL(/\/alerts$/)
  await expect.poll(() => asked.at(-1)).toBe('now')
  expect(await bar.count()).toBe(0)
  expectClean()
  await close()
})

describe('who is signed in', () => {
  const ada = { name: 'ada@example.com', role: 'responder', via: 'session' } as const

  test('is said in the masthead; the dialog has the role, and signs out', async () => {
    server.answers.settings = () => ({ ...SETTINGS, signedIn: ada })
    server.answers.change = () => ({ to: '/fleet?signed=out' })
    const { page, expectClean, close } = await openPage(browser, server, '/alerts')
    await page.getByRole('button', { name: 'Signed in as ada@example.com: account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('ada@example.com (responder)').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/fleet?signed=out')
    expect(server.sent.at(-1)).toMatchObject({ method: 'POST', path: '/api/ui/v1/sign-out' })
    expectClean()
    await close()
  })

  test('the masthead has the clusters of a scope and how many are shown, the dialog also those of other roles', async () => {
    const scopes = [
      { role: 'viewer', clusters: 'region=eu,cluster=lab-*' },
      { role: 'responder', clusters: 'cluster=lab-*' },
    ]
    server.answers.settings = () => ({ ...SETTINGS, signedIn: { ...ada, scopes, clusters: 34 } })
    server.answers.isLive = true
    const { page, expectClean, close } = await openPage(browser, server, '/alerts')
    await page.getByRole('button', { name: '34 clusters: region=eu or cluster=lab-*' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('34 clusters: region=eu or cluster=lab-*').waitFor()
    await dialog.getByText('responder: cluster=lab-*').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    // Events are about all clusters: the page polls.
    await page.getByText('Polling').waitFor()
    expectClean()
    await close()
  })

  test('that it could not be ended is said, and nothing else happens', async () => {
    server.answers.settings = () => ({ ...SETTINGS, signedIn: ada })
    server.answers.change = () => ({ status: 503, body: { error: 'the disk is full', code: 'storage_full' } })
    const { page, close } = await openPage(browser, server, '/', undefined, ['503'])
    await page.getByRole('button', { name: 'Signed in as' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Could not sign out').waitFor()
    await page.getByText('The disk is full').waitFor()
    await close()
  })

  test.each([
    ['token', 'Token sre (viewer)'],
    ['proxy', 'sre (viewer)'],
  ] as const)('by a %s is said on a phone too, and ends elsewhere', async (via, says) => {
    server.answers.settings = () => ({ ...SETTINGS, signedIn: { name: 'sre', role: 'viewer', via } })
    const { page, expectClean, close } = await openPage(browser, server, '/', PHONE)
    await page.getByRole('button', { name: 'View and help' }).click()
    await page.getByRole('dialog').getByText(says, { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
    expectClean()
    await close()
  })
})

describe('the theme', () => {
  test('follows the system, until somebody chooses', async () => {
    const { page, close } = await openPage(browser, server, '/fleet', { ...DESKTOP, colorScheme: 'dark' })
    expect(await page.evaluate(isDark)).toBe(true)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.waitForFunction(() => !document.documentElement.classList.contains('theme-dark'))
    await page.getByRole('button', { name: 'Theme system: change to light' }).click()
    await page.getByRole('button', { name: 'Theme light: change to dark' }).click()
    expect(await page.evaluate(isDark)).toBe(true)
    await page.reload()
    expect(await page.evaluate(isDark)).toBe(true)
    await close()
  })

  test('survives storage that holds something else', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/fleet')
    for (const kept of ['nonsense', '[]', '"x"', 'null', '{"theme":7,"zone":"mars"}']) {
      await page.evaluate((text) => {
        localStorage.setItem('daytwo.preferences', text)
      }, kept)
      await page.reload()
      await page.getByRole('heading', { name: 'Fleet' }).waitFor()
    }
    expectClean()
    await close()
  })
})

test('times change to UTC by a button that says what it is for, and carry both', async () => {
  const { page, close } = await openPage(browser, server, '/')
  const seen = page.getByRole('table', { name: 'Silent clusters' }).getByRole('time').first()
  await seen.waitFor()
  expect(await seen.getAttribute('title')).toMatch(/^26 min ago\n[\d-]+ [\d:]+ \+0[12]:00\n[\d-]+ [\d:]+ UTC$/)
  const zone = page.getByRole('button', { name: 'Times are local: change to UTC' })
  const tip = page.getByText('Times are in your zone')
  await zone.hover()
  await tip.waitFor()
  await page.keyboard.press('Escape')
  await tip.waitFor({ state: 'detached' })
  await zone.click()
  expect(await seen.getAttribute('title')).toMatch(/^26 min ago\n[\d-]+ [\d:]+ UTC\n/)
  await close()
})

test('a demo says that it is one', async () => {
  const { page, close } = await openPage(browser, server, '/')
  await page.getByText('Demo: simulated fleet').waitFor()
  await close()
  server.answers.settings = () => ({ ...SETTINGS, isDemo: false })
  const real = await openPage(browser, server, '/')
  await real.page.getByText('2 upgrades are stuck.').waitFor()
  expect(await real.page.getByText(/^Demo/).count()).toBe(0)
  await real.close()
})

describe('the tour of a demo', () => {
  const openTour = async (options: BrowserContextOptions = DESKTOP): Promise<Page> => {
    const page = await (await browser.newContext(options)).newPage()
    await page.goto(server.origin)
    return page
  }
  const tour = (page: Page) => page.getByRole('complementary', { name: 'Tour of the demo' })

  test('leads to cases by keyboard, counts those that were opened, and is dismissed for good', async () => {
    const page = await openTour()
    await tour(page)
      .getByText(/^Tour: \d cases in this fleet/)
      .waitFor()
    const links = tour(page).getByRole('link')
    expect(await links.count()).toBeGreaterThan(2)
    await links.first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/fleet\/upgrades\//)
    await tour(page).getByText('1 opened').waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.reload()
    await tour(page).getByText('1 opened').waitFor()
    await tour(page).getByRole('button', { name: 'Dismiss the tour' }).press('Enter')
    await tour(page).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Demo: simulated fleet').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await tour(page).count()).toBe(0)
    await page.context().close()
  })

  test('is closed on a phone, above the places', async () => {
    const page = await openTour(PHONE)
    const summary = tour(page).getByText(/^Tour: /)
    await summary.waitFor()
    expect(await tour(page).getByRole('link').first().isVisible()).toBe(false)
    await summary.click()
    await tour(page).getByRole('link').first().waitFor({ state: 'visible' })
    await page.context().close()
  })

  test('is not there on a server with real clusters', async () => {
    server.answers.settings = () => ({ ...SETTINGS, isDemo: false })
    const page = await openTour()
    await page.getByText('2 upgrades are stuck.').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await tour(page).count()).toBe(0)
    await page.context().close()
  })
})

describe('keys', () => {
  test('go to places, change the density, and show themselves', async () => {
    const { page, close } = await openPage(browser, server, '/')
    await page.getByText('2 upgrades are stuck.').waitFor()
    for (const [key, path] of [
      ['f', '/fleet'],
      ['a', '/adoption'],
      ['l', '/alerts'],
      ['e', '/explore'],
      ['n', '/'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.waitForURL(`${server.origin}${path}`)
    }
    await page.keyboard.press('d')
    expect(await page.evaluate(() => document.documentElement.dataset['density'])).toBe('dense')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'View and keys' }).getByText('go to the runbook').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    expect(page.url()).toBe(`${server.origin}/`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await close()
  })

  test('Tab reaches the content first, past the masthead', async () => {
    const { page, close } = await openPage(browser, server, '/fleet')
    await page.getByRole('heading', { name: 'Fleet' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
    await close()
  })
})

describe('the command menu', () => {
  test('goes where one types, by keys alone', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/')
    await page.getByText('2 upgrades are stuck.').waitFor()
    await page.keyboard.press('Control+K')
    const field = page.getByRole('combobox')
    await field.waitFor()
    // Asked while somebody types: the server knows clusters that no alert names.
    await page.keyboard.type('prod-001')
    await page
      .getByRole('option', { name: /^prod-001\d\s*cluster$/ })
      .first()
      .waitFor()
    await page.getByText(/^Clusters \d+/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await expect.poll(() => server.asked.some((path) => /\/clusters\?.*text=prod-001/.test(path))).toBe(true)
    await field.fill('pause')
    await page.getByRole('option', { name: /^Pause/ }).waitFor()
    await field.fill('runbook cr')
    await page.getByRole('option', { name: /Runbook KubeVirtCRModified/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/rb/KubeVirtCRModified')
    expectClean()
    await close()
  })

  test('asks in PromQL last, and says that clusters could not be looked for', async () => {
    server.answers.fleet = (url) =>
      url.searchParams.has('text')
        ? { status: 503, body: { error: 'overloaded', code: 'overloaded' } }
        : fleetAnswer(url, Date.now())
    const { page, close } = await openPage(browser, server, '/')
    await page.getByText('2 upgrades are stuck.').waitFor()
    await page.keyboard.press('Control+K')
    await page.getByRole('combobox').fill('modified')
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
    await options.filter({ hasText: 'Runbook KubeVirtCRModified' }).waitFor()
    expect(await options.last().innerText()).toMatch(/^Query modified/)
    await page.getByRole('status').getByText('Could not load clusters').waitFor()
    await close()
  })

  test('keeps the selected command when others are found later', async () => {
    const { page, close } = await openPage(browser, server, '/fleet')
    let answer = (): void => undefined
    const isAnswered = new Promise<void>((done) => {
      answer = done
    })
    const alerts = '**/api/fleet/v1/alerts*'
    await page.route(alerts, async (route) => {
      await isAnswered
      await route.continue()
    })
    await page.getByRole('button', { name: /Command menu/ }).click()
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
    await options.filter({ hasText: 'State 7 days ago' }).waitFor()
    await page.keyboard.press('ArrowUp')
    answer()
    await options.filter({ hasText: 'Alerts of prague-prod-1' }).waitFor()
    expect(await options.and(page.getByRole('option', { selected: true })).innerText()).toMatch(/^State 7 days ago/)
    await page.unroute(alerts)
    await close()
  })

  test('moves by arrows, runs a query, and says when there is nothing', async () => {
    const { page, close } = await openPage(browser, server, '/fleet')
    await page.getByRole('button', { name: /Command menu/ }).click()
    const commands = page.getByRole('listbox', { name: 'Commands' })
    await commands.waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await commands.getByRole('option', { selected: true }).innerText()).toMatch(/^Adoption/)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await commands.getByRole('option', { selected: true }).innerText()).toMatch(/^State 7 days ago/)
    await page.keyboard.type('up == 0')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/explore?expr=up+%3D%3D+0')
    await close()
  })
})

test('a phone changes the view in a dialog', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/', PHONE)
  await page.getByRole('button', { name: 'View and help' }).click()
  await page.getByRole('button', { name: 'Dark' }).click()
  expect(await page.evaluate(isDark)).toBe(true)
  // No key pauses here.
  await page.getByRole('button', { name: 'Paused' }).click()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('status').getByText('Paused').waitFor()
  expectClean()
  await close()
})

test('a locale that is no language tag does not stop the page', async () => {
  const plain = await launchBrowser({ LANG: 'C', LC_ALL: 'C' })
  const { page, expectClean, close } = await openPage(plain, server, '/')
  await page.getByText('2 upgrades are stuck.').waitFor()
  expectClean()
  await close()
  await plain.close()
})

test('browser telemetry is fetched only when the server has an address for it', async () => {
  const without = await openPage(browser, server, '/fleet')
  const scripts: string[] = []
  without.page.on('request', (request) => scripts.push(request.url()))
  await without.page.waitForEvent('request', (request) => request.url().includes('runbook-page'))
  expect(scripts.filter((url) => url.includes('/collect'))).toEqual([])
  await without.close()
  server.answers.settings = () => ({ ...SETTINGS, faroUrl: `${server.origin}/collect` })
  const withFaro = await openPage(browser, server, '/fleet')
  const sent = await withFaro.page.waitForRequest((request) => request.url().endsWith('/collect'))
  expect(sent.method()).toBe('POST')
  expect(sent.postDataJSON()).toMatchObject({ meta: { app: { name: 'daytwo-web', version: '0.1.0' } } })
  await withFaro.close()
})

test('a page whose files did not come says so, and is there when it is loaded again', async () => {
  const { page, close } = await openPage(browser, server, '/')
  await page.getByText('2 upgrades are stuck.').waitFor()
  await page.route('**/assets/adoption-*', (route) => route.abort())
  await page.getByRole('link', { name: 'Adoption' }).first().click()
  await page.getByText('The code for this page').waitFor()
  await page.unroute('**/assets/adoption-*')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Adoption' }).waitFor()
  await close()
})

test('a moment that cannot be read is said to be none: the page is of the present', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/?at=yesterday')
  await page.getByText('Showing the current state: the time “yesterday” in the link is not valid').waitFor()
  await page.getByText('2 upgrades are stuck.').waitFor()
  expectClean()
  await close()
})

test('a moment that is yet to come shows nothing as if it were known, and leads back', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/adoption?at=2090-01-01T00:00:00Z')
  await page.getByText('The selected time is in the future').waitFor()
  expect(server.asked.filter((path) => path.includes('2090'))).toEqual([])
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Back to now' }).click()
  await page.waitForURL(`${server.origin}/adoption`)
  await page.getByRole('heading', { name: 'Share over time' }).waitFor()
  expectClean()
  await close()
})

test('a moment that the server refuses is said in words, with a way back', async () => {
  server.answers.now = () => ({ status: 400, body: { error: 'invalid parameter "at": got "x", want another' } })
  const { page, close } = await openPage(browser, server, '/?at=2026-08-20T09:00:00Z')
  await page.getByText('The selected time is in the future of the server clock').waitFor()
  expect(await page.getByText('invalid parameter').count()).toBe(0)
  server.answers.now = usualAnswers().now
  await page.getByRole('main').getByRole('button', { name: 'Back to now' }).click()
  await page.getByText('2 upgrades are stuck.').waitFor()
  await close()
})
