import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { readDashboard } from '../../../src/catalog/dashboard.ts'
import type { QueryAnswer } from '../../../src/contract/prometheus.ts'
import { EVERY_KIND_ANSWER, everyKindInstant, everyKindRange } from './dashboard-fixtures.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { accessibilityFaults, DESKTOP, openPage, PHONE } from './open-page.ts'

// What is drawn, on every page with a chart.

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
  Object.assign(server.answers, usualAnswers(), {
    dashboard: () => EVERY_KIND_ANSWER,
    query: everyKindInstant,
    range: everyKindRange,
    labelValues: () => ['b', 'a'],
  })
})

interface Drawn {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly width: number
}

/** Remembers what is written on canvases from now on, with its place in pixels of the canvas. */
async function rememberTexts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const drawn: Drawn[] = []
    const { prototype } = CanvasRenderingContext2D
    const write = Object.getOwnPropertyDescriptor(prototype, 'fillText')!.value as typeof prototype.fillText
    prototype.fillText = function (this: CanvasRenderingContext2D, text, x, y) {
      const { actualBoundingBoxLeft, actualBoundingBoxRight } = this.measureText(text)
      const transform = this.getTransform()
      const at = transform.transformPoint(new DOMPoint(x, y)).x
      // The label of an axis stands upright.
      const isUpright = transform.b !== 0
      if (!isUpright) {
        const [left, right] = [at - actualBoundingBoxLeft, at + actualBoundingBoxRight]
        drawn.push({ text, left, right, width: this.canvas.width })
      }
      write.call(this, text, x, y)
    }
    Object.assign(window, { drawn })
  })
}

const HOUR_MS = 3600_000
const END_MS = Date.parse('2026-09-21T12:00:00Z')

/** Each ends at a tick. */
const TIMES: readonly (readonly [words: string, lengthMs: number])[] = [
  ['two minutes', 120_000],
  ['an hour', HOUR_MS],
  ['six hours', 6 * HOUR_MS],
]

test.each([
  ['wide', DESKTOP],
  ['narrow', PHONE],
] as const)('no word of a chart over time is cut at its edges, on a %s page', async (_, size) => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards/every-kind', size)
  await rememberTexts(page)
  for (const [words, lengthMs] of TIMES) {
    for (const path of ['/explore/dashboards/every-kind?panel=lines', '/explore?expr=node_cpu']) {
      await page.evaluate(
        ([path, from, to]) => {
          window.drawn.length = 0
          history.pushState(null, '', `${path}&from=${from}&to=${to}`)
        },
        [path, END_MS - lengthMs, END_MS] as const,
      )
      await page.locator('.plot canvas').waitFor()
      await expect
        .poll(() => page.evaluate(() => window.drawn.length), { message: `${words} on ${path}` })
        .toBeGreaterThan(4)
      const drawn = await page.evaluate(() => window.drawn)
      const last = drawn.findLast(({ text }) => text.startsWith('14:00'))
      expect(last, `${words} on ${path}`).toBeDefined()
      expect(drawn.filter(({ left, right, width }) => left < 0 || right > width)).toEqual([])
    }
  }
  expectClean()
  await close()
})

test('no word of a chart of Adoption is cut at its edges', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/adoption')
  for (const range of ['30d', '90d', '1y']) {
    await page.goto(`${server.origin}/adoption?range=${range}`)
    await page.locator('svg text').first().waitFor()
    const cut = await page.locator('svg text').evaluateAll((texts) =>
      texts.flatMap((text) => {
        const [own, whole] = [text.getBoundingClientRect(), text.closest('section')!.getBoundingClientRect()]
        return own.left < whole.left || own.right > whole.right ? [text.textContent] : []
      }),
    )
    expect(cut).toEqual([])
  }
  expectClean()
  await close()
})

