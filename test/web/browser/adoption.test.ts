import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ShareAnswer } from '../../../src/contract/adoption.ts'
import type { Now } from '../../../src/contract/now.ts'
import { sharedBrowser } from '../../support/browser.ts'
import { adoptionFixture, someClusters } from './adoption-fixtures.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { accessibilityFaults, DESKTOP, openPage, PHONE } from './open-page.ts'

// The place Adoption, over a year of a fleet of 240 clusters.

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
  Object.assign(server.answers, usualAnswers())
  server.answers.fleet = ({ pathname, searchParams }) =>
    pathname === '/api/fleet/v1/clusters' ? someClusters(searchParams, Date.now()) : undefined
})

test('how fast 1.20 spreads against 1.19 at the same age: one click; do machines follow: none more', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/')
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Adoption' }).click()
  const answer = page.getByText('1.20 runs on 115 of 227 reporting clusters (51 %).')
  await answer.waitFor()
  expect(await answer.locator('..').innerText()).toContain(
    'First installed 23 days earlier. At the same age, 1.19 was at 53 %.',
  )
  const atAge = page.getByRole('table', { name: 'Share at one age' })
  expect(await atAge.innerText()).toMatch(
    /At day 23[^]*1\.20\s+51 %\s+majority[^]*1\.19\s+53 %\s+majority[^]*1\.18\s+54 %/,
  )
  // When do nine tenths run it? No click more.
  expect(await page.getByRole('group', { name: 'Forecast' }).innerText()).toMatch(
    /1\.20 is 23 days old, at 51 %\. 90 % expected on day 6\d \(\d+ to \d+\), in 4\d days, based on 3 earlier versions from/,
  )
  const spreads = page.getByRole('table', { name: 'How fast versions spread' })
  expect(await spreads.innerText()).toMatch(/1\.20\s+[\d-]+\s+2 d\s+23 d\s+not yet\s+not yet\s+51 %\s+rising, majority/)
  expect(await spreads.innerText()).toMatch(/1\.15\s+before [\d-]+\s+not known\s+not known\s+not known/)

  // A chart says its numbers at the place that is pointed at.
  await page
    .getByRole('img', { name: /^Share by age in days: 1\.20, 1\.19, 1\.18/ })
    .hover({ position: { x: 48, y: 100 } })
  await atAge.getByText('At day 0').waitFor()

  const machines = page.getByRole('region', { name: 'Workload updates' })
  expect(await machines.innerText()).toMatch(
    /1\s128 of 3\s500 VMs run the virt-launcher of 1\.20 or newer \(32 %\); 659 more have/,
  )
  await machines.getByRole('button', { name: 'Table' }).click()
  await page.waitForURL('**/adoption?table=workloads')
  expect(await machines.getByRole('table', { name: 'VMs by version' }).innerText()).toMatch(/1\.20\.0\s+115/)
  expectClean()
  await close()
})

describe('can an old version be dropped', () => {
  test('is one drag: who is older, how sure that is, and which clusters they are', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/adoption?cohort=region')
    const panel = page.getByRole('region', { name: 'Clusters behind a version' })
    await panel.getByText('22 of 227 reporting clusters (10 %)').waitFor()
    const slider = panel.getByRole('slider', { name: 'Older than version' })
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**older=1.19.0**')
    await panel.getByText('12 of 227 reporting clusters (5 %)').waitFor()
    const text = await panel.innerText()
    expect(text).toContain(
      '13 more clusters without a reported version: if all of these are older too, the total is 25 of 240 (10 %).',
    )
    expect(text).toContain('Versions: 1.16.3 (12)')
    expect(text).toMatch(/\d+ VMs running on these clusters\./)
    expect(await slider.getAttribute('aria-valuetext')).toBe('1.19.0: 12 of 227 clusters are older')
    await panel.getByRole('table', { name: 'Clusters on older versions' }).getByText('zlin-edge-1').waitFor()
    expect(await panel.getByRole('link', { name: 'Show all in Fleet' }).getAttribute('href')).toBe(
      '/fleet/clusters?version=1.16.3',
    )
    const asked = server.asked.filter((path) => path.includes('by=region') && path.includes('version=1.16.3'))
    expect(asked).not.toEqual([])
    expectClean()
    await close()
  })
})

test('how sure the numbers are: one click on what stands beside each of them', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/adoption')
  await page
    .getByRole('region', { name: 'Share over time' })
    .getByRole('button', { name: '227 of 240 reporting' })
    .click()
  await page.waitForURL('**/adoption?shows=denominator')
  const dialog = page.getByRole('dialog', { name: 'Coverage of these numbers' })
  await dialog.getByRole('table', { name: 'Clusters without data' }).waitFor()
  const text = await dialog.innerText()
  expect(text).toContain('227 of 240 clusters (95 %) reported a version of kubevirt-hyperconverged')
  expect(text).toMatch(/90 of 91 in this range\s+Not counted\s+\d{4}-\d\d-\d\d: the server was not running/)
  expect(text).toMatch(/Metrics\s+228 of 240 \(95 %\)\s+Objects\s+31 of 240/)
  expect(text).toMatch(
    /zlin-edge-1\s+silent\s+\d d.* ago\s+metrics\s+zlin-edge-2\s+no version reported\s+\d+ s ago\s+metrics, objects/,
  )
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.waitForURL('**/adoption')
  expectClean()
  await close()
})

