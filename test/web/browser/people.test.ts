import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AlertItems } from '../../../src/contract/alerts.ts'
import { sharedBrowser } from '../../support/browser.ts'
import { SILENCE_ID } from './alerting-fixtures.ts'
import { startFixtureServer, usualAnswers, type FixtureServer, type Sent } from './fixture-server.ts'
import { alertItems } from './fixtures.ts'
import { openPage, PHONE } from './open-page.ts'

// What people do to alerts: acknowledge and silence, by mouse, by key and by thumb.

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
  // What is acknowledged is so in the next answer, as on a real server.
  const acknowledged = new Map<string, { by: string; note: string }>()
  const withMarks = (items: AlertItems): AlertItems => ({
    ...items,
    alerts: items.alerts.map((alert) => {
      const mark = acknowledged.get(alert.fingerprint)
      return mark === undefined || alert.marks === undefined
        ? alert
        : { ...alert, marks: { ...alert.marks, acknowledged: { ...mark, atMs: Date.now() } } }
    }),
  })
  server.answers.alerts = () => withMarks(alertItems(Date.now()))
  const usual = server.answers.change
  server.answers.change = (change) => {
    sent.push(change)
    const [, fingerprint] = /\/alerts\/([0-9a-f]+)\/acknowledge$/.exec(change.path) ?? []
    if (fingerprint === undefined) return usual(change)
    if (change.method === 'DELETE') acknowledged.delete(fingerprint)
    else acknowledged.set(fingerprint, { by: 'me', note: (change.body as { note: string }).note })
    return {}
  }
})

const KUBEVIRT_CR_MODIFIED = '/alerts/0000000000000001'
const dialog = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('dialog')

describe('acknowledge', () => {
  test('by key with a note, and take it back at once', async () => {
    const { page, expectClean, close } = await openPage(browser, server, KUBEVIRT_CR_MODIFIED)
    await page.getByRole('article').waitFor()
    await page.keyboard.press('a')
    await page.keyboard.type('draining node 7')
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('Acknowledged by me: “draining node 7”').first().waitFor()
    expect(sent).toEqual([
      { method: 'POST', path: '/api/fleet/v1/alerts/0000000000000001/acknowledge', body: { note: 'draining node 7' } },
    ])
    await page.getByRole('status', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Acknowledgement of KubeVirtCRModified removed').waitFor()
    expect(sent.at(-1)).toEqual({
      method: 'DELETE',
      path: '/api/fleet/v1/alerts/0000000000000001/acknowledge',
      body: undefined,
    })
    await page.getByRole('article').getByRole('button', { name: 'Acknowledge' }).waitFor()
    expectClean()
    await close()
  })

  test('from a phone takes three taps from the list', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts', PHONE)
    await page.getByRole('link', { name: 'HCOOperatorConditionsUnhealthy on prague-prod-1' }).tap()
    await page.getByRole('button', { name: 'Acknowledge' }).tap()
    await dialog(page).getByRole('button', { name: 'Acknowledge' }).tap()
    await page.getByRole('article').getByText('Acknowledged by me: without a note').first().waitFor()
    expect(sent.length).toBe(1)
    expectClean()
    await close()
  })

  test('reverted later, from the alert', async () => {
    const { page, close } = await openPage(browser, server, '/alerts/0000000000000005')
    await page.getByRole('article').getByText('Acknowledged by night shift: “draining the node”').first().waitFor()
    await page.getByRole('button', { name: 'Remove acknowledgement' }).click()
    await expect.poll(() => sent.at(-1)?.method).toBe('DELETE')
    await close()
  })

  test('without the right to, it says which right is missing, and keeps the note', async () => {
    server.answers.change = () => ({
      status: 403,
      body: { error: 'token "tv" has role viewer, this needs responder', code: 'forbidden' },
    })
    const { page, expectClean, close } = await openPage(browser, server, KUBEVIRT_CR_MODIFIED, undefined, ['403'])
    await page.getByRole('article').waitFor()
    await page.keyboard.press('a')
    await page.keyboard.type('mine')
    await page.keyboard.press('Enter')
    await page.getByText('Not permitted: acknowledge').waitFor()
    await page.getByText('this needs responder').waitFor()
    // The form stays; another token is given beside it, and holds here too.
    expect(await page.getByRole('link', { name: 'Sign in with the role responder' }).getAttribute('href')).toBe(
      '/sign-in?role=responder&to=%2F',
    )
    expect(await dialog(page).getByLabel(/^Note/).inputValue()).toBe('mine')
    expectClean()
    await close()
  })
})

