import type { Browser } from 'playwright-core'
import { IS_USEFUL, probeScript } from './probe.ts'
import type { MeasuredPage } from './paint.ts'

/**
 * What each frame costs while a list of 10,000 clusters is scrolled: processor time of the page's main thread, from a
 * trace, so that it says the same on a busy machine; and how late frames came, which does not.
 */
export interface ScrollCost {
  readonly frames: number
  readonly rowsPassed: number
  readonly cpuMs: Percentiles
  readonly frameMs: Percentiles
  /** Share of frames whose main thread needed more than one frame of a display of 60 Hz. */
  readonly tooDear: number
}

interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const FRAMES = 400
/** A fling: 3,600 pixels a second. */
const STEP_PX = 60
const FRAME_MS = 1000 / 60
const TIMEOUT_MS = 120_000

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  /** Thread's own processor time of it, in microseconds. */
  readonly tdur?: number
}

export async function measureScrolling(browser: Browser, origin: string, list: MeasuredPage): Promise<ScrollCost> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    await context.addInitScript(probeScript(list.useful))
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    await page.goto(`${origin}${list.path}`)
    await page.evaluate(IS_USEFUL)
    await page.waitForLoadState('networkidle')
    await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] })
    const deltas = await page.evaluate<readonly number[]>(SCROLL)
    const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
      readonly traceEvents: readonly TraceEvent[]
    }
    const cpuMs = cpuOfFrames(trace.traceEvents)
    return {
      frames: cpuMs.length,
      rowsPassed: await page.evaluate<number>(LAST_ROW),
      cpuMs: percentilesOf(cpuMs),
      frameMs: percentilesOf(deltas),
      tooDear: cpuMs.filter((ms) => ms > FRAME_MS).length / cpuMs.length,
    }
  } finally {
    await context.close()
  }
}

const SCROLL = `(async () => {
  const deltas = []
  let before = await new Promise(requestAnimationFrame)
  for (let i = 0; i < ${FRAMES}; i++) {
    performance.mark('bench-frame')
    scrollBy(0, ${STEP_PX})
    const now = await new Promise(requestAnimationFrame)
    deltas.push(now - before)
    before = now
  }
  performance.mark('bench-frame')
  return deltas
})()`

const LAST_ROW = `Math.max(...[...document.querySelectorAll('tr[data-index]')].map((row) => Number(row.dataset.index)))`

/** Of all tasks of the thread that set the marks, between one mark and the next. */
function cpuOfFrames(events: readonly TraceEvent[]): readonly number[] {
  const marks = events.filter(({ name }) => name === 'bench-frame').sort((a, b) => a.ts - b.ts)
  const [first] = marks
  if (first === undefined) throw new Error('the trace has no frames')
  const sums = new Array<number>(marks.length - 1).fill(0)
  for (const { name, pid, tid, ts, tdur = 0 } of events) {
    if (name !== 'ThreadControllerImpl::RunTask' || pid !== first.pid || tid !== first.tid) continue
    const frame = marks.findLastIndex((mark) => mark.ts <= ts)
    if (frame >= 0 && frame < sums.length) sums[frame]! += tdur / 1000
  }
  return sums
}

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}
