import type { Browser } from 'playwright-core'
import { startBrowserClock } from './browser-ticks.ts'
import { ANSWERS } from './probe.ts'
import { LARGE_DASHBOARD, PANELS } from './site.ts'

/** What a dashboard of 50 panels with 100 series each costs a browser: those in sight, and all when it is scrolled through. */

export interface DashboardCost {
  readonly first: Cost
  readonly all: Cost
}

interface Cost {
  readonly cpuSeconds: number
  readonly clockSeconds: number
}

const TIMEOUT_MS = 120_000

/** Until the panels in sight are drawn and the page answers; and until all are, having been scrolled through. */
export async function measureDashboard(browser: Browser, origin: string): Promise<DashboardCost> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    await page.addInitScript(AWAIT_CHARTS)
    const cpuSeconds = startBrowserClock()
    const startMs = performance.now()
    const cost = (): Cost => ({ cpuSeconds: cpuSeconds(), clockSeconds: (performance.now() - startMs) / 1000 })
    await page.goto(`${origin}${LARGE_DASHBOARD}`, { waitUntil: 'commit' })
    await page.evaluate(`awaitCharts(${ARE_DRAWN})`)
    await page.evaluate(ANSWERS)
    const first = cost()
    await page.evaluate(SCROLL_THROUGH)
    await page.evaluate(`awaitCharts((drawn) => drawn === ${PANELS})`)
    await page.evaluate(ANSWERS)
    return { first, all: cost() }
  } finally {
    await context.close()
  }
}

/** Looks when a chart is put into the page, not at each frame: looking costs a layout. */
const AWAIT_CHARTS = `window.awaitCharts = (isEnough) => new Promise((done) => {
  let seen = -1
  const look = () => {
    const drawn = document.querySelectorAll('.dashboard-panel canvas').length
    if (drawn === seen) return
    seen = drawn
    if (!isEnough(drawn)) return
    watcher.disconnect()
    done()
  }
  const watcher = new MutationObserver(look)
  watcher.observe(document, { childList: true, subtree: true })
  look()
})`

/** Every panel in sight has its chart. */
const ARE_DRAWN = `(drawn) => {
  if (drawn === 0) return false
  const inSight = [...document.querySelectorAll('.dashboard-panel')].filter((panel) => {
    const { top, bottom } = panel.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  })
  return inSight.every((panel) => panel.querySelector('canvas') !== null)
}`

const SCROLL_THROUGH = `(async () => {
  for (let y = 0; y < document.body.scrollHeight; y += 400) {
    scrollTo(0, y)
    await new Promise(requestAnimationFrame)
  }
})()`
