/**
 * What pages cost a real Chromium: a dashboard of 50 panels with 100 series each. The server here answers from memory, so
 * that what is measured is the page; the figures are the processor time of the browser (all of its processes, from
 * `/proc`) and, beside it, the time on the clock, which says little on a busy machine.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { readDashboard } from '../src/catalog/dashboard.ts'
import type { DashboardAnswer } from '../src/contract/dashboards.ts'
import { launchBrowser } from '../test/support/browser.ts'

const PANELS = 50
const SERIES = 100
const RUNS = 3
const TARGET_SECONDS = 2
const TICKS_PER_SECOND = 100
const TIMEOUT_MS = 120_000

export async function run(): Promise<void> {
  const server = await startServer()
  const { port } = server.address() as AddressInfo
  const browser = await launchBrowser()
  try {
    console.log(`a dashboard of ${PANELS} panels with ${SERIES} series each; wanted: ${TARGET_SECONDS} s`)
    console.log('run  first screen: CPU s  clock s   all panels: CPU s  clock s')
    for (let run = 1; run <= RUNS; run++) {
      const { first, all } = await measure(browser, `http://127.0.0.1:${port}/explore/dashboards/large`)
      const cells = [first.cpuSeconds, first.clockSeconds, all.cpuSeconds, all.clockSeconds].map((one) =>
        one.toFixed(2),
      )
      console.log(`${run}                   ${cells[0]}     ${cells[1]}                  ${cells[2]}     ${cells[3]}`)
    }
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
}

interface Cost {
  readonly cpuSeconds: number
  readonly clockSeconds: number
}

/** Until the panels in sight are drawn and the page answers; and until all are, having been scrolled through. */
async function measure(browser: Browser, address: string): Promise<{ readonly first: Cost; readonly all: Cost }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  const start = { ticks: browserTicks(), clock: performance.now() }
  const cost = (): Cost => {
    // Processes of an earlier run end meanwhile, and their time with them.
    const used = [...browserTicks()].reduce((sum, [pid, ticks]) => sum + ticks - (start.ticks.get(pid) ?? 0), 0)
    return { cpuSeconds: used / TICKS_PER_SECOND, clockSeconds: (performance.now() - start.clock) / 1000 }
  }
  await page.goto(address)
  await page.waitForFunction(ARE_DRAWN)
  await answers(page)
  const first = cost()
  await page.evaluate(SCROLL_THROUGH)
  await page.waitForFunction(`document.querySelectorAll('.dash-panel canvas').length === ${PANELS}`)
  await answers(page)
  const all = cost()
  await context.close()
  return { first, all }
}

// What runs in the page is text: the compiler of this folder knows no browser.

/** Every panel in sight has its chart. */
const ARE_DRAWN = `(() => {
  const inSight = [...document.querySelectorAll('.dash-panel')].filter((panel) => {
    const { top, bottom } = panel.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  })
  return inSight.length > 0 && inSight.every((panel) => panel.querySelector('canvas') !== null)
})()`

const SCROLL_THROUGH = `(async () => {
  for (let y = 0; y < document.body.scrollHeight; y += 400) {
    scrollTo(0, y)
    await new Promise(requestAnimationFrame)
  }
})()`

/** A frame is drawn and a task run: nothing long is in the way. */
async function answers(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
}

interface Process {
  readonly parent: number
  readonly ticks: number
}

/** Of each process below this one: the browser's. Those of other browsers on the machine are not counted. */
function browserTicks(): ReadonlyMap<number, number> {
  const all = new Map(readdirSync('/proc').flatMap((name) => processOf(Number(name))))
  const isBelow = (pid: number): boolean => {
    let at = all.get(pid)?.parent ?? 0
    while (at !== process.pid && at > 1) at = all.get(at)?.parent ?? 0
    return at === process.pid
  }
  return new Map([...all].filter(([pid]) => isBelow(pid)).map(([pid, { ticks }]) => [pid, ticks]))
}

function processOf(pid: number): readonly (readonly [number, Process])[] {
  if (!Number.isInteger(pid)) return []
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return [[pid, { parent: fields[1] ?? 0, ticks: (fields[11] ?? 0) + (fields[12] ?? 0) }]]
  } catch {
    return [] // It has ended meanwhile.
  }
}

const WEB_ROOT = resolve(import.meta.dirname, '../dist/web')
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

function startServer(): Promise<Server> {
  const dashboard = JSON.stringify(largeDashboard())
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const { pathname } = url
    if (pathname.startsWith('/api/')) {
      response.setHeader('content-type', 'application/json')
      if (pathname === '/api/dashboards/v1/large') response.end(dashboard)
      else if (pathname === '/api/v1/query_range') response.end(matrix(url.searchParams))
      else {
        response.statusCode = 404
        response.end('{"error":"not here","code":"not_found"}')
      }
      return
    }
    const isFile = extname(pathname) !== ''
    response.setHeader('content-type', isFile ? (TYPES[extname(pathname)] ?? 'application/octet-stream') : 'text/html')
    response.end(readFileSync(join(WEB_ROOT, isFile ? pathname : 'index.html')))
  })
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => {
      done(server)
    })
  })
}

/** Each series another course; as many steps as are asked for. */
function matrix(search: URLSearchParams): string {
  const [start = 0, end = 0, step = 1] = ['start', 'end', 'step'].map((name) => Number(search.get(name)))
  const steps = Math.round((end - start) / step) + 1
  const result = Array.from({ length: SERIES }, (_, series) => ({
    metric: { __name__: 'load', cluster: `cluster-${series}` },
    values: Array.from({ length: steps }, (_step, i) => [
      start + i * step,
      String(series + 10 * Math.sin(i / 20 + series)),
    ]),
  }))
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } })
}

function largeDashboard(): DashboardAnswer {
  const panel = (i: number): object => ({
    kind: 'Panel',
    spec: {
      display: { name: `Panel ${i}` },
      plugin: { kind: 'TimeSeriesChart', spec: { legend: { mode: 'list', position: 'bottom' } } },
      queries: [
        {
          kind: 'TimeSeriesQuery',
          spec: { plugin: { kind: 'PrometheusTimeSeriesQuery', spec: { query: `load{panel="${i}"}` } } },
        },
      ],
    },
  })
  const ids = Array.from({ length: PANELS }, (_, i) => `p${i}`)
  const items = ids.map((id, i) => ({
    ...{ x: (i % 3) * 8, y: Math.floor(i / 3) * 8, width: 8, height: 8 },
    content: { $ref: `#/spec/panels/${id}` },
  }))
  const source = JSON.stringify({
    kind: 'Dashboard',
    metadata: { name: 'large' },
    spec: {
      panels: Object.fromEntries(ids.map((id, i) => [id, panel(i)])),
      layouts: [{ kind: 'Grid', spec: { items } }],
    },
  })
  const { dashboard } = readDashboard('large.yaml', source)
  return { dashboard: dashboard.model, file: 'dashboards/large.yaml', source: '', faults: [], alerts: {} }
}
