import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import {
  alertRuns,
  deliveries,
  lintReport,
  pageOfDeliveries,
  pageOfRuns,
  SILENCE_ID,
  silences,
} from './alerting-fixtures.ts'
import { startFixtureServer, usualAnswers, type FixtureServer, type Sent } from './fixture-server.ts'
import { alertItems } from './fixtures.ts'
import { DESKTOP, openPage, PHONE } from './open-page.ts'

// The pages beside the list of active alerts: resolved ones, rules, silences, delivery, lint.

let browser: Browser
let server: FixtureServer
let sent: Sent[]

beforeAll(async () => {
  browser = await sharedBrowser()
  server = await startFixtureServer()
})
afterAll(async () => {
  await server.close()
})
beforeEach(() => {
  Object.assign(server.answers, usualAnswers())
  sent = []
  const usual = server.answers.change
  server.answers.change = (change) => {
    sent.push(change)
    return usual(change)
  }
})

describe('resolved alerts', () => {
  test('are found by any part of what they were about', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts')
    await page.getByRole('navigation', { name: 'Pages of Alerts' }).getByRole('link', { name: 'Resolved' }).click()
    await page.getByText('59 occurrences.').waitFor()
    await page.getByRole('button', { name: 'Resolved and firing' }).click()
    await page.getByText('60 occurrences.').waitFor()
    await page.getByRole('button', { name: 'Resolved', exact: true }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('vm-7')
    await page.waitForURL('**/alerts/resolved?q=vm-7')
    await page.getByText('1 of 59 occurrences.').waitFor()
    const row = page.getByRole('table', { name: 'Occurrences' }).getByRole('row').last()
    expect(await row.innerText()).toMatch(
      /warning\s+VMCannotBeEvicted\s+name=vm-7\s+acknowledged by night shift[^]*11 min/,
    )
    expectClean()
    await close()
  })

  test('of one alert on one cluster, as its link asks, over another time', async () => {
    const { page, close } = await openPage(
      browser,
      server,
      '/alerts/resolved?alert=VirtHandlerDown&cluster=brno-edge-2',
    )
    await page.getByRole('table', { name: 'Occurrences' }).waitFor()
    await page.getByRole('button', { name: '30 d' }).click()
    await page.waitForURL('**window=30d')
    expect(server.asked.at(-1)).toMatch(/history\?.*alertname=VirtHandlerDown&cluster=brno-edge-2/)
    await page.getByRole('button', { name: 'Remove filter cluster: brno-edge-2' }).click()
    await page.waitForURL((url) => !url.search.includes('cluster'))
    await close()
  })

  test('are asked for a page at a time', async () => {
    server.answers.history = (search) => pageOfRuns(alertRuns(Date.now(), 900), search)
    const { page, close } = await openPage(browser, server, '/alerts/resolved?window=1y')
    await page.getByText('499 occurrences; older ones exist.').waitFor()
    await page.getByRole('button', { name: 'Show older occurrences' }).click()
    await page.getByText('899 occurrences.').waitFor()
    await close()
  })

  test('there are none, and it says over which time', async () => {
    server.answers.history = () => ({ runs: [] })
    const { page, close } = await openPage(browser, server, '/alerts/resolved')
    await page.getByText('No resolved alerts in this range.').waitFor()
    await close()
  })
})