test('a drag over one plot zooms once: one step back leads to where one was', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards/every-kind?range=6h')
  const [lines, bars] = [
    page.getByRole('region', { name: 'CPU by node' }),
    page.getByRole('region', { name: 'Upgrades by phase' }),
  ]
  const plot = lines.locator('.u-over')
  await plot.waitFor()
  await bars.locator('.u-over').waitFor()
  const { x, y, width } = await boxOf(plot)
  await page.mouse.move(x + width * 0.25, y + 40)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.5, y + 50, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL(/from=\d+&to=\d+/)
  const zoomed = new URL(page.url()).searchParams
  expect((Number(zoomed.get('to')) - Number(zoomed.get('from'))) / HOUR_MS).toBeCloseTo(1.5, 1)
  await page.goBack()
  await page.waitForURL(/\?range=6h$/)

  // A drag of a few pixels was a click, and leaves nothing behind.
  // The plot of the range gone back to takes the place of the other.
  await page.waitForLoadState('networkidle')
  await plot.hover({ position: { x: 5, y: 5 } })
  const here = await boxOf(plot)
  await page.mouse.move(here.x + 100, here.y + 40)
  await page.mouse.down()
  await page.mouse.move(here.x + 104, here.y + 40, { steps: 3 })
  await page.mouse.up()
  expect(await lines.locator('.u-select').evaluate((element) => element.getBoundingClientRect().width)).toBe(0)
  expect(page.url()).toMatch(/\?range=6h$/)
  expectClean()
  await close()
})

test('what stands beside the pointer is as wide as it needs at either edge, and a click keeps it', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards/every-kind')
  const plot = page.getByRole('region', { name: 'CPU by node' }).locator('.u-over')
  await plot.waitFor()
  const { x, y, width, height } = await boxOf(plot)
  const spot = page.locator('.plot-spot')
  const moment = spot.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
  for (const at of [x + 2, x + width - 2]) {
    await page.mouse.move(at, y + height / 2, { steps: 3 })
    const { x: left, width: wide } = (await spot.boundingBox())!
    expect(left).toBeGreaterThanOrEqual(0)
    expect(left + wide).toBeLessThanOrEqual(DESKTOP.viewport.width)
    // In one line.
    expect((await moment.boundingBox())!.height).toBeLessThan(24)
  }
  // Without its age, which goes on.
  const timeShown = async (): Promise<string> => (await moment.innerText()).split(',')[0]!
  const kept = await timeShown()
  await page.mouse.down()
  await page.mouse.up()
  await spot.getByText('pinned until the next click').waitFor()
  await page.mouse.move(x + 50, y + 50, { steps: 3 })
  expect(await timeShown()).toBe(kept)
  await page.keyboard.press('Escape')
  await spot.getByText('pinned until the next click').waitFor({ state: 'detached' })
  expectClean()
  await close()
})

const panel = (name: string, kind: string, spec: string): string =>
  `    ${name}: { kind: Panel, spec: { display: { name: ${name} }, plugin: { kind: ${kind}, spec: { ${spec} } }, queries: [{ kind: TimeSeriesQuery, spec: { plugin: { kind: PrometheusTimeSeriesQuery, spec: { query: states } } } }] } }`

const OPTIONS = `kind: Dashboard
metadata: { name: every-kind }
spec:
  panels:
${panel('Standing', 'BarChart', "calculation: last, orientation: vertical, colorOverrides: [{ regex: stuck, color: '#ff0000' }]")}
${panel('Lying', 'BarChart', "calculation: last, mode: percentage, colorOverrides: [{ regex: stuck, color: '#ff0000' }]")}
${panel('Stacked', 'BarChart', 'calculation: last, groupBy: [region], isStacked: true')}
${panel('Grouped', 'BarChart', 'calculation: last, groupBy: [region], orientation: vertical, mode: percentage')}
${panel('Ring', 'PieChart', 'calculation: last, radius: 80, legend: { position: bottom, values: [relative] }')}
${panel('Unnamed', 'GaugeChart', 'calculation: last, legend: { show: false }')}
${panel('Scale', 'HeatMapChart', 'showVisualMap: true')}
${panel('States', 'StatusHistoryChart', 'sorting: desc, legend: { position: right }, mappings: [{ kind: Range, spec: { from: 0, to: 4, result: { value: few } } }]')}
${panel('Rows', 'Table', "defaultColumnWidth: 300, defaultColumnHeight: 60, actions: { actionsList: [{ name: Restart, type: webhook, url: 'https://ops.example.com/' }] }, columnSettings: [{ name: region, dataLink: { url: '/fleet', title: 'Fleet of ${__data.fields[\"region\"]}', openNewTab: true } }]")}
`

const STATES: readonly (readonly [region: string, state: string, value: string])[] = [
  ['eu', 'done', '6'],
  ['eu', 'stuck', '2'],
  ['us', 'done', '2'],
]

