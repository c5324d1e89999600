import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { startBrowserClock } from './browser-ticks.ts'
import { IS_USEFUL, probeScript, REPORT, type PageReport } from './probe.ts'

/**
 * From the address to the first data in the page, in a browser that never was here and in one that was: its second tab, the
 * files in its HTTP cache, the first tab closed. A tab that is still open loads the pages after its own, and that is no part
 * of what the second one costs.
 */

/** A page and what has to stand in it. */
export interface MeasuredPage {
  readonly name: string
  readonly path: string
  readonly useful: string
}

export interface Paint {
  readonly firstPaintMs: number
  readonly usefulMs: number
  /** Of all processes of the browser; `undefined` beside other measures. */
  readonly cpuSeconds: number
}

const TIMEOUT_MS = 120_000
/** After this a page has fetched what it fetches when there is time: pages that may be next, and the telemetry. */
const REST_MS = 3000
/** The process of the tab that was closed is gone, and that of the new one is up. */
const SETTLE_MS = 500
const DESKTOP = { viewport: { width: 1440, height: 900 } } as const

/** @param runs the fastest of them is told: everything else is what the machine did besides */
export async function measurePaint(
  browser: Browser,
  origin: string,
  page: MeasuredPage,
  runs: number,
): Promise<{ readonly cold: Paint; readonly warm: Paint }> {
  const cold: Paint[] = []
  const warm: Paint[] = []
  for (let run = 0; run < runs; run++) {
    const context = await browser.newContext(DESKTOP)
    await context.addInitScript(probeScript(page.useful))
    try {
      const first = await context.newPage()
      cold.push(await paintOf(first, origin, page))
      await setTimeout(REST_MS)
      const second = await context.newPage()
      await first.close()
      await setTimeout(SETTLE_MS)
      warm.push(await paintOf(second, origin, page))
    } finally {
      await context.close()
    }
  }
  return { cold: fastest(cold), warm: fastest(warm) }
}

async function paintOf(tab: Page, origin: string, { path, name }: MeasuredPage): Promise<Paint> {
  tab.setDefaultTimeout(TIMEOUT_MS)
  const cpuSeconds = startBrowserClock()
  await tab.goto(`${origin}${path}`, { waitUntil: 'commit' })
  await tab.evaluate(IS_USEFUL)
  const used = cpuSeconds()
  const { firstPaintMs, usefulMs } = await tab.evaluate<PageReport>(REPORT)
  if (usefulMs === undefined) throw new Error(`${name} never showed anything`)
  return { firstPaintMs: firstPaintMs ?? usefulMs, usefulMs, cpuSeconds: used }
}

function fastest(paints: readonly Paint[]): Paint {
  const least = (of: (paint: Paint) => number): number => Math.min(...paints.map(of))
  return {
    firstPaintMs: least(({ firstPaintMs }) => firstPaintMs),
    usefulMs: least(({ usefulMs }) => usefulMs),
    cpuSeconds: least(({ cpuSeconds }) => cpuSeconds),
  }
}
