import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { columnsApart } from './columns.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { withGoneFleet, type GoneFleet } from './gone-fixtures.ts'
import { accessibilityFaults, DESKTOP, openPage, PHONE } from './open-page.ts'
import { stuckItems, upgradeDetail, upgradeItems } from './upgrade-fixtures.ts'

// Clusters that were switched off for good: said on their page or in the list, seen everywhere, taken back.

let browser: Browser
let server: FixtureServer
let fleet: GoneFleet

beforeAll(async () => {
  browser = await sharedBrowser()
  server = await startFixtureServer()
})
afterAll(async () => {
  await server.close()
})
beforeEach(() => {
  Object.assign(server.answers, usualAnswers())
  fleet = withGoneFleet(server.answers)
})

const SILENT = '/fleet/clusters/ams-silent-1'
const dialog = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('dialog')

test('said on the page of a cluster with a reason, it is gone; Undo takes it back', async () => {
  const { page, expectClean, close } = await openPage(browser, server, SILENT)
  await page.getByRole('button', { name: 'Decommission…' }).click()
  const form = dialog(page)
  await form.getByRole('heading', { name: 'Decommission ams-silent-1' }).waitFor()
  const send = form.getByRole('button', { name: 'Decommission', exact: true })
  expect(await send.isDisabled()).toBe(true)
  await form.getByText('Enter a reason.').waitFor()
  // Nothing warns of a cluster that is silent anyway.
  expect(await form.getByText('reporting now').count()).toBe(0)
  await page.keyboard.type('OPS-7: the site was closed')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByText('ams-silent-1 decommissioned: not counted any more').waitFor()
  await page.getByText('Decommissioned: declared by me').waitFor()
  await page.getByText(/“OPS-7: the site was closed”\. Not counted since/).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Decommissioning of ams-silent-1 reverted').waitFor()
  await page.getByRole('button', { name: 'Decommission…' }).waitFor()
  expect(fleet.said.map(({ state }) => state)).toEqual(['withdrawn'])
  await page.getByText('Decommissioning reverted').waitFor()
  expectClean()
  await close()
})

test('it reverted later on the page of the cluster, and ends by itself when the cluster is heard', async () => {
  fleet.said.push({
    ...{
      id: 'd',
      kind: 'decommissioned',
      cluster: 'ams-silent-1',
      since: '2026-01-02T03:04:05.000Z',
      by: 'ada',
      reason: 'sold',
    },
    ...{ saidAt: '2026-01-03T03:04:05.000Z', state: 'standing', endedAt: null, endedBy: null },
  })
  const { page, expectClean, close } = await openPage(browser, server, SILENT)
  await page.getByText('Decommissioned: declared by ada').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await page.getByRole('button', { name: 'Decommission…' }).count()).toBe(0)
  fleet.hear('ams-silent-1')
  await page.reload()
  await page.getByText('Reports again').waitFor()
  await page.getByRole('button', { name: 'Decommissioning' }).click()
  await page.getByText('ada: sold').waitFor()
  expect(await page.getByText('Decommissioned: declared by ada').count()).toBe(0)

  Object.assign(fleet.said[0]!, { state: 'standing', endedAt: null, endedBy: null })
  await page.reload()
  await page.getByRole('button', { name: 'Revert' }).click()
  await page.getByText('Decommissioning of ams-silent-1 reverted').waitFor()
  await page.getByRole('button', { name: 'Decommission…' }).waitFor()
  expectClean()
  await close()
})

test('without a word for long it is gone by itself, and somebody may still say why', async () => {
  fleet.unheard.add('ams-silent-1')
  const { page, expectClean, close } = await openPage(browser, server, SILENT, PHONE)
  await page.getByText(/^Decommissioned automatically: no data for (14 d|2 w)/).waitFor()
  await page.getByRole('button', { name: 'Decommission…' }).click()
  await dialog(page).getByLabel('Reason').fill('sold')
  await dialog(page).getByRole('button', { name: 'Decommission', exact: true }).click()
  await page.getByText('Decommissioned: declared by me').waitFor()
  const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(width).toBeLessThanOrEqual(0)
  expectClean()
  await close()
})

