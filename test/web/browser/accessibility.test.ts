import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { SILENCE_ID } from './alerting-fixtures.ts'
import { startFixtureServer, usualAnswers, type Answers, type FixtureServer } from './fixture-server.ts'
import { boundRunbook } from './fixtures.ts'
import { firstNow, quietNow } from './now-fixtures.ts'
import { accessibilityFaults, DESKTOP, openPage } from './open-page.ts'

// Measuring every contrast three times is seconds of work where two cores are shared.
vi.setConfig({ testTimeout: 90_000 })

let browser: Browser
let server: FixtureServer

beforeAll(async () => {
  browser = await sharedBrowser()
  server = await startFixtureServer()
})
afterAll(async () => {
  await server.close()
})

interface Screen {
  readonly name: string
  readonly path: string
  /** A text that stands there when the page is whole. */
  readonly shows: string
  readonly answers?: Partial<Answers>
  readonly allowed?: readonly string[]
}

const SCREENS: readonly Screen[] = [
  { name: 'now', path: '/', shows: '2 upgrades are stuck.' },
  { name: 'now, all quiet', path: '/', shows: 'No stuck upgrades.', answers: { now: () => quietNow(Date.now()) } },
  {
    name: 'no cluster yet',
    path: '/',
    shows: 'No cluster has reported yet',
    answers: { now: () => firstNow(Date.now()) },
  },
  {
    name: 'now, failed',
    path: '/',
    shows: 'Could not load the fleet state',
    answers: { now: () => ({ status: 503, body: { error: 'overloaded', code: 'overloaded' } }) },
    allowed: ['503'],
  },
  { name: 'alerts', path: '/alerts?group=cluster&severity=warning', shows: 'Needs attention' },
  {
    name: 'no alerts, failing rule',
    path: '/alerts',
    shows: 'No alerts from the working rules',
    answers: {
      alerts: () => ({ asOfMs: Date.now(), alerts: [], failing: [{ group: 'g', rule: 'R', error: 'many-to-many' }] }),
    },
  },
  { name: 'an alert', path: '/alerts/0000000000000001', shows: 'Notifications' },
  {
    name: 'a runbook, filled in',
    path: '/rb/KubeVirtCRModified?instance=0000000000000001',
    shows: 'Other clusters with this alert',
  },
  {
    name: 'a runbook, many alerts',
    path: '/rb/KubeVirtCRModified',
    shows: 'active alerts (most severe first)',
    answers: { runbook: (name) => boundRunbook(Date.now(), name, 14, false) },
  },
  { name: 'resolved alerts', path: '/alerts/resolved', shows: '59 occurrences.' },
  { name: 'rules', path: '/alerts/rules', shows: '8 rules in 1 group' },
  { name: 'a rule', path: '/alerts/rules/KubeVirtCRModified', shows: 'Lint findings' },
  { name: 'silences', path: `/alerts/silences?id=${SILENCE_ID}`, shows: 'Suppresses 2 alerts now' },
  { name: 'delivery', path: '/alerts/delivery', shows: '12 failures in a row' },
  { name: 'lint', path: '/alerts/lint', shows: 'Every alert has a runbook' },
  { name: 'clusters', path: '/fleet', shows: 'prod-0003' },
  { name: 'a cluster', path: '/fleet/clusters/ams-stuck-1', shows: 'conditions[Degraded].status' },
  {
    name: 'upgrades',
    path: '/fleet/upgrades?compare=u-stuck&compare=u-0',
    shows: 'Aligned at the start of each upgrade',
  },
  { name: 'an upgrade', path: '/fleet/upgrades/u-stuck', shows: '7 of 12 updated' },
  { name: 'edges', path: '/fleet/edges', shows: 'Width: attempts' },
  {
    name: 'an edge',
    path: '/fleet/edges/kubevirt-hyperconverged/1.17.3/1.18.1?than=1.16.0..1.17.3',
    shows: 'is higher than that of',
  },
  { name: 'plan, no target yet', path: '/fleet/plan', shows: 'Select clusters and a target.' },
  { name: 'plan', path: '/fleet/plan?target=4.18', shows: '12 clusters' },
  { name: 'stranded versions', path: '/fleet/edges?show=stranded', shows: 'no upgrade observed' },
  { name: 'readiness', path: '/fleet/readiness', shows: 'Accepted risks' },
  { name: 'offered updates', path: '/fleet/edges?show=offered', shows: 'Conditional risks' },
  { name: 'feature gates', path: '/fleet/gates', shows: 'Last set' },
  { name: 'a feature gate', path: '/fleet/gates/downwardMetrics', shows: 'Set by JSON patch' },
  { name: 'JSON patches', path: '/fleet/patches?class=gate', shows: 'PasstIPStackMigration' },
  { name: 'a JSON patch', path: '/fleet/patches/copy', shows: 'Merge this into HyperConverged' },
  { name: 'modifications', path: '/fleet/modifications', shows: 'By hour of the day' },
  { name: 'adoption', path: '/adoption', shows: 'reporting clusters (51 %)' },
  { name: 'explore', path: '/explore?expr=ALERTS&tab=table', shows: '14 series' },
  { name: 'nothing here', path: '/nothing', shows: 'There is no page at /nothing' },
]

