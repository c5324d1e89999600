import { expect, test } from 'vitest'
import { fixturePages } from './fixture-pages.ts'

const pages = fixturePages()

test('a link holds the whole plan: clusters, target, schedule, and whose steps are shown', async () => {
  const address =
    '/fleet/plan?target=4.18&platform=openshift+4.20&at-once=3&window=Sat+22%3A00-06%3A00&zone=Europe%2FPrague&open=prague-3'
  const { page, expectClean, close } = await pages.open(address)
  await page.getByText('3 clusters at a time, Sat 22:00-06:00 (Europe/Prague)').waitFor()
  expect(await page.getByRole('table', { name: 'Waves' }).getByRole('row').count()).toBe(5)
  const steps = page.getByRole('list', { name: 'Steps of prague-3' })
  await page.getByRole('list', { name: 'Hazards of prague-3' }).getByText('blocking').waitFor()
  // Blocking hazards come before everything else.
  await page.getByRole('table', { name: 'Blocking hazards' }).getByRole('link', { name: 'prague-3' }).waitFor()

  await steps.getByText('1. Pause the worker pools worker').click()
  await steps.getByText('oc patch machineconfigpool worker', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: /: steps of prague-5$/ }).click()
  await page.getByRole('list', { name: 'Steps of prague-5' }).waitFor()
  expect(new URL(page.url()).searchParams.get('open')).toBe('prague-5')
  expectClean()
  await close()
})

test('windows and the time zone count when they are complete, and without a target nothing is planned', async () => {
  const { page, expectClean, close } = await pages.open('/fleet/plan')
  await page.getByText('Select clusters and a target.', { exact: false }).waitFor()
  const windows = page.getByRole('textbox', { name: 'Maintenance windows' })
  await windows.fill('Sat 22:00-06:00; daily 01:00-02:00')
  await windows.press('Enter')
  await page.waitForURL('**/fleet/plan?window=Sat+22%3A00-06%3A00&window=daily+01%3A00-02%3A00')
  await page.getByRole('combobox', { name: 'Target' }).selectOption('4.22')
  await page.getByText('Sat 22:00-06:00; daily 01:00-02:00 (UTC)', { exact: false }).waitFor()
  const zone = page.getByRole('textbox', { name: 'Time zone' })
  await zone.fill('Europe/Prague')
  await zone.blur()
  await page.getByText('daily 01:00-02:00 (Europe/Prague)', { exact: false }).waitFor()
  expectClean()
  await close()
})