describe('rules', () => {
  test('stand with what is broken first, and its error', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/rules')
    await page.getByText('1 rule cannot be evaluated: alerts may be missing').waitFor()
    const first = page.getByRole('table', { name: 'Rules' }).getByRole('row').nth(1)
    expect(await first.innerText()).toMatch(/LowKVMNodesCount[^]*many-to-many[^]*not known[^]*cannot be evaluated/)
    await page.getByRole('button', { name: 'Recording' }).click()
    await page.waitForURL('**/alerts/rules?state=recording')
    await page.getByText('1 of 8 rules').waitFor()
    expectClean()
    await close()
  })

  test('one rule runs its unit tests when asked', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/rules')
    await page.getByRole('table', { name: 'Rules' }).getByRole('link', { name: 'KubeVirtCRModified' }).click()
    await page.waitForURL('**/alerts/rules/KubeVirtCRModified')
    expect(server.asked.some((path) => path.includes('rules/tests'))).toBe(false)
    await page.getByRole('button', { name: 'Run tests' }).click()
    await page.getByText('1 of 2 tests fail').waitFor()
    await page.getByText('at 10m: got 1 alert, want 0').waitFor()
    expect(await page.getByText('at 5m no alert, at 10m 1 alert').count()).toBe(1)
    await page.getByText('kubevirt_hco_out_of_band_modification_total is not a known metric').waitFor()
    expectClean()
    await close()
  })

  test('an edited rule is replayed beside the present one', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/rules/KubeVirtCRModified')
    const editor = page.getByRole('textbox', { name: /^The rule/ })
    const text = await editor.inputValue()
    expect(text).toContain('alert: KubeVirtCRModified\nexpr: |-\n  sum by (cluster, component_name)')
    await page.getByRole('button', { name: '30 d' }).click()
    await editor.fill(text.replace('> 0', '> 2'))
    await page.getByRole('button', { name: 'Replay both' }).click()
    const table = page.getByRole('table', { name: 'Current and edited rule' })
    await table.waitFor()
    expect((await table.innerText()).replace(/\s+/g, ' ')).toMatch(
      /Over 30 d Current Edited Change Firing events number of times that an alert started firing 24 7 −17 Notifications per week without silences 6 1\.8 −4\.3 Flaps/,
    )
    await page.getByRole('img', { name: /^Edited rule: at most 4 alerts at the same time/ }).waitFor()
    const difference = page.getByRole('region', { name: 'Difference' })
    expect(await difference.innerText()).toContain(
      'Only under the current rule: 2 periods on 2 clusters, 2 h. Nothing only under the edited rule.',
    )
    await difference.getByText('Only under the current rule, newest first').click()
    expect(await difference.getByRole('table').getByRole('row').count()).toBe(3)
    await page.getByRole('button', { name: 'Reset to the current rule' }).click()
    expect(await editor.inputValue()).toBe(text)
    expectClean()
    await close()
  })

  test('a rule that cannot be read comes back with its caret', async () => {
    server.answers.replay = () => ({
      status: 400,
      body: { error: 'rule:2:9: unexpected end of input\n  expr: sum(\n        ^', code: 'bad_rule' },
    })
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/rules/VirtAPIDown', DESKTOP, ['400'])
    await page.getByRole('textbox', { name: /^The rule/ }).fill('alert: X\nexpr: sum(')
    await page.getByRole('button', { name: 'Replay both' }).click()
    expect(await page.getByLabel('Position and error').innerText()).toContain('expr: sum(\n        ^')
    expectClean()
    await close()
  })

  test('a name that no rule has says so', async () => {
    const { page, close } = await openPage(browser, server, '/alerts/rules/Nobody')
    await page.getByText('No rule has the name Nobody').waitFor()
    await close()
  })
})

describe('silences', () => {
  test('say who, why, until when, and what they hide', async () => {
    const { page, expectClean, close } = await openPage(browser, server, `/alerts/silences?id=${SILENCE_ID}`)
    const card = page.getByRole('listitem').filter({ hasText: 'OPS-211' })
    await card.waitFor()
    expect(await card.getAttribute('aria-current')).toBe('true')
    expect(await card.innerText()).toMatch(/by night shift, ends in (?:2 h|1 h 59 min)/)
    await card.getByText('Suppresses 2 alerts now').click()
    await card.getByRole('link', { name: 'UnsupportedHCOModification' }).or(card.getByRole('link')).first().waitFor()
    await page.getByText('no end time').waitFor()
    expectClean()
    await close()
  })

  test('are edited, ended and made again', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/silences')
    const card = page.getByRole('listitem').filter({ hasText: 'OPS-211' })
    await card.getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit the silence' })
    await form.getByLabel('Comment').fill('OPS-212')
    await form.getByRole('button', { name: '4 h' }).click()
    await form.getByRole('button', { name: 'Save the silence' }).click()
    await page.getByText('Silence updated').waitFor()
    expect([sent[0]?.method, sent[0]?.path]).toEqual(['PUT', `/api/fleet/v1/silences/${SILENCE_ID}`])
    expect((sent[0]?.body as { comment: string }).comment).toBe('OPS-212')
    await card.getByRole('button', { name: 'Expire now' }).click()
    await page.getByText('Silence expired: its alerts notify again').waitFor()
    expect(sent[1]?.method).toBe('DELETE')
    await page.getByRole('button', { name: 'Silence again' }).click()
    const again = page.getByRole('dialog', { name: 'New silence' })
    expect(await again.getByLabel('Comparison 1').inputValue()).toBe('!=')
    expect(await again.getByLabel('Comment').inputValue()).toBe('Fire drill')
    expectClean()
    await close()
  })

  test('a link to one that is gone says so', async () => {
    server.answers.silences = () => ({ asOfMs: Date.now(), silences: silences(Date.now()).slice(1) })
    const { page, close } = await openPage(browser, server, `/alerts/silences?id=${SILENCE_ID}`)
    await page.getByText('The silence in this link does not exist').waitFor()
    await close()
  })

  test('there are none: nothing is hidden', async () => {
    server.answers.silences = () => ({ asOfMs: Date.now(), silences: [] })
    const { page, close } = await openPage(browser, server, '/alerts/silences')
    await page.getByText('No active silences.').waitFor()
    await close()
  })
})

