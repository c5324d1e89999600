/**
 * What is watched inside a page, and read back from it. Text, because the compiler of this folder knows no browser. It is
 * told of changes and polls nothing: a probe that asks for the layout at each frame costs more than most pages.
 */

export interface PageReport {
  /** Since the navigation began; `undefined` when it has not come. */
  readonly firstPaintMs: number | undefined
  /** The frame after the first data stood in the page. */
  readonly usefulMs: number | undefined
  /** Of the layout shifts of the page without anybody's doing, before data stood there and after. */
  readonly shiftBefore: number
  readonly shiftAfter: number
  /** What moved, the furthest first. */
  readonly movers: readonly string[]
}

const TIMEOUT_MS = 60_000

/** @param useful a CSS selector: the page is useful when something matches it */
export function probeScript(useful: string): string {
  return `(() => {
    const shifts = []
    let usefulMs
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) {
        if (one.hadRecentInput) continue
        const movers = one.sources.map(({ node }) => node?.className || node?.nodeName || 'text').join(', ')
        shifts.push({ atMs: one.startTime, value: one.value, movers })
      }
    }).observe({ type: 'layout-shift', buffered: true })
    const look = () => {
      if (document.querySelector(${JSON.stringify(useful)}) === null) return
      watcher.disconnect()
      requestAnimationFrame(() => setTimeout(() => {
        usefulMs = performance.now()
        probe.resolve()
      }))
    }
    const watcher = new MutationObserver(look)
    watcher.observe(document, { childList: true, subtree: true })
    const probe = {}
    window.probe = probe
    probe.isUseful = new Promise((resolve, reject) => {
      probe.resolve = resolve
      setTimeout(() => reject(new Error('nothing matches ' + ${JSON.stringify(useful)})), ${TIMEOUT_MS})
    })
    probe.report = () => {
      const sum = (some) => some.reduce((all, { value }) => all + value, 0)
      const isAfter = ({ atMs }) => usefulMs !== undefined && atMs >= usefulMs
      return {
        firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
        usefulMs,
        shiftBefore: sum(shifts.filter((one) => !isAfter(one))),
        shiftAfter: sum(shifts.filter(isAfter)),
        movers: shifts.filter(isAfter).sort((a, b) => b.value - a.value).map(({ movers }) => movers),
      }
    }
  })()`
}

export const IS_USEFUL = 'window.probe.isUseful'
export const REPORT = 'window.probe.report()'

/** A frame is drawn and a task run: nothing long is in the way. */
export const ANSWERS = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done)))'