describe('a number is cited', () => {
  test('with two clicks: a link that knows its numbers, files, and PromQL', async () => {
    const { page, expectClean, close } = await openPage(browser, server, '/adoption?range=30d&channel=stable')
    await page.getByRole('button', { name: 'Cite: Share over time' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cite: Share over time' })
    await dialog.getByRole('button', { name: 'Copy link' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await dialog.getByText('Copied').waitFor()
    const link = (await dialog.locator('pre').first().innerText()).replaceAll('\n', '')
    const url = new URL(link)
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    expect(url.searchParams.get('to')).toBe(yesterday)
    expect(url.searchParams.get('channel')).toBe('stable')
    expect(url.searchParams.get('cite')).toMatch(/^share\.[0-9a-f]{16}$/)
    expect(await dialog.locator('pre').last().innerText()).toContain('daytwo_cluster_info{channel="stable"}')
    const csv = await dialog.getByRole('link', { name: 'Download CSV' }).getAttribute('href')
    expect(csv).toMatch(
      new RegExp(`^/api/adoption/v1/share\\?channel=stable&from=.*&to=${yesterday}&at=.*&by=minor&format=csv$`),
    )

    await page.goto(link)
    await page.getByText('The same numbers as when they were cited').waitFor()
    expect(server.asked.at(-1)).toContain('at=')
    // The clusters behind the numbers are those of that moment too.
    const askedOf = (part: string): boolean =>
      server.asked.some(
        (path) => path.startsWith('/api/fleet/v1/clusters?') && path.includes(part) && /at=2/.test(path),
      )
    await expect.poll(() => askedOf('version=')).toBe(true)
    await page
      .getByRole('region', { name: 'Share over time' })
      .getByRole('button', { name: /\d+ of \d+ reporting/ })
      .click()
    await page.getByRole('heading', { name: 'Data sources at that time' }).waitFor()
    await expect.poll(() => askedOf('state=silent')).toBe(true)
    await page.keyboard.press('Escape')
    // Late data has changed a day since.
    await page.goto(link.replace(/share\.[0-9a-f]{4}/, 'share.ffff'))
    await page.getByText('These numbers have changed since they were cited').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.waitForURL((at) => !at.search.includes('cite') && at.search.includes('at='))
    expectClean()
    await close()
  })
})

test('shares are counts, tables, of another dimension, and of some clusters, and the address says so', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/adoption?range=1y')
  const panel = page.getByRole('region', { name: 'Share over time' })
  const legend = panel.getByRole('table', { name: 'By minor on one day' })
  await legend.waitFor()
  expect(await legend.innerText()).toMatch(/227 reporting clusters[^]*1\.20\s+115\s+51 %[^]*not known\s+13\s+–/)
  await panel.getByRole('button', { name: 'Clusters', exact: true }).click()
  await panel.getByRole('img', { name: /^Clusters by minor/ }).waitFor()
  await panel.getByRole('button', { name: 'Table' }).click()
  expect(await panel.getByRole('group', { name: 'Shares by minor' }).innerText()).toMatch(
    /not known(\s+\d+)+[^]*1\.20(\s+\d+)+/,
  )
  await panel.getByRole('combobox', { name: 'By' }).selectOption('platform')
  await panel.getByRole('rowheader', { name: 'kubernetes 1.34' }).waitFor()
  await page.waitForURL('**/adoption?by=platform&range=1y&measure=clusters&table=share')

  await page.getByRole('combobox', { name: 'Only clusters with' }).selectOption('channel')
  await page.getByRole('combobox', { name: 'Which channel' }).selectOption('candidate')
  await page.waitForURL('**channel=candidate**')
  await page.getByText('1.20 runs on 35 of 37 reporting clusters (95 %).').waitFor()
  await page.getByRole('button', { name: 'Remove filter channel: candidate' }).click()
  await page.getByText('115 of 227').first().waitFor()

  const cohorts = page.getByRole('region', { name: 'Cohorts' })
  expect(await cohorts.getByRole('table').innerText()).toMatch(
    /stable\s+61 of 142 \(7 not reported\)\s+43 %[^]*candidate\s+35 of 37\s+95 %/,
  )
  await cohorts.getByRole('button', { name: 'Only these: channel stable', exact: true }).click()
  await page.waitForURL('**channel=stable**')
  const behind = page.getByRole('region', { name: 'Versions behind' })
  await behind.getByRole('button', { name: 'Releases' }).click()
  await behind.getByText('1 release behind').waitFor()
  const usage = page.getByRole('region', { name: 'In use' })
  expect(await usage.getByRole('table', { name: 'Deprecated APIs in use' }).innerText()).toMatch(
    /kubevirt\.io\/v1alpha3 virtualmachines\s+14 \(/,
  )
  expectClean()
  await close()
})

test('a panel that fails leaves the others, and a day alone is shown', async () => {
  const young = adoptionFixture(Date.now(), 1)
  server.answers.adoption = (question, search) =>
    question === 'operators'
      ? young.operators
      : question === 'workloads'
        ? { status: 503, body: { error: 'the query worker is busy', code: 'overloaded' } }
        : young.answer(question, search)
  const { page, close } = await openPage(browser, server, '/adoption', PHONE, ['503'])
  await page.getByText('Could not load workload updates').waitFor()
  await page.getByText(/Installed before .*, the first counted day/).waitFor()
  await page.getByText('No version with a known first install.').waitFor()
  await page.getByText('is the first counted day: no earlier counts exist.').waitFor()
  // While days are counted it is not known to be.
  const { now } = usualAnswers()
  server.answers.now = () => ({ ...(now() as Now), derivation: { caughtUpAt: null, waiting: 0, daysToCount: 120 } })
  await page.reload()
  await page.getByText('is the first counted day so far: 120 days are still to be counted.').waitFor()
  await page.getByRole('button', { name: 'Cite: Share over time' }).click()
  await page.getByText('the numbers will still change').waitFor()
  await close()
})

test('filters that no cluster passes are said, and leave no panel without anything in it', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/adoption?region=nowhere')
  await page.getByText('No counted cluster matches these filters.').waitFor()
  await page.getByRole('region', { name: 'In use' }).waitFor()
  expect(await page.getByRole('region').count()).toBe(1)
  expect(await page.getByText(/runs? or newer|on or newer/).count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove filter region: nowhere' }).click()
  await page.getByText('1.20 runs on 115 of 227 reporting clusters (51 %).').waitFor()
  await page.getByRole('region', { name: 'Cohorts' }).waitFor()
  expectClean()
  await close()
})

test('versions of the community and of OpenShift are not compared: the page is about one line', async () => {
  const { answer } = adoptionFixture(Date.now(), 30)
  const { adoption } = server.answers
  server.answers.adoption = (question, search) => {
    if (search.get('by') !== 'flavour')
      return adoption(question, new URLSearchParams([...search].filter(([name]) => name !== 'flavour')))
    const [series] = (answer('share', search) as ShareAnswer).series
    const few = { ...series!, value: 'openshift', clusters: series!.clusters.map(() => 3) }
    return { ...(answer('share', search) as ShareAnswer), series: [series, few] }
  }
  const { page, expectClean, close } = await openPage(browser, server, '/adoption')
  const lines = page.getByRole('group', { name: 'Version line' })
  await lines.getByRole('button', { name: 'Community', pressed: true }).waitFor()
  await page.getByText('reporting clusters (51 %)').waitFor()
  expect(server.asked.some((path) => path.includes('/spread?flavour=community&flavour=-'))).toBe(true)
  await lines.getByRole('button', { name: 'OpenShift' }).click()
  await page.waitForURL('**/adoption?flavour=openshift&flavour=-')
  await lines.getByRole('button', { name: 'OpenShift', pressed: true }).waitFor()
  expectClean()
  await close()
})

test('nothing is counted before all that is stored was read, and the page says how much is left', async () => {
  server.answers.adoption = () => ({ operators: [], firstDay: null, lastDay: null })
  const { now } = usualAnswers()
  server.answers.now = () => {
    const derivation = { caughtUpAt: null, waiting: 9777, daysToCount: 12 }
    return { ...(now() as object), derivation } as ReturnType<typeof now>
  }
  const { page, expectClean, close } = await openPage(browser, server, '/adoption', DESKTOP)
  await page
    .getByText(
      /sent: 9.777 clusters remaining\. Counting starts after that\. 12 days are still to be counted\. The present/,
    )
    .waitFor()
  expectClean()
  await close()
})

test.each([
  ['no cluster was ever heard of', 0, 0, 'No cluster has reported yet'],
  ['clusters have reported, and nothing of it is processed', 0, 40, 'No adoption counts yet'],
  ['clusters are heard of, and no day is counted yet', 1, 0, 'No adoption counts yet'],
])('%s', async (_, clusters, waiting, shows) => {
  server.answers.adoption = () => ({ operators: [], firstDay: null, lastDay: null })
  const { now } = usualAnswers()
  server.answers.now = () => {
    const usual = now() as Now
    return {
      ...usual,
      clusters: { ...usual.clusters, total: clusters },
      derivation: { ...usual.derivation, waiting },
    }
  }
  const { page, expectClean, close } = await openPage(browser, server, '/adoption', DESKTOP)
  await page.getByText(shows).waitFor()
  expect(await page.getByText('No cluster has reported yet').count()).toBe(shows === 'No adoption counts yet' ? 0 : 1)
  expectClean()
  await close()
})
