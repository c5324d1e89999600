import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkBundle } from '../../src/bundle/archive/checksums.ts'
import { unzip } from '../../src/bundle/archive/unzip.ts'
import type { UpgradeItems } from '../../src/contract/fleet-upgrades.ts'
import { daytwo } from '../cli/run.ts'
import { launchBrowser } from '../support/browser.ts'
import { builtApp } from '../support/built-app.ts'
import {
  clustersOf,
  playScopedFleet,
  tokenOf,
  wordsOf,
  writeContent,
  type ScopedServer,
} from '../support/scoped-fleet.ts'
import { tempDir } from '../support/temp-dir.ts'

// Bundles of the server as it ships: made by the program, moved to an empty folder, opened without a server.

const content = tempDir('bundles-content')
const folder = tempDir('bundles')
let server: ScopedServer
let browser: Browser
/** Of team A. */
let upgrade: UpgradeItems['upgrades'][number]

beforeAll(async () => {
  const { startApp } = await builtApp()
  writeContent(content.path)
  ;[server, browser] = await Promise.all([playScopedFleet(startApp, ['a', 'b'], content.path), launchBrowser()])
  const answer = await get('/api/fleet/v1/upgrades?limit=1000', tokenOf('viewer', 'a'))
  const { upgrades } = (await answer.json()) as UpgradeItems
  upgrade = upgrades[0]!
}, 300_000)
afterAll(async () => {
  await browser.close()
  await server.stop()
  content.remove()
  folder.remove()
})

function get(path: string, token: string): Promise<Response> {
  return fetch(new URL(path, server.app.url), { headers: { authorization: `Bearer ${token}` } })
}

function bundle(words: readonly string[], token = tokenOf('viewer', 'a')) {
  return daytwo('bundle', ...words, '--url', server.app.url, '--token', token)
}

function membersOf(file: string): ReadonlyMap<string, string> {
  return new Map(unzip(readFileSync(file)).map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]))
}

function wordsIn(members: ReadonlyMap<string, string>, words: readonly string[]): readonly string[] {
  return [...members].flatMap(([name, text]) =>
    words.filter((word) => text.includes(word)).map((word) => `${name}: ${word}`),
  )
}

/** Into a folder that has nothing else. */
function unpacked(file: string, name: string): string {
  const empty = join(folder.path, name)
  mkdirSync(empty)
  for (const { name: member, bytes } of unzip(readFileSync(file))) {
    mkdirSync(dirname(join(empty, member)), { recursive: true })
    writeFileSync(join(empty, member), bytes)
  }
  return empty
}

const file = (name: string): string => join(folder.path, name)

describe('the program', () => {
  test('stores the bundle of an upgrade, verifies it, and finds a change', async () => {
    const path = file('upgrade.zip')
    const made = await bundle(['upgrade', upgrade.id, '-o', path])
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toMatch(/upgrade\.zip: \d+ files, \d+ bytes, redaction default\n$/)
    const checked = await daytwo('bundle', 'verify', path)
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining('files as they were made, "Upgrade of '),
    ])
    const changed = readFileSync(path)
    changed[Math.floor(changed.length / 2)]! ^= 1
    writeFileSync(file('changed.zip'), changed)
    const refused = await daytwo('bundle', 'verify', file('changed.zip'))
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/not an archive of a bundle: member ".*" /)
    writeFileSync(file('short.zip'), changed.subarray(0, 1000))
    expect(await daytwo('bundle', 'verify', file('short.zip'))).toMatchObject({ code: 1 })
  })

  test('two bundles of one moment have the same bytes', async () => {
    await bundle(['upgrade', upgrade.id, '-o', file('second.zip')])
    expect(readFileSync(file('second.zip')).equals(readFileSync(file('upgrade.zip')))).toBe(true)
  })

  test('has the data of the server: objects, samples, spans, and what is not there is stated', () => {
    const members = membersOf(file('upgrade.zip'))
    const lengths = ['objects.json', 'phases.json', 'trace.json'].map(
      (name) => (JSON.parse(members.get(name)!) as unknown[]).length,
    )
    for (const length of lengths) expect(length).toBeGreaterThan(3)
    const manifest = JSON.parse(members.get('manifest.json')!) as { faults: unknown[]; versions: { schema: number } }
    expect(manifest.faults).toEqual([])
    expect(manifest.versions.schema).toBeGreaterThan(1)
  })

  test('redaction strict: no name of a cluster of the fleet is in any member', async () => {
    const made = await bundle(['upgrade', upgrade.id, '--redact', 'strict', '-o', file('strict.zip')])
    expect(made.code).toBe(0)
    const members = membersOf(file('strict.zip'))
    const names = [...wordsOf('a'), ...wordsOf('b')].filter((word) => !/^(only|team)-/.test(word))
    expect(wordsIn(members, names)).toEqual([])
    expect(wordsIn(members, ['[cluster-1]']).length).toBeGreaterThan(4)
    expect(wordsIn(membersOf(file('upgrade.zip')), clustersOf('a')).length).toBeGreaterThan(4)
  })

  test('a team has bundles of its own clusters, with no word of another team; others do not exist', async () => {
    const { fingerprint } = server.ids.a!
    const made = await bundle(['alert', fingerprint, '--redact', 'none', '-o', file('alert.zip')])
    expect([made.code, made.stderr]).toEqual([0, ''])
    for (const name of ['alert.zip', 'upgrade.zip']) expect(wordsIn(membersOf(file(name)), wordsOf('b'))).toEqual([])
    expect(membersOf(file('alert.zip')).get('logs.json')).toContain('only-a')
    const outside = await bundle(['alert', server.ids.b!.fingerprint, '-o', file('outside.zip')])
    expect([outside.code, outside.stderr]).toEqual([
      3,
      expect.stringContaining('no bundle: no alert has the fingerprint'),
    ])
    expect(existsSync(file('outside.zip'))).toBe(false)
    const audit = await (await get('/api/fleet/v1/audit', tokenOf('admin', 'all'))).json()
    const made2 = (audit as { entries: { action: string; by: string }[] }).entries.filter(
      ({ action }) => action === 'bundle.make',
    )
    expect(made2.length).toBeGreaterThanOrEqual(4)
    expect(made2[0]!.by).toBe(tokenOf('viewer', 'a'))
  })

  test.each([
    [['bundle'], /daytwo bundle: got "", want upgrade, alert, rollout or verify/],
    [['bundle', 'upgrade'], /daytwo bundle upgrade: got "", want the ID of an upgrade/],
    [['bundle', 'upgrade', 'x', '--redact', 'all'], /option --redact: got "all", want default, strict, none/],
    [['bundle', 'verify', '/nowhere/x.zip'], /cannot read \/nowhere\/x.zip/],
    [['bundle', 'alert', 'x', '--active-at', 'soon'], /option --active-at: got "soon"/],
  ])('%j is refused', async (args, want) => {
    const ran = await daytwo(...args)
    expect(ran.stderr).toMatch(want)
    expect(ran.code).toBe(2)
  })

  test('3 without a server', async () => {
    expect(await daytwo('bundle', 'upgrade', 'x', '--url', 'http://127.0.0.1:1')).toMatchObject({ code: 3 })
  })
})