describe('silence', () => {
  test('by key, prefilled, with what it hides before it does', async () => {
    const { page, expectClean, close } = await openPage(browser, server, KUBEVIRT_CR_MODIFIED)
    await page.getByRole('article').waitFor()
    await page.keyboard.press('s')
    const form = dialog(page)
    expect(await form.getByLabel('Value 1', { exact: true }).inputValue()).toBe('KubeVirtCRModified')
    expect(await form.getByLabel('Value 2', { exact: true }).inputValue()).toBe('brno-edge-2')
    const preview = form.getByRole('region', { name: 'Suppressed alerts' })
    await preview.getByText('Suppresses 1 alert now').waitFor()
    await preview.getByText(/In the last 7 days the silence would have suppressed/).waitFor()
    const send = form.getByRole('button', { name: 'Silence' })
    expect(await send.isDisabled()).toBe(true)
    await form.getByText('Enter a comment').waitFor()
    await form.getByLabel('Comment').fill('OPS-7')
    await form.getByRole('button', { name: 'Until resolved' }).click()
    await send.click()
    await page.getByText('Silence created').waitFor()
    const [{ method, path, body }] = sent as [Sent & { body: Record<string, unknown> }]
    expect([method, path, body['comment'], body['untilResolved']]).toEqual([
      'POST',
      '/api/fleet/v1/silences',
      'OPS-7',
      true,
    ])
    expect(body['matchers']).toEqual(
      expect.arrayContaining([
        { name: 'alertname', op: '=', value: 'KubeVirtCRModified' },
        { name: 'cluster', op: '=', value: 'brno-edge-2' },
      ]),
    )
    expectClean()
    await close()
  })

  test('given up by key, it leaves the reader where they were', async () => {
    const { page, expectClean, close } = await openPage(browser, server, KUBEVIRT_CR_MODIFIED)
    await page.getByRole('article').waitFor()
    await page.getByRole('link', { name: 'Mitigation' }).focus()
    for (const key of ['s', 'a', '?']) {
      await page.keyboard.press(key)
      await dialog(page).waitFor()
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ state: 'detached' })
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Mitigation')
    }
    expectClean()
    await close()
  })

  test('fewer matchers hide more, and the preview says how many were not chosen', async () => {
    const { page, close } = await openPage(browser, server, KUBEVIRT_CR_MODIFIED)
    await page.getByRole('article').waitFor()
    await page.keyboard.press('s')
    const form = dialog(page)
    await form.getByText('Suppresses 1 alert now').waitFor()
    await form.getByRole('button', { name: 'Remove matcher cluster' }).click()
    await form.getByText('Suppresses 4 alerts now').waitFor()
    await form.getByText('3 of them were not selected').waitFor()
    await form.getByRole('button', { name: 'Remove matcher alertname' }).click()
    await form.getByRole('button', { name: 'Remove matcher component_name' }).click()
    await form.getByText('a silence without matchers would match all alerts').waitFor()
    expect(await form.getByRole('button', { name: 'Silence' }).isDisabled()).toBe(true)
    await close()
  })

  test('for several selected alerts at once', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/alerts')
    await page.getByLabel('Select all of HCOOperatorConditionsUnhealthy').check()
    await page.getByRole('group', { name: 'Selected alerts' }).getByText('5 alerts selected').waitFor()
    await page.keyboard.press('s')
    const form = dialog(page)
    expect(await form.getByLabel('Value 1', { exact: true }).inputValue()).toBe('HCOOperatorConditionsUnhealthy')
    expect(await form.getByLabel('Value 2', { exact: true }).inputValue()).toBe(
      'brno-prod-16|gru-lab-6|iad-edge-11|nrt-lab-21|prague-prod-1',
    )
    await form.getByText('Suppresses 4 alerts now').waitFor()
    expectClean()
    await close()
  })

  test('leads from the alert that it hides', async () => {
    const { page, close } = await openPage(browser, server, '/alerts/0000000000000003')
    await page.getByText('1 silence suppresses its notifications').first().waitFor()
    expect(await page.getByRole('link', { name: 'Show the silence' }).getAttribute('href')).toBe(
      `/alerts/silences?id=${SILENCE_ID}`,
    )
    await close()
  })
})

describe('the situation of an alert', () => {
  test('answers how far over, what before, only here, and was anybody told', async () => {
    const { page, expectClean, close } = await openPage(browser, server, KUBEVIRT_CR_MODIFIED)
    const situation = page.getByRole('region', { name: 'Situation' })
    const answerTo = (question: string): Promise<string> => situation.getByRole('group', { name: question }).innerText()
    await situation.getByText('HyperConverged went from 1.18.3 to 1.19.2').waitFor()
    expect(await answerTo('Value')).toContain('1 is above the threshold 0.')
    expect(await answerTo('Preceding changes')).toMatch(/12 min before\s+HyperConverged went/)
    expect(await answerTo('Other clusters with this alert')).toMatch(/\d+ of 200 clusters have this alert/)
    expect(await answerTo('Other clusters with this alert')).toContain(
      'version 1.19.2: 4 of 5 with the alert, 16 % of the others',
    )
    expect(await answerTo('Notifications')).toContain('Delivered to on-call.')
    expectClean()
    await close()
  })

  test('says why nobody was paged', async () => {
    const { page, close } = await openPage(browser, server, '/alerts/0000000000000003')
    await page.getByText('Not notified: silenced.').waitFor()
    await close()
  })

  test('is honest when the rest cannot be looked at', async () => {
    server.answers.detail = () => ({ status: 503, body: { error: 'queries are full', code: 'overloaded' } })
    const { page, expectClean, close } = await openPage(browser, server, KUBEVIRT_CR_MODIFIED, undefined, ['503'])
    await page.getByText('Could not load preceding changes and other clusters: queries are full').waitFor()
    await page.getByRole('region', { name: 'Runbook' }).getByRole('heading', { name: 'Mitigation' }).waitFor()
    expectClean()
    await close()
  })
})
