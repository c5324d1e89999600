import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { alertItems } from './fixtures.ts'
import { quietNow } from './now-fixtures.ts'
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

const rows = (page: Page): ReturnType<Page['getByRole']> =>
  page
    .getByRole('table', { name: 'Alerts' })
    .getByRole('row')
    .filter({ has: page.getByRole('link') })

const focusedName = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '')

test('the worst stands first, with severity and health impact side by side', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/alerts?group=none')
  await rows(page).first().waitFor()
  expect(await rows(page).count()).toBe(24)
  expect(await rows(page).first().innerText()).toMatch(
    /critical\s+HCOOperatorConditionsUnhealthy[^]*operator unhealthy\s+firing/,
  )
  expectClean()
  await close()
})

test('beside an open alert a long list scrolls by itself: the page is no longer than the screen', async () => {
  server.answers.alerts = () => alertItems(Date.now(), 60)
  const { fingerprint } = alertItems(Date.now(), 60).alerts[0]!
  const { page, close } = await openPage(browser, server, `/alerts/${fingerprint}?group=none`)
  await page.getByRole('heading', { name: 'Meaning' }).waitFor()
  const [pageHeight, listHeight, screenHeight] = await page.evaluate(() => [
    document.documentElement.scrollHeight,
    document.querySelector('table[aria-label="Alerts"]')!.scrollHeight,
    window.innerHeight,
  ])
  expect(listHeight).toBeGreaterThan(screenHeight)
  expect(pageHeight).toBe(screenHeight)
  await close()
})

