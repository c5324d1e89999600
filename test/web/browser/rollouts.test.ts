import { expect, test } from 'vitest'
import { fixturePages } from './fixture-pages.ts'

const pages = fixturePages()

test('from the rollouts to the version, the signal that holds it, and a cluster behind it', async () => {
  const { page, expectClean, close } = await pages.open('/fleet')
  await page.getByRole('link', { name: 'Rollouts' }).first().click()
  const verdicts = page.getByRole('table', { name: 'Verdicts on rollouts' })
  await verdicts.getByRole('row', { name: /^1\.18\.1 Hold Worse: Failures\. 12 of 40 \(30 %\)/ }).waitFor()
  await verdicts
    .getByRole('row', { name: /^1\.18\.0 Proceed The other clusters may follow\. 0 of 40 \(0 %\)/ })
    .waitFor()
  await verdicts
    .getByRole('row', {
      name: /^1\.17\.3 Insufficient Needs 42 more upgrades like those until now, about 5 days at the present rate\./,
    })
    .waitFor()
  await verdicts
    .getByRole('row', { name: /^1\.17\.2 Not comparable No cluster of the canary has upgraded to this version\./ })
    .waitFor()

  await verdicts.getByRole('link', { name: '1.18.1' }).click()
  await page.getByRole('heading', { level: 1, name: 'HCO 1.18.1' }).waitFor()
  await page.getByText('Do not upgrade further clusters', { exact: false }).waitFor()
  await page
    .getByText('12 of 40 (30 %) upgrades failed, at most 51 % of all; accepted are 10 %.', { exact: false })
    .waitFor()
  const runbook = page.getByRole('link', { name: 'Runbook: hold a rollout' })
  expect(await runbook.getAttribute('href')).toContain('DaytwoRolloutHold')

  const evidence = page.getByRole('table', { name: 'Evidence by signal' })
  await evidence
    .getByRole('row', { name: /Failures Worse 12 of 40 \(30 %\) 3 of 300 \(1 %\) 38 \(11 to > 100\) 8400 of 100/ })
    .waitFor()
  await evidence.getByRole('row', { name: /^Alerts Not compared/ }).waitFor()
  await evidence.getByRole('button', { name: 'Failures', exact: true }).click()
  await page
    .getByRole('table', { name: 'Strata' })
    .getByRole('row', { name: 'openshift / 4 to 10 nodes 9 of 25 (36 %) 2 of 200 (1 %)' })
    .waitFor()
  // The link has what is unfolded.
  expect(new URL(page.url()).searchParams.get('signal')).toBe('failures')

  await page.getByRole('table', { name: 'Clusters' }).getByRole('link', { name: 'ams-stuck-1' }).click()
  await page.waitForURL('**/fleet/clusters/ams-stuck-1')
  await page.getByRole('heading', { level: 1 }).waitFor()
  expectClean()
  await close()
})

test('phases that became slower, and alerts that are new', async () => {
  const { page, expectClean, close } = await pages.open('/fleet/rollouts/1.18.1')
  const phases = page.getByRole('table', { name: 'Changed durations by phase' })
  await phases
    .getByRole('row', { name: /^Whole upgrade .*Slower 1\.5 \(1\.2 to 1\.9\) 21 min \(40\) 14 min \(300\)/ })
    .waitFor()
  await phases.getByText('1.8 (1.4 to …)').filter({ visible: true }).waitFor()
  await phases.getByText('Too few').waitFor()
  const alerts = page.getByRole('table', { name: 'New and more frequent alerts' })
  await alerts.getByRole('row', { name: /^VirtHandlerRESTErrorsBurst .*new 14 of 40 \(35 %\)/ }).waitFor()
  expectClean()
  await close()
})

test('the canary is chosen, stays in the link, and is taken back', async () => {
  const { page, expectClean, close } = await pages.open('/fleet/rollouts/1.18.1')
  await page.getByText('40 clusters that upgraded to 1.18.1, or do now').waitFor()
  await page.getByRole('combobox', { name: 'Canary' }).selectOption('20')
  await page.waitForURL('**/fleet/rollouts/1.18.1?first=20')
  await page.getByText('4 clusters that upgraded to 1.18.1, or do now').waitFor()
  expect(pages.server.asked.at(-1)).toContain('/api/fleet/v1/rollouts/1.18.1?')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.waitForURL('**/fleet/rollouts/1.18.1')
  await page.getByText('40 clusters that upgraded to 1.18.1, or do now').waitFor()
  expectClean()
  await close()
})

test('another operator without a rollout, and the verdict on the update graph', async () => {
  const { page, expectClean, close } = await pages.open('/fleet/rollouts')
  await page
    .getByRole('button', { name: 'OpenShift' })
    .or(page.getByRole('radio', { name: 'OpenShift' }))
    .first()
    .click()
  await page.getByText('No cluster started an upgrade of OpenShift in the last 30 days.', { exact: false }).waitFor()
  expectClean()
  await close()
})
