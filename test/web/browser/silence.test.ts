import { expect, test } from 'vitest'
import { fixturePages } from './fixture-pages.ts'
import { fleetAnswer } from './fleet-answers.ts'
import { PHONE } from './open-page.ts'

const pages = fixturePages()

test('the page of a silent cluster has the cause, its evidence with numbers, and the next step', async () => {
  const { page, expectClean, close } = await pages.open('/fleet/clusters/ams-silent-1')
  await page.getByText('No data: network').waitFor()
  await page.getByText('28 of 31 clusters of eu-west fell silent within 4 min; 3 of 120 elsewhere.').waitFor()
  await page.getByText(/^Check the network between eu-west and Daytwo/).waitFor()
  await page.getByRole('link', { name: 'Clusters with this cause' }).click()
  await page.waitForURL('**/fleet/clusters?silence=network')
  await page.getByRole('button', { name: 'Remove filter silence: network' }).waitFor()
  expectClean()
  await close()
})

test('an unknown cause shows what is missing', async () => {
  const { page, expectClean, close } = await pages.open('/fleet/clusters/ams-silent-2', PHONE)
  await page.getByText('No data: the cause is not known').waitFor()
  await page.getByText(/Only metrics were ever reported/).waitFor()
  expectClean()
  await close()
})

test('the list and the landing page show the cause of each silent cluster', async () => {
  const list = await pages.open('/fleet/clusters?state=silent')
  const row = list.page.getByRole('row', { name: /ams-silent-1/ })
  await row.getByText('network').last().waitFor()
  list.expectClean()
  await list.close()
  const { page, expectClean, close } = await pages.open('/')
  const silent = page.getByRole('region', { name: 'Silent' })
  await silent
    .getByRole('row', { name: /gru-lab-6/ })
    .getByText('broken by its upgrade')
    .waitFor()
  await silent.getByRole('link', { name: 'remote write broken 3' }).click()
  await page.waitForURL('**/fleet/clusters?silence=remote_write_broken')
  expectClean()
  await close()
})

test('an owner who opted out is declared as that', async () => {
  const { page, expectClean, close } = await pages.open('/fleet/clusters/ams-silent-1')
  await page.getByRole('button', { name: 'Decommission…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Opted out' }).click()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('mail of 3 May')
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/decommissions')),
    dialog.getByRole('button', { name: 'Decommission', exact: true }).click(),
  ])
  expect(request.postDataJSON()).toMatchObject({ kind: 'opted_out', reason: 'mail of 3 May' })
  expectClean()
  await close()
})

test('the configuration and the cluster of a past moment are requested for that moment', async () => {
  const asked: string[] = []
  const { page, close } = await pages.open('/fleet/configuration?at=2026-01-02T03:04:00Z')
  page.on('request', (request) => asked.push(request.url()))
  await page.getByRole('table', { name: 'Settings in use' }).waitFor()
  await page.goto(`${pages.server.origin}/fleet/clusters/prod-0003?at=2026-01-02T03:04:00Z`)
  await page.getByRole('region', { name: 'Configuration differences' }).getByRole('table').waitFor()
  expect(
    asked.filter((url) => url.includes('/configuration/clusters/')).every((url) => url.includes('at=2026-01-02T03')),
  ).toBe(true)
  await close()
})

test('readiness of a past moment is requested for it, names what is not known, and accepts no risk', async () => {
  const asked: string[] = []
  pages.server.answers.fleet = (url) => {
    if (!url.pathname.endsWith('/readiness')) return fleetAnswer(url, Date.now())
    asked.push(url.search)
    const unavailable = ['readiness.unknown', 'coverage.silent']
    return { ...(fleetAnswer(url, Date.now()) as object), past: { unavailable, untold: unavailable, knownFrom: null } }
  }
  const { page, expectClean, close } = await pages.open('/fleet/readiness?at=2026-01-02T03:04:00Z')
  await page.getByRole('table', { name: 'Hazards', exact: true }).getByText('JSON patches of operands').waitFor()
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.every((search) => search.includes('at=2026-01-02T03'))).toBe(true)
  await page.getByText('Not available: 2').click()
  await page.getByText('hazards whose signal has changed since').waitFor()
  expect(await page.getByRole('button', { name: 'Accept…' }).count()).toBe(0)
  expect(await page.getByRole('region', { name: 'Accepted risks' }).count()).toBe(0)
  expectClean()
  await close()
})

test('another baseline is replayed over a past time, beside the present one', async () => {
  const { page, expectClean, close } = await pages.open('/fleet/configuration')
  await page.getByRole('textbox', { name: /^Baseline cluster/ }).fill('prod-0002')
  await page.getByRole('button', { name: '90 d' }).click()
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.url().includes('/baseline/replay')),
    page.getByRole('button', { name: 'Replay' }).click(),
  ])
  const { searchParams } = new URL(request.url())
  expect(Date.parse(searchParams.get('to')!) - Date.parse(searchParams.get('from')!)).toBe(90 * 86_400_000)
  const outcome = page.getByRole('region', { name: 'Replay of the baseline' })
  await outcome.getByText('Differ from prod-0002 alone: 1 of 900 clusters, 3 h in total').waitFor()
  await outcome.getByText('Differ from prod-0001 alone: 12 of 900 clusters').waitFor()
  await outcome
    .getByRole('row', { name: /prod-0004/ })
    .getByText('and 1 more')
    .waitFor()
  expectClean()
  await close()
})
