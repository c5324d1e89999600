import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { MeasuredPage } from './paint.ts'
import { ANSWERS, IS_USEFUL, probeScript, REPORT, type PageReport } from './probe.ts'

/** What moves by itself: while a page loads, and over two polls of everything on it. */

export const SIZES = {
  1440: { viewport: { width: 1440, height: 900 } },
  390: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const satisfies Record<number, BrowserContextOptions>

/** The longest time between two polls of any part of a page. */
const POLL_MS = 61_000
const TIMEOUT_MS = 120_000

export async function measureShift(
  browser: Browser,
  origin: string,
  { path, useful }: MeasuredPage,
  size: BrowserContextOptions,
): Promise<PageReport> {
  const context = await browser.newContext(size)
  try {
    await context.addInitScript(probeScript(useful))
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    await page.goto(`${origin}${path}`)
    await page.evaluate(IS_USEFUL)
    await page.waitForLoadState('networkidle')
    // The page's clock is put forward: nobody waits for polls.
    await page.clock.install()
    for (let poll = 0; poll < 2; poll++) {
      await page.clock.fastForward(POLL_MS)
      await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
      await page.waitForLoadState('networkidle')
    }
    await page.clock.resume()
    await page.evaluate(ANSWERS)
    return await page.evaluate<PageReport>(REPORT)
  } finally {
    await context.close()
  }
}
