import type { Browser, Page } from 'playwright-core'
import { startBrowserClock } from './browser-ticks.ts'
import { IS_USEFUL, probeScript, REPORT } from './probe.ts'
import type { PageReport } from './probe.ts'

/** From the address to the first data in the page, in a browser that never was here and in one that was. */

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
      cold.push(await paintOf(await context.newPage(), origin, page))
      warm.push(await paintOf(await context.newPage(), origin, page))
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
