import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { DASHBOARD_LIST, EVERY_KIND_ANSWER, everyKindInstant, everyKindRange } from './dashboard-fixtures.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { alertItems } from './fixtures.ts'
import { DESKTOP, openPage, PHONE, type OpenPage } from './open-page.ts'
import { differenceOf, plainer, readPng, REDUCED_BY, writePng, type Picture } from './picture.ts'

/** The main screens as they were when somebody looked at them: see baselines/README.md. One tab draws all of them. */

const FOLDER = resolve(import.meta.dirname, 'baselines')
const PROJECT = resolve(import.meta.dirname, '../../..')
const OUTPUT = resolve(PROJECT, 'test-output/baselines')
const isWriting = process.env['DAYTWO_BASELINES'] === 'write'

/** All that is told is told at this moment, and the page's clock stands there. */
const NOW_MS = Date.parse('2026-10-14T03:12:00Z')
const ALERT = alertItems(NOW_MS).alerts[0]!.fingerprint

let server: FixtureServer
let tab: OpenPage
/** For reading and writing PNG. */
let blank: Page

beforeAll(async () => {
  const browser = await sharedBrowser()
  server = await startFixtureServer()
  Object.assign(server.answers, usualAnswers(NOW_MS), {
    dashboards: () => DASHBOARD_LIST,
    dashboard: () => EVERY_KIND_ANSWER,
  })
  tab = await openPage(browser, server, '/', { ...DESKTOP, reducedMotion: 'reduce' })
  await tab.page.clock.setFixedTime(NOW_MS)
  blank = await tab.page.context().newPage()
})
afterAll(async () => {
  // Its clock stands still: nobody uses this tab again.
  await tab.page.context().close()
  await server.close()
})

interface Screen {
  readonly name: string
  readonly path: string
  /** What is there when all is drawn. */
  readonly shows: (page: Page) => Promise<void>
  readonly isOnPhone?: boolean
  readonly answers?: object
}

const SCREENS: readonly Screen[] = [
  {
    name: 'now',
    path: '/',
    shows: (page) => page.getByRole('table', { name: 'Stuck upgrades' }).waitFor(),
    isOnPhone: true,
  },
  {
    name: 'clusters',
    path: '/fleet/clusters',
    shows: (page) => page.getByRole('link', { name: 'ams-stuck-1' }).waitFor(),
  },
  {
    name: 'upgrade',
    path: '/fleet/upgrades/u-stuck',
    shows: (page) => page.getByRole('table', { name: 'Phases' }).waitFor(),
  },
  {
    name: 'adoption',
    path: '/adoption',
    shows: (page) => page.getByRole('table', { name: 'By minor on one day' }).waitFor(),
  },
  {
    name: 'alert',
    path: `/alerts/${ALERT}`,
    shows: (page) => page.getByRole('heading', { name: 'Diagnosis' }).waitFor(),
    isOnPhone: true,
  },
  {
    name: 'dashboard',
    path: '/explore/dashboards/every-kind',
    shows: (page) => page.getByRole('region', { name: 'CPU by node', exact: true }).getByRole('img').waitFor(),
    answers: { query: everyKindInstant, range: everyKindRange, labelValues: () => ['b', 'a'] },
  },
]

async function open({ path, shows, answers = {} }: Screen): Promise<Page> {
  const { page } = tab
  Object.assign(server.answers, answers)
  await page.setViewportSize(DESKTOP.viewport)
  await page.goto(`${server.origin}${path}`)
  await shows(page)
  return page
}

async function shot(page: Page): Promise<Picture> {
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  return readPng(blank, png, REDUCED_BY)
}

/** A page is quiet when two pictures of it, a moment apart, are one. */
async function quietShot(page: Page): Promise<Picture> {
  await page.evaluate(async () => {
    await document.fonts.ready
  })
  let before = await shot(page)
  for (;;) {
    await page.waitForTimeout(250)
    const now = await shot(page)
    if (Buffer.from(now.tones).equals(Buffer.from(before.tones))) return now
    before = now
  }
}

async function expectAsBefore(page: Page, name: string): Promise<void> {
  const file = join(FOLDER, `${name}.png`)
  if (isWriting) {
    await writeFile(file, await writePng(blank, plainer(await quietShot(page))))
    return
  }
  expect(existsSync(file), `there is no ${name}.png: baselines/README.md says how to write it`).toBe(true)
  const before = await readPng(blank, await readFile(file))
  let difference = differenceOf(await shot(page), before)
  // What is still being drawn differs; only a page that is quiet and differs is another one.
  if (!difference.isSame) {
    const now = await quietShot(page)
    difference = differenceOf(now, before)
    if (!difference.isSame) {
      await mkdir(OUTPUT, { recursive: true })
      await writeFile(join(OUTPUT, `${name}.png`), await writePng(blank, now))
      await writeFile(join(OUTPUT, `${name}-difference.png`), await writePng(blank, difference.shown))
    }
  }
  const where = relative(PROJECT, join(OUTPUT, `${name}-difference.png`))
  expect(difference.isSame, `${name}: ${difference.says}. Look at ${where}; baselines/README.md says what then`).toBe(
    true,
  )
}

test.each(SCREENS)('$name looks as it did, in both themes', async (screen) => {
  const page = await open(screen)
  const sizes = screen.isOnPhone === true ? [DESKTOP, PHONE] : [DESKTOP]
  for (const { viewport } of sizes) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectAsBefore(page, `${screen.name}-${viewport.width}-${colorScheme}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  tab.expectClean()
})

test('a block 8 px further, another tone and a missing row are seen on a real page', async () => {
  const page = await open(SCREENS[0]!)
  const before = await quietShot(page)
  const changes = {
    'a block': () => {
      document.querySelector<HTMLElement>('table[aria-label="Stuck upgrades"]')!.style.marginInlineStart = '8px'
    },
    'a tone': () => {
      document.documentElement.style.setProperty('--dt-critical-fill', '#1060c0')
      document.documentElement.style.setProperty('--dt-critical-text', '#1060c0')
    },
    'a row': () => {
      document.querySelector<HTMLElement>('table[aria-label="Stuck upgrades"] tbody tr')!.style.display = 'none'
    },
  }
  for (const [name, change] of Object.entries(changes)) {
    await page.evaluate(change)
    expect(differenceOf(await shot(page), before).isSame, name).toBe(false)
    await page.evaluate(() => {
      const { style } = document.documentElement
      for (const token of ['--dt-critical-fill', '--dt-critical-text']) style.removeProperty(token)
      const table = document.querySelector<HTMLElement>('table[aria-label="Stuck upgrades"]')!
      table.style.removeProperty('margin-inline-start')
      table.querySelector<HTMLElement>('tbody tr')!.style.removeProperty('display')
    })
  }
  expect(differenceOf(await shot(page), before).isSame).toBe(true)
})
