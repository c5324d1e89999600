import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { FixtureServer } from './fixture-server.ts'
import { tabsInUse } from './tabs-in-use.ts'

/** A page that remembers what went wrong on it. */
export interface OpenPage {
  readonly page: Page
  /** Fails when the console said an error, a request failed, or another origin was asked. */
  readonly expectClean: () => void
  readonly close: () => Promise<void>
}

export const DESKTOP = { viewport: { width: 1440, height: 900 } } as const
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
export const SMALL_PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const

/** Tabs whose test is over, by the options they were made with. A fresh one costs four times what one used again does. */
const idleTabs = new WeakMap<Browser, Map<string, Page[]>>()

function idleTabsOf(browser: Browser, options: BrowserContextOptions): Page[] {
  const byOptions = idleTabs.get(browser) ?? new Map<string, Page[]>()
  idleTabs.set(browser, byOptions)
  const key = JSON.stringify(options)
  const tabs = byOptions.get(key) ?? []
  byOptions.set(key, tabs)
  return tabs
}

/** Only against hanging, as the timeout of a test. */
const PATIENCE_MS = 90_000

async function newTab(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ timezoneId: 'Europe/Prague', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  // The fixtures are a demo, and its tour is the business of one test.
  await context.addInitScript(() => {
    if (location.protocol === 'http:') localStorage.setItem('daytwo.tour', '{"isDismissed":true}')
  })
  return context.newPage()
}

/** Makes a tab what it was when it was new: nothing kept, no rights, no media, its own size. */
async function restore(page: Page, server: FixtureServer, options: BrowserContextOptions): Promise<void> {
  const { viewport, colorScheme = null, reducedMotion = null } = options
  page.removeAllListeners()
  // Some file of the server: the program of the page is left, its process with what it has compiled stays.
  await page.goto(`${server.origin}/icon.svg`)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await page.context().clearPermissions()
  await page.emulateMedia({ media: null, colorScheme, reducedMotion })
  if (viewport !== undefined && viewport !== null) await page.setViewportSize(viewport)
}

/**
 * A page of the fixtures in a tab that nobody else uses. The tab of a page that was closed is used again, restored to what
 * it was; one whose test failed is not, and is closed with the server.
 *
 * @param allowed faults the test itself arranges, by a part of their text
 */
export async function openPage(
  browser: Browser,
  server: FixtureServer,
  path: string,
  options: BrowserContextOptions = DESKTOP,
  allowed: readonly string[] = [],
): Promise<OpenPage> {
  const idle = idleTabsOf(browser, options)
  const page = idle.pop() ?? (await newTab(browser, options))
  tabsInUse.add(page)
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      faults.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(server.origin)) faults.push(`another origin: ${request.url()}`)
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // A page that is left gives up what it still waited for.
    if (reason !== 'net::ERR_ABORTED') faults.push(`failed: ${request.url()} ${reason}`)
  })
  await page.goto(`${server.origin}${path}`)
  return {
    page,
    expectClean: () => {
      expect(faults.filter((fault) => !allowed.some((text) => fault.includes(text)))).toEqual([])
    },
    close: async () => {
      await restore(page, server, options)
      tabsInUse.delete(page)
      idle.push(page)
    },
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeWindow {
  readonly axe: {
    run(options: object): Promise<{
      readonly violations: readonly {
        readonly id: string
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
      }[]
    }>
  }
}

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds against WCAG 2.2 AA and its own good practice, one sentence per element. */
export async function accessibilityFaults(page: Page, rules: readonly string[] = ALL_RULES): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return page.evaluate(async (runOnly) => {
    // A colour on its way to another is neither; what runs for ever is looked at as it is.
    const passing = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(passing.map(async ({ finished }) => finished))
    // Reading style sheets ahead is for one experimental rule, and what it makes of a shadow root's the page's policy forbids.
    // A selector for each element that was looked at takes a quarter of the time, and nobody reads it.
    const options = { runOnly, resultTypes: ['violations'], preload: false, selectors: false }
    const { violations } = await (window as unknown as AxeWindow).axe.run(options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
    )
  }, rules)
}