function statesAt(times: readonly number[]): QueryAnswer {
  const result = STATES.map(([region, state, value]) => {
    return { metric: { region, state }, values: times.map((time): [number, string] => [time, value]) }
  })
  return { status: 'success', data: { resultType: 'matrix', result } }
}

test('options of bars, rings, gauges, maps and tables are drawn as the file says', async () => {
  const { dashboard } = readDashboard('dashboards/every-kind.yaml', OPTIONS)
  expect(dashboard.faults.map(({ severity }) => severity)).toEqual(['warning'])
  Object.assign(server.answers, {
    dashboard: () => ({ ...EVERY_KIND_ANSWER, dashboard: dashboard.model, source: OPTIONS, alerts: {} }),
    range: (_expr: string, start: number, end: number, step: number) =>
      statesAt(Array.from({ length: Math.round((end - start) / step) + 1 }, (_, i) => start + i * step)),
    query: (_expr: string, time: number) => statesAt([time]),
  })
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards/every-kind')
  const region = (name: string) => page.getByRole('region', { name, exact: true })
  const seen = async (name: string) => {
    await region(name).scrollIntoViewIfNeeded()
    await region(name).getByRole('list').or(region(name).getByRole('table')).first().waitFor()
    return region(name)
  }
  const heights = (await seen('Standing')).locator('.bars-panel-bar')
  const high = await heights.evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().height))
  expect(high[0]! / high[1]!).toBeCloseTo(3, 1)
  expect(await region('Standing').getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^6\s+.*done/),
    expect.stringMatching(/^2\s+.*stuck/),
    expect.stringMatching(/^2\s+.*done/),
  ])
  const toned = await heights.evaluateAll((bars) => bars.map((bar) => bar.classList.contains('tone-critical')))
  expect(toned).toEqual([false, true, false])
  const colors = (await seen('Lying')).locator('.bars-panel-bar')
  const [plain, critical] = await colors.evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar).backgroundColor))
  expect(critical).not.toBe(plain)
  expect(await region('Lying').getByRole('listitem').first().innerText()).toMatch(/60 %$/)

  const stacked = await seen('Stacked')
  await stacked.getByRole('img', { name: 'done 6 (75 %), stuck 2 (25 %)' }).waitFor()
  const tops = await stacked
    .locator('.bars-panel-row')
    .first()
    .locator('.bars-panel-bar')
    .evaluateAll((bars) => bars.map((bar) => Math.round(bar.getBoundingClientRect().top)))
  expect(new Set(tops).size).toBe(1)
  expect(await stacked.getByRole('list', { name: 'Parts' }).getByRole('listitem').allInnerTexts()).toEqual([
    'done',
    'stuck',
  ])
  await (await seen('Grouped')).getByRole('img', { name: 'done 75 %, stuck 25 %' }).waitFor()

  const ring = await seen('Ring')
  expect(await ring.getByRole('listitem').first().innerText()).toMatch(/60 %$/)
  expect(await ring.getByRole('listitem').first().innerText()).not.toContain('6\n')
  const [drawn, listed] = [
    await ring.locator('.pie-panel-ring').boundingBox(),
    await ring.getByRole('list').boundingBox(),
  ]
  expect(drawn!.y + drawn!.height).toBeLessThanOrEqual(listed!.y + 1)
  expect(await (await seen('Unnamed')).innerText()).not.toContain('region')
  await region('Scale').scrollIntoViewIfNeeded()
  expect(await region('Scale').locator('.blocks-panel-scale').innerText()).toMatch(/^0\s+6$/)
  const states = await seen('States')
  expect(await states.getByRole('rowheader').allInnerTexts()).toEqual([
    expect.stringContaining('us'),
    expect.stringContaining('stuck'),
    expect.stringContaining('done'),
  ])
  expect(await states.getByRole('list', { name: 'States' }).getByRole('listitem').allInnerTexts()).toEqual(['few', '6'])

  const rows = await seen('Rows')
  expect((await rows.getByRole('row').nth(1).boundingBox())!.height).toBeGreaterThanOrEqual(60)
  const link = rows.getByRole('link', { name: 'eu' }).first()
  expect([await link.getAttribute('title'), await link.getAttribute('target')]).toEqual(['Fleet of eu', '_blank'])
  await rows.getByText('1 action of the file is not supported: Restart (https://ops.example.com/)').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await rows.getByRole('heading').getByRole('link').click()
  await page.getByRole('heading', { name: 'Differs from the file' }).waitFor()
  await page
    .getByText('Table of panel Rows sets actions, which is not supported: pages send no requests')
    .last()
    .waitFor()
  expectClean()
  await close()
})