describe('filters', () => {
  test('stand in the URL, and a link brings them back', async () => {
    const { page, close } = await openPage(browser, server, '/alerts')
    await page.getByRole('button', { name: 'warning' }).click()
    await page.getByRole('button', { name: 'pending' }).click()
    await page.waitForURL('**/alerts?severity=warning&state=pending')
    const count = await rows(page).count()
    expect(count).toBeGreaterThan(0)
    await page.reload()
    await rows(page).first().waitFor()
    expect(await rows(page).count()).toBe(count)
    expect(await page.getByRole('button', { name: 'warning' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.waitForURL('**/alerts')
    expect(await rows(page).count()).toBe(24)
    await close()
  })

  test('set by a link are chips that can be taken away', async () => {
    const { page, close } = await openPage(browser, server, '/alerts?cluster=prague-prod-1')
    await rows(page).first().waitFor()
    expect(await rows(page).count()).toBe(2)
    await page.getByRole('button', { name: 'Remove filter cluster: prague-prod-1' }).click()
    await page.waitForURL('**/alerts')
    await close()
  })

  test('search finds parts of names, and says when nothing passes', async () => {
    const { page, close } = await openPage(browser, server, '/alerts')
    await rows(page).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('descheduler')
    await page.waitForURL('**/alerts?q=descheduler')
    expect(new Set(await rows(page).getByRole('link').allInnerTexts())).toEqual(
      new Set(['HCOMisconfiguredDescheduler']),
    )
    await page.keyboard.type('x')
    await page.getByText('No alert matches these filters.').waitFor()
    await close()
  })

  test('grouped by cluster, each group says how many', async () => {
    const { page, close } = await openPage(browser, server, '/alerts?group=cluster')
    await page.getByRole('button', { name: 'prague-prod-1 2 alerts' }).waitFor()
    await close()
  })
})

describe('an open alert', () => {
  test('stands beside the list, with its facts and its runbook', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts?state=firing')
    await rows(page).getByRole('link', { name: 'KubeVirtCRModified' }).first().click()
    await page.waitForURL(/\/alerts\/[0-9a-f]{16}\?state=firing$/)
    expect(await rows(page).first().isVisible()).toBe(true)
    const facts = page.getByRole('region', { name: 'Facts' })
    expect(await facts.innerText()).toMatch(/component_name\s+kubevirt\/kubevirt-kubevirt-hyperconverged/)
    expect(await facts.innerText()).toContain('fires immediately')
    const runbook = page.getByRole('region', { name: 'Runbook' })
    await runbook.getByRole('heading', { name: 'Mitigation' }).waitFor()
    expectClean()
    await page.goBack()
    await page.getByRole('article').waitFor({ state: 'detached' })
    await close()
  })

  test('is walked to, opened, read and left by keys', async () => {
    const { page, close } = await openPage(browser, server, '/alerts?group=none')
    await rows(page).first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    const names = await rows(page).getByRole('link').allTextContents()
    expect(await focusedName(page)).toBe(names[1])
    await page.keyboard.press('Enter')
    await page.getByRole('article').waitFor()
    const [first, title] = [page.url(), await page.title()]
    await page.keyboard.press('j')
    await page.waitForURL((url) => url.href !== first)
    // The address is there first.
    await page.waitForFunction((before) => document.title !== before, title)
    await page.keyboard.press('r')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('runbook')
    await page.keyboard.press('Escape')
    await page.waitForURL('**/alerts?group=none')
    expect(await focusedName(page)).toBe(names[2])
    await close()
  })

  test('whose row is far down is in view', async () => {
    server.answers.alerts = () => alertItems(Date.now(), 150)
    const { page, close } = await openPage(browser, server, '/alerts/0000000000000057')
    await page.getByRole('article').waitFor()
    const current = page.locator('tr:has([data-alert][aria-current])')
    await current.waitFor()
    const box = await current.boundingBox()
    expect(box!.y).toBeGreaterThan(0)
    expect(box!.y).toBeLessThan(900)
    await close()
  })

  test('that is gone says so', async () => {
    const { page, close } = await openPage(browser, server, '/alerts/ffffffffffffffff')
    await page.getByText('This alert is not active any more').waitFor()
    await close()
  })

  test.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('stands on its own where the list cannot be read: %s', async (_name, options) => {
    const { fingerprint, alertname } = alertItems(Date.now()).alerts[0]!
    server.answers.alerts = () => ({ status: 503, body: { error: 'overloaded', code: 'overloaded' } })
    const { page, close } = await openPage(browser, server, `/alerts/${fingerprint}`, options)
    const article = page.getByRole('article', { name: alertname })
    await article.getByRole('heading', { name: 'Mitigation' }).waitFor()
    await page.getByText('Could not load the alerts').waitFor({ state: options === PHONE ? 'hidden' : 'visible' })
    await page.keyboard.press('a')
    await page.getByRole('dialog', { name: /^Acknowledge/ }).waitFor()
    await page.keyboard.press('Escape')
    // The list that comes later takes nothing away.
    server.answers.alerts = () => alertItems(Date.now())
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await page.locator('.alerts-page-list [data-alert]').first().waitFor({ state: 'attached' })
    expect(await article.count()).toBe(1)
    await close()
  })

  test('stays beside a list that was read and cannot be read again', async () => {
    const { fingerprint, alertname } = alertItems(Date.now()).alerts[0]!
    const { page, close } = await openPage(browser, server, `/alerts/${fingerprint}`)
    await rows(page).first().waitFor()
    server.answers.alerts = () => ({ status: 503, body: { error: 'overloaded', code: 'overloaded' } })
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await page.getByText('Could not refresh the alerts: showing older data').waitFor()
    expect(await rows(page).first().isVisible()).toBe(true)
    expect(await page.getByRole('article', { name: alertname }).isVisible()).toBe(true)
    // The notice stands in the list, which keeps its place.
    const [list, detail] = await Promise.all([
      page.locator('.alerts-page-list').boundingBox(),
      page.getByRole('article').boundingBox(),
    ])
    expect(detail!.x).toBeGreaterThanOrEqual(list!.x + list!.width - 1)
    expect(detail!.y).toBe(list!.y)
    await close()
  })

  test('without a page of its name points where its rule points', async () => {
    server.answers.alerts = () => {
      const items = alertItems(Date.now(), 1)
      return {
        ...items,
        alerts: items.alerts.map((alert) => {
          const { runbook, ...others } = alert
          expect(runbook).toBeDefined()
          return { ...others, annotations: { runbook_url: 'https://runbooks.example/x' } }
        }),
      }
    }
    const { page, close } = await openPage(browser, server, '/alerts/0000000000000000')
    await page.getByText('No runbook for this alert').waitFor()
    expect(await page.getByRole('link', { name: 'https://runbooks.example/x' }).getAttribute('rel')).toBe('noreferrer')
    await close()
  })

  test('fills a phone, and its close button leads back to its row', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts', PHONE)
    await rows(page).nth(2).getByRole('link').click()
    const heading = page.getByRole('article').getByRole('heading', { level: 2 }).first()
    await heading.waitFor()
    expect(await page.getByRole('table', { name: 'Alerts' }).isVisible()).toBe(false)
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Close the alert' }).click()
    await rows(page).nth(2).waitFor()
    expectClean()
    await close()
  })
})

describe('groups', () => {
  test('of thousands of alerts are closed, and each says how bad, how many and where', async () => {
    server.answers.alerts = () => alertItems(Date.now(), 3000)
    const { page, expectClean, close } = await openPage(browser, server, '/alerts')
    await page.getByText('3 000 alerts').waitFor()
    expect(await rows(page).count()).toBe(0)
    const group = page.getByRole('row').filter({ hasText: 'HCOOperatorConditionsUnhealthy' })
    expect((await group.innerText()).replace(/\s+/g, ' ')).toMatch(
      /critical HCOOperatorConditionsUnhealthy 600 alerts 23 clusters operator unhealthy \d+ firing, \d+ pending, \d+ resolved, \d+ suppressed/,
    )
    await group.getByRole('button').click()
    expect(await rows(page).count()).toBe(100)
    await page.getByRole('button', { name: 'Show more: 2 900 alerts left' }).click()
    expect(await rows(page).count()).toBe(600)
    await group.getByRole('button').click()
    expect(await rows(page).count()).toBe(0)
    expectClean()
    await close()
  })

  test('of one list are the same for the next reader of the link', async () => {
    const { page, close } = await openPage(browser, server, '/alerts')
    await rows(page).first().waitFor()
    await page.getByLabel('Group', { exact: true }).selectOption('label:component_name')
    await page.waitForURL('**/alerts?group=label:component_name')
    await page.reload()
    await page.getByRole('button', { name: 'without component_name 19 alerts' }).waitFor()
    await page.getByRole('button', { name: /^component_name kubevirt\/\S+ 5 alerts$/ }).waitFor()
    await close()
  })

  test('are opened and closed by keys like rows', async () => {
    server.answers.alerts = () => alertItems(Date.now(), 100)
    const { page, close } = await openPage(browser, server, '/alerts')
    await page.getByText('100 alerts').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('button', { name: /^HCOOperator/ }).getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('j')
    expect(await focusedName(page)).toContain('HCOOperatorConditionsUnhealthy on')
    await close()
  })
})

describe('marks', () => {
  test('say why an alert pages nobody, in words', async () => {
    const { page, close } = await openPage(browser, server, '/alerts?group=none')
    await rows(page).first().waitFor()
    const silenced = rows(page).filter({ hasText: 'silenced' }).first()
    expect(await silenced.textContent()).toContain('silenced: 1 silence suppresses its notifications')
    expect(await silenced.getByTitle('1 silence suppresses its notifications').count()).toBeGreaterThan(0)
    expect(await rows(page).filter({ hasText: 'expected' }).first().textContent()).toContain(
      'Expected in the upgrade of fra-prod-4 from 1.18.3 to 1.19.2, phase operands: virt-handler restarts on every node',
    )
    expect(await rows(page).filter({ hasText: 'Sent by https://prometheus.example.org/graph' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Needs attention' }).click()
    await page.waitForURL('**/alerts?group=none&show=open')
    expect(
      await rows(page)
        .filter({ hasText: /silenced|acknowledged|expected|inhibited|muted/ })
        .count(),
    ).toBe(0)
    await close()
  })
})

describe('an alert that comes while somebody reads', () => {
  test('moves nothing: it is announced, and shown when asked for', async () => {
    let count = 24
    server.answers.alerts = () => {
      const items = alertItems(Date.now(), count)
      // The new one is the worst and would stand first.
      return { ...items, alerts: items.alerts.toReversed() }
    }
    const { page, expectClean, close } = await openPage(browser, server, '/alerts?group=none')
    await rows(page).first().waitFor()
    const before = await rows(page).getByRole('link').allTextContents()
    count = 27
    const bar = page.getByRole('button', { name: '3 new alerts, 2 critical: show' })
    await bar.waitFor({ timeout: 60_000 })
    expect(await rows(page).getByRole('link').allTextContents()).toEqual(before)
    await bar.click()
    expect(await rows(page).count()).toBe(27)
    await bar.waitFor({ state: 'detached' })
    expectClean()
    await close()
  })
})

test('an alert of a moment that is over tells of then, and lets nobody acknowledge or silence it', async () => {
  const { alerts, ...items } = alertItems(Date.now())
  // Of a moment neither values nor rules are kept.
  const rule = { ...alerts[0]!.rule, expr: '' }
  const then = alerts.map((alert) => ({ ...alert, value: 'NaN' as const, rule }))
  server.answers.alerts = () => ({ ...items, alerts: then })
  const { fingerprint, alertname, cluster } = alerts[0]!
  const others =
    new Set(alerts.filter((one) => one.alertname === alertname && one.state !== 'resolved').map((one) => one.cluster))
      .size - 1
  const at = encodeURIComponent('2026-08-20T09:00:00Z')
  const { page, expectClean, close } = await openPage(browser, server, `/alerts?group=none&at=${at}`)
  await rows(page).first().getByRole('checkbox').check()
  const chosen = page.getByRole('group', { name: 'Selected alerts' })
  await chosen.getByText('Actions apply to current alerts only: go back to now first.').waitFor()
  await page.goto(`${server.origin}/alerts/${fingerprint}?group=none&at=${at}`)
  const situation = page.getByRole('region', { name: 'Situation' })
  await situation.getByRole('link', { name: `Changes on ${cluster}` }).waitFor()
  await situation.getByText('Not available: only the current value is stored.').waitFor()
  const facts = page.getByRole('region', { name: 'Facts' })
  await facts.getByText('Not stored: the rule may have changed since then.').waitFor()
  expect(await page.getByText('NaN').count()).toBe(0)
  const elsewhere = await situation.getByRole('group', { name: 'Other clusters with this alert' }).innerText()
  expect(elsewhere).toMatch(
    others === 0
      ? /No other cluster had this alert/
      : new RegExp(String.raw`\b${others} other clusters? had this alert`),
  )
  for (const deed of ['Acknowledge', 'Silence', 'Remove acknowledgement'])
    expect(await page.getByRole('button', { name: deed }).count()).toBe(0)
  for (const key of ['a', 's']) await page.keyboard.press(key)
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'Show current state' }).click()
  await page.getByRole('button', { name: 'Acknowledge', exact: false }).first().waitFor()
  expect(new URL(page.url()).search).not.toContain('at=')
  expectClean()
  await close()
})

test('rules that fail are named above the list they leave incomplete', async () => {
  const failing = [{ group: 'hco', rule: 'KubeVirtCRModified', error: 'many-to-many matching not allowed' }]
  server.answers.alerts = () => ({ ...alertItems(Date.now()), failing })
  const { page, close } = await openPage(browser, server, '/alerts')
  await page.getByText('1 rule could not be evaluated: alerts may be missing').waitFor()
  await page.getByText('Failing rules').click()
  await page.getByText('many-to-many matching not allowed').waitFor()
  await close()
})

describe('no alert', () => {
  test('is good news when the fleet reports', async () => {
    server.answers.alerts = () => ({ asOfMs: Date.now(), alerts: [], failing: [] })
    server.answers.now = () => quietNow(Date.now())
    const { page, close } = await openPage(browser, server, '/alerts')
    await page.getByText('No firing or pending alerts.').waitFor()
    await page.getByText('198 of 200 clusters reporting').waitFor()
    await close()
  })

  test('is no news when nobody reports', async () => {
    server.answers.alerts = () => ({ asOfMs: Date.now(), alerts: [], failing: [] })
    server.answers.now = () => ({
      ...quietNow(Date.now()),
      clusters: { ...quietNow(Date.now()).clusters, total: 3, reporting: 0 },
    })
    const { page, close } = await openPage(browser, server, '/alerts')
    await page.getByText('No alerts: no data to evaluate').waitFor()
    await close()
  })
})