/** What makes the page scroll sideways or is cut off: nothing, or the elements that reach over its edge or their panel's. */
async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const rightOf = (element: Element): number => element.getBoundingClientRect().right
    const cut = [...document.querySelectorAll('table')].filter((table) => {
      const panel = table.closest('.table-scroll') === null ? table.closest('.panel, .table-box') : null
      return panel !== null && rightOf(table) > rightOf(panel) + 1
    })
    // A name of a few letters a line is not read.
    const narrow = [...document.querySelectorAll('td.cell-name, th.cell-name')].filter((cell) => {
      const { width } = cell.getBoundingClientRect()
      return width > 0 && width < 56
    })
    const faults = [...cut, ...narrow].map((element) => `${element.outerHTML.slice(0, 80)} is cut off or too narrow`)
    if (document.documentElement.scrollWidth <= window.innerWidth) return faults
    const over = [...document.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > window.innerWidth,
    )
    return over.map((element) => `${element.outerHTML.slice(0, 80)} to ${element.getBoundingClientRect().right} px`)
  })
}

/** Looks at a page in both themes, and in one of them at the width of a small phone. */
async function expectAccessible(page: Page, isPhoneScreen = false): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 1440],
    ['dark', 360],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The page hears of the change in its own time; measured in between, half of it has the other theme's colours.
    await page.waitForFunction(
      (isDark) => document.documentElement.classList.contains('theme-dark') === isDark,
      colorScheme === 'dark',
    )
    // On a phone the same elements stand in another order; measuring a few screens there is enough.
    if (width > 360 || isPhoneScreen) {
      // Of one screen the themes differ in their colours only.
      const rules = colorScheme === 'dark' && width > 360 ? ['color-contrast'] : undefined
      expect(await accessibilityFaults(page, rules), `${colorScheme}, ${width} px`).toEqual([])
    }
    expect(await tooWide(page), `too wide at ${width} px`).toEqual([])
  }
}

test.each(SCREENS)('$name has no fault that axe finds, and fits', async ({ name, path, shows, answers, allowed }) => {
  Object.assign(server.answers, usualAnswers(), answers)
  const { page, expectClean, close } = await openPage(browser, server, path, DESKTOP, allowed)
  await page.getByText(shows).first().waitFor()
  await expectAccessible(page, ['now', 'alerts', 'an alert', 'a runbook, filled in'].includes(name))
  expectClean()
  await close()
})

test('the dialogs have no fault that axe finds', async () => {
  Object.assign(server.answers, usualAnswers())
  const { page, expectClean, close } = await openPage(browser, server, '/nothing')
  await page.getByText('There is no page at /nothing').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'KubeVirtCRModified' }).first().waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'View and keys' }).waitFor()
  await expectAccessible(page)
  expectClean()
  await close()
})

test('the forms for acknowledging and silencing have no fault that axe finds', async () => {
  Object.assign(server.answers, usualAnswers())
  const { page, expectClean, close } = await openPage(browser, server, '/alerts/0000000000000001')
  await page.getByRole('article').waitFor()
  await page.keyboard.press('a')
  await page.getByRole('dialog', { name: 'Acknowledge KubeVirtCRModified' }).waitFor()
  await expectAccessible(page, true)
  await page.keyboard.press('Escape')
  await page.keyboard.press('s')
  await page.getByText('Suppresses 1 alert now').waitFor()
  await expectAccessible(page, true)
  expectClean()
  await close()
})

test('old data stays readable when the server is gone', async () => {
  Object.assign(server.answers, usualAnswers())
  const { page, close } = await openPage(browser, server, '/')
  await page.getByText('2 upgrades are stuck.').waitFor()
  server.answers.now = () => 'drop'
  await page.getByText('Could not refresh the fleet state').waitFor()
  await expectAccessible(page)
  await close()
})

test("where the reader's system chooses the colours, bars and swatches are still seen", async () => {
  Object.assign(server.answers, usualAnswers())
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const surfaces = async (parts: string): Promise<readonly string[]> =>
    page
      .locator(parts)
      .evaluateAll((elements) => [...new Set(elements.map((element) => getComputedStyle(element).backgroundColor))])
  await page.emulateMedia({ forcedColors: 'active' })
  await page.getByText('2 upgrades are stuck.').waitFor()
  const canvas = await surfaces('body')
  expect(await surfaces('.bar-list-track span')).not.toEqual(canvas)
  await page.goto(`${server.origin}/fleet`)
  await page.getByRole('link', { name: 'ams-stuck-1' }).waitFor()
  // Old and new versions differ.
  expect((await surfaces('.version-mark-swatch')).length).toBeGreaterThan(1)
  // Where one is.
  const lines = await page.evaluate(() => ({
    place: getComputedStyle(document.querySelector('.place-nav a[aria-current]')!, '::after').backgroundColor,
    pages: [...document.querySelectorAll('.pages-nav a')].map((link) => getComputedStyle(link).borderBottomColor),
  }))
  expect([lines.place]).not.toEqual(canvas)
  expect(lines.pages.filter((colour) => colour !== canvas[0])).toHaveLength(1)
  // Which option is chosen.
  await page.goto(`${server.origin}/alerts`)
  await page.getByRole('button', { name: 'Needs attention' }).waitFor()
  const chosen = await surfaces('button[aria-pressed="true"]')
  const others = await surfaces('button[aria-pressed="false"]')
  expect(chosen.filter((colour) => others.includes(colour))).toEqual([])
  await page.goto(`${server.origin}/fleet`)
  // The colours of charts are those of the theme that fits the system's ground, whatever theme was chosen.
  const isDark = (): Promise<boolean> => page.evaluate(() => document.documentElement.classList.contains('theme-dark'))
  await page.evaluate(() => {
    localStorage.setItem('daytwo.preferences', JSON.stringify({ theme: 'light' }))
  })
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  await page.reload()
  await page.getByRole('link', { name: 'ams-stuck-1' }).waitFor()
  expect(await isDark()).toBe(true)
  await page.emulateMedia({ forcedColors: 'none', colorScheme: 'dark' })
  await page.waitForFunction(() => !document.documentElement.classList.contains('theme-dark'))
  expectClean()
  await close()
})