test('several at once from the list, which has those that are gone only where they are asked for', async () => {
  const { page, expectClean, close } = await openPage(browser, server, '/fleet')
  const table = page.getByRole('table', { name: 'Clusters' })
  await table.getByRole('checkbox', { name: /ams-silent-1/ }).check()
  await table.getByRole('checkbox', { name: /prod-0003/ }).check()
  const bar = page.getByRole('group', { name: 'Selected clusters' })
  await bar.getByRole('button', { name: 'Decommission…' }).click()
  const form = dialog(page)
  await form.getByRole('heading', { name: 'Decommission 2 clusters' }).waitFor()
  await form.getByText('1 cluster is reporting now.').waitFor()
  await form.getByLabel('Reason').fill('the region was closed')
  await form.getByLabel(/^Since/).fill('2099-01-01T00:00')
  await form.getByText('The time must not be in the future.').waitFor()
  await form.getByLabel(/^Since/).fill('2026-01-01T00:00')
  await form.getByRole('button', { name: 'Decommission', exact: true }).click()
  await page.getByText('2 clusters decommissioned: not counted any more').waitFor()
  expect(server.sent.at(-1)).toMatchObject({
    method: 'POST',
    path: '/api/fleet/v1/decommissions',
    // The reader's zone is Prague's.
    body: {
      clusters: ['ams-silent-1', 'prod-0003'],
      reason: 'the region was closed',
      since: '2025-12-31T23:00:00.000Z',
    },
  })
  await page.getByText('1 198 clusters', { exact: true }).waitFor()
  expect(await table.getByRole('link', { name: 'ams-silent-1' }).count()).toBe(0)
  await page.getByRole('button', { name: /2\s*decommissioned/ }).click()
  await page.waitForURL('**/fleet/clusters?state=gone')
  await page.getByText('2 of 1 200 clusters').waitFor()
  await table.getByRole('link', { name: 'prod-0003' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Decommissioning of 2 clusters reverted').waitFor()
  expect(fleet.said.map(({ state }) => state)).toEqual(['withdrawn', 'withdrawn'])
  expectClean()
  await close()
})

test.each([360, 390, 800, 1024, 1280])('with a chip for them the list is whole at a width of %d', async (width) => {
  fleet.unheard.add('ams-silent-1')
  const { page, expectClean, close } = await openPage(browser, server, '/fleet', { viewport: { width, height: 800 } })
  await page.getByRole('button', { name: /1\s*decommissioned/ }).waitFor()
  const table = page.getByRole('table', { name: 'Clusters' })
  await table.getByRole('link', { name: 'ams-stuck-1' }).waitFor()
  expect(await columnsApart(table)).toEqual([])
  const faults = await page.evaluate(() => {
    const found: string[] = []
    if (document.documentElement.scrollWidth > window.innerWidth) found.push('the page is wider than the screen')
    const states = document.querySelector('[role="group"][aria-label="State"]')!
    const chips = [...states.querySelectorAll('button')].map((chip) => chip.getBoundingClientRect())
    const box = states.getBoundingClientRect()
    for (const top of new Set(chips.map((chip) => chip.top))) {
      const right = Math.max(...chips.filter((chip) => chip.top === top).map((chip) => chip.right))
      if (box.right - right > 2) found.push(`a line of chips ends ${box.right - right} px early`)
    }
    for (const place of document.querySelectorAll('.place-nav a')) {
      const text = document.createRange()
      text.selectNodeContents(place)
      const linePx = parseFloat(getComputedStyle(place).fontSize) * 2
      const words = [...place.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
      for (const word of words) {
        text.selectNodeContents(word)
        if (text.getBoundingClientRect().height > linePx)
          found.push(`${word.textContent ?? ''} stands in several lines`)
      }
    }
    const heads = [...document.querySelectorAll('table[aria-label="Clusters"] thead th')].filter(
      (head) => head.clientWidth > 0,
    )
    for (const head of heads) {
      if (head.scrollWidth > head.clientWidth + 1) found.push(`the head ${head.textContent} is cut`)
    }
    return found
  })
  expect(faults).toEqual([])
  expectClean()
  await close()
})

test('Now leads to them quietly, and a fleet of which all are gone is not an empty one', async () => {
  fleet.unheard.add('ams-silent-1')
  const { page, expectClean, close } = await openPage(browser, server, '/')
  const silent = page.getByRole('region', { name: 'Silent' })
  const link = silent.getByRole('link', { name: '1 decommissioned' })
  expect(await link.getAttribute('href')).toBe('/fleet/clusters?state=gone')
  await link.click()
  await page.getByRole('table', { name: 'Clusters' }).getByRole('link', { name: 'ams-silent-1' }).waitFor()
  const usual = server.answers.now
  server.answers.now = () => {
    const answer = usual()
    if (typeof answer !== 'object' || !('clusters' in answer)) return answer
    const nobody = { total: 0, reporting: 0, silent: 0, unknown: 0, gone: 3 }
    return { ...answer, stuck: { count: 0, items: [] }, clusters: { ...answer.clusters, ...nobody } }
  }
  await page.goto(`${server.origin}/`)
  await page.getByText('No active clusters: 3 known clusters are decommissioned.').waitFor()
  expectClean()
  await close()
})

test('who may not say it reads why, and what was typed stays', async () => {
  server.answers.change = () => ({
    status: 403,
    body: { error: 'token "wall" has role viewer, this needs responder', code: 'forbidden' },
  })
  const { page, close } = await openPage(browser, server, SILENT, DESKTOP, ['403'])
  await page.getByRole('button', { name: 'Decommission…' }).click()
  await dialog(page).getByLabel('Reason').fill('sold')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('Not permitted: declare the decommissioning').waitFor()
  await dialog(page).getByText('this needs responder').waitFor()
  expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('sold')
  await close()
})

test('the past is looked at, not changed', async () => {
  fleet.unheard.add('ams-silent-1')
  const at = new Date(Date.now() - 3_600_000).toISOString()
  const { page, close } = await openPage(browser, server, `${SILENT}?at=${at}`)
  await page.getByText(/^Decommissioned automatically: no data/).waitFor()
  expect(await page.getByRole('button', { name: 'Decommission…' }).count()).toBe(0)
  await page.goto(`${server.origin}/fleet/clusters/ams-stuck-1?at=${at}`)
  await page.getByRole('heading', { name: 'ams-stuck-1' }).waitFor()
  expect(await page.getByRole('button', { name: 'Decommission…' }).count()).toBe(0)
  await close()
})

test('an upgrade of a cluster that is gone runs no more, and says why', async () => {
  const { fleet: usual } = server.answers
  server.answers.fleet = (url) => {
    const search = url.searchParams
    if (url.pathname.endsWith('/upgrades'))
      return { ...upgradeItems(search, Date.now()), goneClusters: ['ams-stuck-1'] }
    if (url.pathname.endsWith('/stuck')) return { ...stuckItems(Date.now()), open: 1, stuckCount: 0, stuck: [] }
    if (!url.pathname.endsWith('/u-stuck/detail')) return usual(url)
    return { ...upgradeDetail('u-stuck', Date.now()), clusterGoneSince: '2026-01-02T03:04:05.000Z' }
  }
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/upgrades')
  const running = page.getByRole('region', { name: 'Active' })
  const link = running.getByRole('link', { name: 'decommissioned clusters' })
  expect(await link.getAttribute('href')).toBe('/fleet/clusters?state=gone')
  expect(await running.getByText('ams-stuck-1').count()).toBe(0)
  await page.goto(`${server.origin}/fleet/upgrades/u-stuck`)
  await page.getByText('Cluster decommissioned').waitFor()
  expectClean()
  await close()
})

test('what is modified on a cluster that is gone is left out, counted, and shown when asked for', async () => {
  const { fleet: usual } = server.answers
  server.answers.fleet = (url) => {
    const answer = usual(url)
    return url.pathname.endsWith('/modifications')
      ? Object.assign({}, answer, { goneClusters: ['ams-stuck-1'] })
      : answer
  }
  const { page, expectClean, close } = await openPage(browser, server, '/fleet/modifications')
  const patches = page.getByRole('region', { name: 'JSON patches' })
  const edits = page.getByRole('region', { name: 'Out-of-band modifications' })
  await patches.getByText('3 patches', { exact: true }).waitFor()
  await patches.getByText('1 patch on decommissioned clusters is hidden.').waitFor()
  await edits.getByText('5 modifications on decommissioned clusters are hidden.').waitFor()
  expect(await page.getByRole('link', { name: 'ams-stuck-1' }).count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  await patches.getByRole('link', { name: 'Show', exact: true }).click()
  await page.waitForURL('**/fleet/modifications?gone=shown')
  await patches.getByText('4 patches', { exact: true }).waitFor()
  await patches.getByText('ams-stuck-1 (decommissioned)').waitFor()
  await edits.getByText('ams-stuck-1 (decommissioned)').waitFor()
  await edits.getByRole('link', { name: 'Hide' }).click()
  await page.waitForURL('**/fleet/modifications')
  await patches.getByText('3 patches', { exact: true }).waitFor()
  expectClean()
  await close()
})