describe('the page, from an empty folder, without a network', () => {
  test.each([
    ['upgrade', 'upgrade.zip', /^Upgrade of /, ['Phases', 'Objects', 'Samples', 'Trace', 'Log records', 'Files']],
    ['alert', 'alert.zip', /^Alert ShopLoadHigh on a-shop/, ['Phases', 'Alerts', 'Samples', 'Rules', 'Runbooks']],
  ])('the bundle of an %s opens: no request, no fault, accessible', async (name, archive, title, sections) => {
    const moved = unpacked(file(archive), `empty-${name}`)
    expect(readdirSync(moved)).toContain('index.html')
    const context = await browser.newContext({ offline: true })
    const page = await context.newPage()
    const faults: string[] = []
    const requests: string[] = []
    page.on('console', (message) => faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('request', (request) => requests.push(request.url()))
    const address = pathToFileURL(join(moved, 'index.html')).href
    await page.goto(address)
    expect(await page.locator('h1').innerText()).toMatch(title)
    const headings = await page.locator('h2').allInnerTexts()
    for (const section of sections) expect(headings).toContain(section)
    // The policy lets the styles in.
    expect(await page.evaluate('getComputedStyle(document.querySelector("main")).maxWidth')).toBe('1160px')
    if (name === 'alert') {
      expect(await page.locator('.runbook').innerText()).toContain('Meaning')
      expect(await page.locator('svg.chart').count()).toBeGreaterThan(0)
    } else expect(await page.locator('.lane svg').count()).toBeGreaterThan(3)
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      expect(await accessibilityFaults(page)).toEqual([])
    }
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await picture(page, name)
    expect([faults, requests]).toEqual([[], [address]])
    await context.close()
  })
})

describe('the pages of the server', () => {
  test.each([
    ['an upgrade', () => `/fleet/upgrades/${upgrade.id}`, 'Upgrade of '],
    ['an alert', () => `/alerts/${server.ids.a!.fingerprint}`, 'Alert ShopLoadHigh on a-shop'],
  ])('the button on the page of %s downloads its bundle', async (_what, address, title) => {
    const authorization = `Bearer ${tokenOf('viewer', 'a')}`
    const context = await browser.newContext({ extraHTTPHeaders: { authorization } })
    await context.addInitScript("localStorage.setItem('daytwo.tour', '{\"isDismissed\":true}')")
    const page = await context.newPage()
    await page.goto(new URL(address(), server.app.url).href)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Evidence bundle' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^daytwo-(?:upgrade|alert)-\d{8}T\d{6}Z\.zip$/)
    const checked = checkBundle(readFileSync(await download.path()))
    expect(checked).toMatchObject({ problems: [], redaction: 'default' })
    expect(checked.title?.startsWith(title)).toBe(true)
    await pagePicture(page)
    await context.close()
  })
})

type Page = Awaited<ReturnType<Browser['newPage']>>

async function accessibilityFaults(page: Page): Promise<unknown> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // By the browser itself: the policy of the page allows no script.
  await page.evaluate(axe)
  return page.evaluate(
    'axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`))',
  )
}

/** With DAYTWO_PICTURES, for a look at the page. */
async function picture(page: Page, name: string): Promise<void> {
  const target = process.env['DAYTWO_PICTURES']
  if (target === undefined) return
  for (const width of [1440, 390]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(target, `bundle-${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  cpSync(folder.path, join(target, 'files'), { recursive: true })
}

/** With DAYTWO_PICTURES, of a page with the button. */
async function pagePicture(page: Page): Promise<void> {
  const target = process.env['DAYTWO_PICTURES']
  if (target === undefined) return
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const name = new URL(page.url()).pathname.split('/')[1]!
    await page.screenshot({ path: join(target, `button-${name}-${width}.png`) })
  }
}