describe('delivery', () => {
  test('says why nobody was paged', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/0000000000000003')
    await page.getByRole('region', { name: 'Situation' }).getByRole('link', { name: 'Delivery' }).click()
    await page.getByText('on-call not notified: silenced').waitFor()
    await page.getByText('No delivery matches these filters.').waitFor()
    expectClean()
    await close()
  })

  test('shows a receiver that fails, and each attempt with what was sent and answered', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/delivery')
    await page.getByText('12 failures in a row').waitFor()
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.waitForURL('**/alerts/delivery?outcome=failed')
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1)
    await row.getByText('attempt 3').waitFor()
    await row.getByRole('button').click()
    await page.getByText('"version": "4"').waitFor()
    await page.getByText('"status": "success"').waitFor()
    expectClean()
    await close()
  })

  test('names the cluster of each message that tells of one', async () => {
    const page1 = pageOfDeliveries(deliveries(Date.now()), new URLSearchParams())
    const [first, second] = page1.deliveries
    const groupKey = '{}:{alertname="KubeVirtCRModified", cluster="prague-prod-1"}'
    server.answers.deliveries = () => ({ deliveries: [{ ...first!, groupKey }, second!] })
    const { page, close } = await openPage(browser, server, '/alerts/delivery')
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr')
    const cluster = rows.first().getByRole('link', { name: 'prague-prod-1' })
    expect(await cluster.getAttribute('href')).toBe('/fleet/clusters/prague-prod-1')
    await rows.nth(1).getByText('in the message').waitFor()
    await close()
  })

  test('tells where an alert would go', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/delivery', PHONE)
    await page.getByRole('button', { name: 'Test routing' }).tap()
    await page.getByRole('status').getByText('To on-call').waitFor()
    await page.getByText('(matches)').waitFor({ state: 'attached' })
    await page.getByLabel('Labels of an alert').fill('severity=')
    await page.getByLabel('Labels of an alert').fill('not labels')
    expect(await page.getByRole('button', { name: 'Test routing' }).isDisabled()).toBe(true)
    expectClean()
    await close()
  })

  test('without a receiver says that nobody is told', async () => {
    server.answers.receivers = () => ({ receivers: [] })
    server.answers.deliveries = () => ({ deliveries: [] })
    const { page, close } = await openPage(browser, server, '/alerts/delivery')
    await page.getByText('No notifications are sent', { exact: true }).waitFor()
    await page.getByText('No notification was sent yet.').waitFor()
    await close()
  })
})

describe('lint', () => {
  test('says of each finding where it is and how to mend it', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts/lint')
    const panel = page.getByRole('region', { name: 'Metrics exist' })
    await panel.getByText('alert-rules/hco.yaml:41:15').waitFor()
    await panel.getByText('kubevirt_hco_out_of_band_modifications_total is').waitFor()
    await page.getByRole('button', { name: 'Errors' }).click()
    await page.waitForURL('**/alerts/lint?severity=error')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'VirtAPIDown' }).click()
    await page.waitForURL('**/alerts/rules/VirtAPIDown')
    expectClean()
    await close()
  })

  test('finds nothing, and says over what', async () => {
    server.answers.lint = () => ({ ...lintReport(Date.now()), findings: [], checks: [] })
    const { page, close } = await openPage(browser, server, '/alerts/lint')
    await page.getByText('No findings.').waitFor()
    await page.getByText('88 alerts, 87 runbooks and 6 dashboards checked by').waitFor()
    await close()
  })
})

test.each([
  ['/alerts/resolved', 'history', 'Could not load the occurrences'],
  ['/alerts/rules', 'rules', 'Could not load the rules'],
  ['/alerts/silences', 'silences', 'Could not load the silences'],
  ['/alerts/delivery', 'receivers', 'Could not load the receivers'],
  ['/alerts/lint', 'lint', 'Could not load the findings'],
] as const)('%s says why it is empty when the server refuses', async (path, name, title) => {
  const refusal = { status: 403, body: { error: 'token "x" has role ingest, this needs viewer', code: 'forbidden' } }
  Object.assign(server.answers, { [name]: () => refusal })
  const { page, expectClean, close } = await openPage(browser, server, path, DESKTOP, ['403'])
  await page.getByText(title).waitFor()
  await page.getByText('this needs viewer').waitFor()
  expectClean()
  await close()
})

test.each([
  ['/', 'Stuck upgrades'],
  ['/', 'Silent clusters'],
  ['/alerts/resolved', 'Occurrences'],
])("a cluster's name leads to its page: %s, %s", async (path, table) => {
  const { page, close } = await openPage(browser, server, path)
  const clusters = page.getByRole('table', { name: table }).locator('a[href^="/fleet/clusters/"]:visible')
  await clusters.first().waitFor()
  const name = await clusters.first().innerText()
  expect(await clusters.first().getAttribute('href')).toBe(`/fleet/clusters/${name}`)
  expect(await page.getByRole('table', { name: table }).locator('a[href*="?cluster="]').count()).toBe(0)
  await close()
})

test('an open alert leads to the page of its cluster, and to all alerts of it', async () => {
  const { fingerprint, cluster } = alertItems(Date.now()).alerts[0]!
  const { page, close } = await openPage(browser, server, `/alerts/${fingerprint}`)
  const article = page.getByRole('article')
  const named = article.getByRole('link', { name: cluster, exact: true }).first()
  expect(await named.getAttribute('href')).toBe(`/fleet/clusters/${cluster}`)
  const all = article.getByRole('link', { name: 'All alerts of the cluster' })
  expect(await all.getAttribute('href')).toBe(`/alerts?cluster=${cluster}`)
  await close()
})
