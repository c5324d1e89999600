/**
 * What pages cost a real Chromium, beside what is wanted of them: the first paint, scripts, a list of 10,000 clusters
 * scrolled, a dashboard of 50 panels with 100 series each, and what moves by itself. Answers come from memory, so that what
 * is measured is the page; `--url` measures the pages of a running server instead, with its answers.
 *
 * Processor time (of all processes of the browser, from `/proc`, or of the page's main thread, from a trace) says the same
 * on a busy machine and on an idle one, nearly; the clock does not, so the fastest of several runs is told, and the load.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadavg } from 'node:os'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../test/support/browser.ts'
import { measureDashboard } from './web/dashboard.ts'
import { measureShift, SIZES } from './web/layout-shift.ts'
import { FLEET_PAGE, PAGES } from './web/pages.ts'
import { measurePaint } from './web/paint.ts'
import { measureScrolling } from './web/scrolling.ts'
import { CLUSTERS, PANELS, SERIES, startSite } from './web/site.ts'

const RUNS = { quick: 1, full: 5 } as const
const DASHBOARD_RUNS = { quick: 1, full: 3 } as const

const WANTED = { scriptKb: 350, coldMs: 1000, warmMs: 300, dashboardSeconds: 2, frameMs: 1000 / 60, shift: 0 } as const
/** A shift that Chromium counts but nobody sees: a word of a clock in the masthead that is a pixel wider. */
const UNSEEN_SHIFT = 0.001

interface WebOptions {
  readonly quick: boolean
  /** A running server. */
  readonly url?: string
  /** Of `paint`, `scroll`, `dashboard` and `shift`, with commas between; all when absent. */
  readonly scenario?: string
}

export async function run({ quick, url, scenario }: WebOptions): Promise<void> {
  const isAsked = (name: string): boolean => scenario === undefined || scenario.split(',').includes(name)
  const site = await startSite()
  const origin = url ?? site.origin
  const browser = await launchBrowser()
  try {
    console.log(`load ${loadavg()[0]!.toFixed(1)}; pages of ${url ?? 'a server that answers from memory'}`)
    tellScripts()
    if (isAsked('paint')) await tellPaints(browser, origin, quick ? RUNS.quick : RUNS.full)
    if (isAsked('scroll')) await tellScrolling(browser, origin)
    if (isAsked('dashboard')) {
      await tellDashboard(browser, site.origin, quick ? DASHBOARD_RUNS.quick : DASHBOARD_RUNS.full)
    }
    if (isAsked('shift')) await tellShifts(browser, origin)
  } finally {
    await browser.close()
    await site.close()
  }
}

const WEB_ROOT = resolve(import.meta.dirname, '../dist/web')

function tellScripts(): void {
  const html = readFileSync(join(WEB_ROOT, 'index.html'), 'utf8')
  const kb = (ending: string): number =>
    [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)]
      .map((match) => match[1]!)
      .filter((path) => path.endsWith(ending))
      .reduce((sum, path) => sum + gzipSync(readFileSync(join(WEB_ROOT, path))).length, 0) / 1000
  console.log(
    `\nfirst screen after gzip: ${kb('.js').toFixed(0)} kB of scripts (wanted ${WANTED.scriptKb}), ${kb('.css').toFixed(0)} kB of styles`,
  )
}

async function tellPaints(browser: Browser, origin: string, runs: number): Promise<void> {
  console.log(
    `\n| the fastest of ${runs} | cold: first paint ms | useful ms (${WANTED.coldMs}) | CPU s | warm: first paint ms | useful ms (${WANTED.warmMs}) | CPU s |\n|---|---:|---:|---:|---:|---:|---:|`,
  )
  for (const page of PAGES) {
    const { cold, warm } = await measurePaint(browser, origin, page, runs)
    const cells = [cold, warm].flatMap(({ firstPaintMs, usefulMs, cpuSeconds }) => [
      firstPaintMs.toFixed(0),
      usefulMs.toFixed(0),
      cpuSeconds.toFixed(2),
    ])
    console.log(`| ${[page.name, ...cells].join(' | ')} |`)
  }
}

async function tellScrolling(browser: Browser, origin: string): Promise<void> {
  const { frames, rowsPassed, cpuMs, frameMs, tooDear } = await measureScrolling(browser, origin, FLEET_PAGE)
  const of = ({ p50, p99, most }: typeof cpuMs): string =>
    `${p50.toFixed(1)} p50, ${p99.toFixed(1)} p99, ${most.toFixed(1)} at most`
  console.log(`
${CLUSTERS} clusters scrolled: ${frames} frames, to row ${rowsPassed}
  CPU ms of the page's thread a frame   ${of(cpuMs)} (wanted: below ${WANTED.frameMs.toFixed(1)}); ${(100 * tooDear).toFixed(1)} % of frames are above
  ms between frames on the clock        ${of(frameMs)}`)
}

async function tellDashboard(browser: Browser, origin: string, runs: number): Promise<void> {
  console.log(`
${PANELS} panels with ${SERIES} series each (wanted: the first screen in ${WANTED.dashboardSeconds} s)
| run | first screen: CPU s | clock s | all panels: CPU s | clock s |\n|---|---:|---:|---:|---:|`)
  for (let run = 1; run <= runs; run++) {
    const { first, all } = await measureDashboard(browser, origin)
    const cells = [first.cpuSeconds, first.clockSeconds, all.cpuSeconds, all.clockSeconds]
    console.log(`| ${[run, ...cells.map((one) => one.toFixed(2))].join(' | ')} |`)
  }
}

async function tellShifts(browser: Browser, origin: string): Promise<void> {
  console.log(
    '\n| layout shift over a load and two polls | 1440: before data | after (0) | 390: before data | after (0) | what moved after |\n|---|---:|---:|---:|---:|---|',
  )
  for (const page of PAGES) {
    const wide = await measureShift(browser, origin, page, SIZES[1440])
    const narrow = await measureShift(browser, origin, page, SIZES[390])
    const cells = [wide.shiftBefore, wide.shiftAfter, narrow.shiftBefore, narrow.shiftAfter].map((one) =>
      one.toFixed(4),
    )
    const moved = [wide, narrow].filter(({ shiftAfter }) => shiftAfter > UNSEEN_SHIFT).map(({ movers }) => movers[0])
    console.log(`| ${[page.name, ...cells, [...new Set(moved)].join('; ')].join(' | ')} |`)
  }
}
