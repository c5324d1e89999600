import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeServer, NOW_MS, type TestServer } from '../../api/test-server.ts'
import { demoFleet } from '../../support/demo-fleet.ts'
import { fixturePages } from './fixture-pages.ts'
import { fleetAnswer } from './fleet-answers.ts'

/** The rollout of the demo that is to be held, played by clicks: verdicts are computed by the API from the demo's fleet. */

let api: TestServer
const pages = fixturePages((answers) => {
  answers.fleet = (url) =>
    url.pathname.startsWith('/api/fleet/v1/rollouts')
      ? api.app.inject(`${url.pathname}${url.search}`).then((reply) => reply.json<unknown>())
      : fleetAnswer(url, Date.now())
})

beforeAll(async () => {
  api = await makeServer({ fleet: await demoFleet(NOW_MS) })
}, 120_000)
afterAll(() => api.app.close())

test('from the first page to the verdict and its evidence, with the canary that was not enough: seven clicks', () =>
  pages.ask('/', { clicks: 7 }, async ({ page, click, choose }) => {
    await click(page.getByRole('link', { name: 'Fleet', exact: true }))
    await click(page.getByRole('navigation', { name: 'Pages of Fleet' }).getByRole('link', { name: 'Rollouts' }))
    const verdicts = page.getByRole('table', { name: 'Verdicts on rollouts' })
    await verdicts.getByRole('row', { name: /^1\.17\.3 Hold Worse: Failures\. \d+ of \d+/ }).waitFor()
    expect(await verdicts.getByText('Hold', { exact: true }).count()).toBe(1)
    await click(verdicts.getByRole('link', { name: '1.17.3' }))
    await page.getByRole('heading', { level: 1, name: 'HCO 1.17.3' }).waitFor()

    await choose(page.getByRole('combobox', { name: 'Canary' }), '5')
    await page.getByText('Wait: it is proved neither that the version is safe nor that it is worse.').waitFor()
    await choose(page.getByRole('combobox', { name: 'Canary' }), '50')
    await page.getByText('Do not upgrade further clusters', { exact: false }).waitFor()

    const evidence = page.getByRole('table', { name: 'Evidence by signal' })
    await evidence
      .getByRole('row', {
        name: /Failures Worse \d+ of \d+ \(\d+ %\) \d+ of \d+ \(\d+ %\) [\d.> ]+ \([\d.]+ to [\d.> ]+\)/,
      })
      .waitFor()
    await click(evidence.getByRole('button', { name: 'Failures', exact: true }))
    const strata = page.getByRole('table', { name: 'Strata' })
    await strata.getByRole('row', { name: /^openshift \/ 2 to 3 nodes \d+ of \d+/ }).waitFor()
    const changed = page.getByRole('table', { name: 'Changed durations by phase' })
    await changed.getByRole('row', { name: /^OLM .*Slower/ }).waitFor()
    await click(
      page.getByRole('table', { name: 'Clusters', exact: true }).getByRole('link', { name: 'upgrade' }).first(),
    )
    await page.waitForURL('**/fleet/upgrades/*')
  }))
