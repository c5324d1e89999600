import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { fleetAnswer } from './fleet-answers.ts'
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

interface FailingPage {
  readonly path: string
  /** What cannot be loaded, part by part. */
  readonly parts: readonly string[]
  /** Shown when the server answers again. */
  readonly whole: string
}

/** The pages before an upgrade. */
const PAGES: readonly FailingPage[] = [
  {
    path: '/fleet/readiness',
    parts: ['the readiness of the fleet', 'the accepted risks', 'the history of hazards'],
    whole: 'Daytwo advises and blocks nothing.',
  },
  { path: '/fleet/plan?target=4.18', parts: ['the clusters', 'the plan'], whole: 'Clusters at a time' },
  {
    path: '/fleet/configuration',
    parts: ['the configuration', 'the feature gates', 'the KVM stack', 'the deprecated APIs'],
    whole: 'report settings.',
  },
  { path: '/fleet/patches', parts: ['the JSON patches'], whole: 'report annotations' },
  { path: '/fleet/edges?show=offered', parts: ['the update graph'], whole: 'versions, ' },
]
const SIZES = [
  ['desktop', DESKTOP],
  ['phone', PHONE],
] as const

function fail(fault: { readonly status: number; readonly body: object } | 'drop'): void {
  server.answers.fleet = () => fault
  server.answers.plan = () => fault
}

describe.each(PAGES)('$path', ({ path, parts, whole }) => {
  test.each(SIZES)('on a %s: each part states what failed and what to do, and loads on request', async (_, size) => {
    fail({ status: 500, body: { error: 'internal error; the server log has the details', code: 'internal' } })
    const { page, expectClean, close } = await openPage(browser, server, path, size, ['500'])
    for (const part of parts) await page.getByText(`Could not load ${part}`).waitFor()
    const notices = page.locator('[role=alert], [role=status]').filter({ hasText: 'Could not load' })
    expect(await notices.count()).toBe(parts.length)
    for (const text of await notices.allInnerTexts()) {
      expect(text).toContain('Internal error; the server log has the details.')
      expect(text).toContain('Try again. If it fails again, the log of the server has the cause.')
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
    expect(await accessibilityFaults(page)).toEqual([])
    Object.assign(server.answers, usualAnswers())
    // A part may also load by itself meanwhile.
    const click = () => page.getByRole('button', { name: 'Try again' }).first().click({ timeout: 500 })
    await expect
      .poll(async () => {
        if ((await notices.count()) > 0) await click().catch(() => undefined)
        return notices.count()
      })
      .toBe(0)
    await page.getByText(whole, { exact: false }).first().waitFor()
    expectClean()
    await close()
  })

  test('an overloaded server and one that cannot be reached', async () => {
    fail({ status: 503, body: { error: 'overloaded', hint: 'Retry in a few seconds.', code: 'overloaded' } })
    const { page, close } = await openPage(browser, server, path, DESKTOP, ['503', 'failed'])
    for (const part of parts) await page.getByText(`Could not load ${part}`).waitFor()
    expect(await page.getByText('Overloaded. Retry in a few seconds.').count()).toBe(parts.length)
    fail('drop')
    await page.reload()
    for (const part of parts) await page.getByText(`Could not load ${part}`).waitFor()
    await page.getByText('The server cannot be reached.', { exact: false }).first().waitFor()
    await close()
  })

  test('without clusters it leads to connecting one', async () => {
    server.answers.fleet = (url) => {
      const answer = fleetAnswer(url, Date.now()) as { readonly coverage?: object }
      if (answer.coverage === undefined) return answer
      return { ...answer, coverage: { ...answer.coverage, clusters: 0, gone: 0, silent: 0 } }
    }
    const { page, close } = await openPage(browser, server, path)
    // The update graph is of the vendor, and there without clusters.
    if (parts[0] === 'the update graph') await page.getByText('No cluster has reported yet').first().waitFor()
    else await page.getByRole('link', { name: 'How to connect one' }).first().waitFor()
    await close()
  })
})