test('a panel that is repeated stands beside itself, says of which value it is, and opens with it', async () => {
  const { dashboard } = readDashboard('dashboards/every-kind.yaml', REPEATED)
  expect(dashboard.faults).toEqual([])
  server.answers.dashboard = () => ({ ...EVERY_KIND_ANSWER, dashboard: dashboard.model, source: REPEATED, alerts: {} })
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards/every-kind')
  const places = await Promise.all(
    ['a', 'b', 'c'].map(async (value) => {
      const one = page.getByRole('region', { name: `Busy share: ${value}`, exact: true })
      await one.getByText('90 %').waitFor()
      const { x, y } = (await one.boundingBox())!
      return { x, y }
    }),
  )
  const [a, b, c] = places
  expect(b!.y).toBe(a!.y)
  expect(b!.x).toBeGreaterThan(a!.x)
  expect([c!.x, c!.y > a!.y]).toEqual([a!.x, true])
  await page.getByRole('link', { name: 'Busy share: b' }).click()
  await page.waitForURL(/of=b/)
  await page.getByRole('heading', { level: 2, name: 'Busy share: b' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expectClean()
  await close()
})

test('on paper a panel is as high as what it lists, and bars keep their surface', async () => {
  const many = Array.from({ length: 40 }, (_, i) => ({ metric: { state: `state ${i}` }, value: String(i) }))
  const { dashboard } = readDashboard('dashboards/every-kind.yaml', OPTIONS)
  Object.assign(server.answers, {
    dashboard: () => ({ ...EVERY_KIND_ANSWER, dashboard: dashboard.model, source: OPTIONS, alerts: {} }),
    range: (_expr: string, _start: number, end: number): QueryAnswer => ({
      status: 'success',
      data: { resultType: 'matrix', result: many.map(({ metric, value }) => ({ metric, values: [[end, value]] })) },
    }),
  })
  const { page, expectClean, close } = await openPage(browser, server, '/explore/dashboards/every-kind')
  const lying = page.getByRole('region', { name: 'Lying', exact: true })
  await lying.getByText('state 39').waitFor()
  const rest = () => lying.locator('.bar-list').evaluate((list) => list.scrollHeight - list.clientHeight)
  expect(await rest()).toBeGreaterThan(0)
  await page.emulateMedia({ media: 'print' })
  expect(await rest()).toBe(0)
  const [panelBox, lastBox] = [await lying.boundingBox(), await lying.getByRole('listitem').last().boundingBox()]
  expect(lastBox!.y + lastBox!.height).toBeLessThanOrEqual(panelBox!.y + panelBox!.height)
  const adjusts = await lying
    .locator('.bars-panel-bar')
    .first()
    .evaluate((bar) => getComputedStyle(bar).getPropertyValue('print-color-adjust'))
  expect(adjusts).toBe('exact')
  expectClean()
  await close()
})

const REPEATED = `kind: Dashboard
metadata: { name: every-kind }
spec:
  variables:
    - kind: ListVariable
      spec:
        name: node
        allowMultiple: true
        defaultValue: [a, b, c]
        plugin: { kind: StaticListVariable, spec: { values: [a, b, c] } }
  panels:
    each: { kind: Panel, spec: { display: { name: Busy share }, plugin: { kind: StatChart, spec: { calculation: last, format: { unit: percent-decimal } } }, queries: [{ kind: TimeSeriesQuery, spec: { plugin: { kind: PrometheusTimeSeriesQuery, spec: { query: 'topk(1, node_cpu{node=~"$node"})' } } } }] } }
  layouts:
    - kind: Grid
      spec: { repeatVariable: node, items: [{ x: 0, y: 0, width: 10, height: 4, content: { $ref: '#/spec/panels/each' } }] }
`

declare global {
  interface Window {
    drawn: Drawn[]
  }
}

/** Where a plot stands: one that is drawn again takes the place of the other, and between them there is none. */
async function boxOf(plot: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await expect.poll(() => plot.boundingBox()).not.toBe(null)
  await plot.hover({ position: { x: 5, y: 5 } })
  return (await plot.boundingBox())!
}
