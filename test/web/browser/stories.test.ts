import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { someClusters } from './adoption-fixtures.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { fleetAnswer } from './fleet-answers.ts'
import { alertItems, boundRunbook } from './fixtures.ts'
import { ask, type Cost, type Reader } from './reader.ts'
import { acceptanceItems } from './readiness-fixtures.ts'

/**
 * What people come with, each from where they are when they ask it, and what the answer costs them: clicks and keys are
 * counted, not promised.
 */

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
})

const asks = (from: string, cost: Cost, act: (reader: Reader) => Promise<void>): Promise<void> =>
  ask(browser, server, from, cost, act)

const ALERT = '/alerts/0000000000000001'

describe('an SRE who watches upgrades', () => {
  test('is anything stuck right now? No click', () =>
    asks('/', {}, async ({ page }) => {
      await page.getByText('2 upgrades are stuck.').waitFor()
      await page
        .getByRole('table', { name: 'Stuck upgrades' })
        .getByText('3 virt-handler pods are not ready on the old version.')
        .filter({ visible: true })
        .waitFor()
    }))

  test('which edge is worst this week? One click', () =>
    asks('/', { clicks: 1 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'this week, lowest success rate first' }))
      const first = page.getByRole('table', { name: 'Upgrade paths' }).getByRole('row').nth(1)
      await first.getByRole('link', { name: '1.16.0 → 1.17.3' }).waitFor()
    }))

  test('why is this cluster slow? Two clicks', () =>
    asks('/fleet', { clicks: 2 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'ams-stuck-1' }))
      await click(
        page.getByRole('region', { name: 'Active upgrades' }).getByRole('link', { name: 'HCO 1.17.3 → 1.18.1' }),
      )
      const waves = page.getByRole('table', { name: 'Phases' }).getByRole('row', { name: /^virt-handler waves/ })
      await waves.getByText('1 min 50 s – 5 min (48)').filter({ visible: true }).waitFor()
      await page.getByRole('region', { name: 'Blocked by' }).getByText('7 of 12 updated', { exact: false }).waitFor()
    }))

  test('what is ready for 1.20 tonight? One click', () =>
    asks('/', { clicks: 1 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Readiness' }))
      await page.getByText('672 clusters behind 1.20.0').waitFor()
      await page.getByRole('region', { name: 'Ready' }).getByText('412').waitFor()
      await page
        .getByRole('table', { name: 'Ready clusters' })
        .getByRole('link', { name: 'ready-1', exact: true })
        .waitFor()
      await page.getByRole('table', { name: 'Hazards', exact: true }).getByText('JSON patches of operands').waitFor()
      await page.getByRole('region', { name: 'Unknown' }).getByText('60').first().waitFor()
    }))

  test('accept one risk for 200 clusters until Friday, with a reason? Three clicks', () =>
    asks('/', { clicks: 3 }, async ({ page, click, type }) => {
      server.answers.change = () => acceptanceItems(Date.now(), 'CHG-1')
      await click(page.getByRole('link', { name: 'Readiness' }))
      const row = page.getByRole('table', { name: 'Hazards', exact: true }).getByRole('row', { name: /^JSON patches/ })
      await click(row.getByRole('button', { name: 'Accept…' }))
      const dialog = page.getByRole('dialog', { name: 'Accept for 200 clusters: JSON patches of operands' })
      await dialog.waitFor()
      await type('CHG-1')
      const expires = new Date(await dialog.getByLabel('Expires').inputValue())
      expect([expires.getDay(), expires.getHours()]).toEqual([5, 18])
      await click(dialog.getByRole('button', { name: 'Accept', exact: true }))
      await page.getByText('Risk accepted for 9 clusters', { exact: false }).waitFor()
      expect(server.sent.at(-1)).toMatchObject({
        method: 'POST',
        path: '/api/fleet/v1/readiness/acceptances',
        body: { hazard: 'json_patch', selector: {}, to: '1.20.0', reason: 'CHG-1' },
      })
    }))

  test('who uses JSON patches, and what breaks in the next version? Two clicks', () =>
    asks('/', { clicks: 2 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'JSON patches' }))
      const patches = page.getByRole('table', { name: 'JSON patches' })
      const first = patches.getByRole('row').nth(1)
      await first.getByText('breaks on 2').waitFor()
      await click(first.getByRole('link', { name: 'KubeVirt: 1 operation' }))
      const users = page.getByRole('table', { name: 'Clusters with this patch' })
      await users.getByRole('row', { name: /^ams-stuck-1 1\.18\.1 1\.19\.0/ }).waitFor()
    }))

  test('who keeps editing the KubeVirt object by hand? Two clicks at most, and it takes one', () =>
    asks('/', { clicks: 1 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Modifications' }))
      const edits = page.getByRole('table', { name: 'Out-of-band modifications by component and cluster' })
      await edits.getByRole('row', { name: /^KubeVirt ams-stuck-1 5/ }).waitFor()
      await edits
        .getByRole('img', { name: /^Modifications by hour: / })
        .first()
        .waitFor()
    }))

  test('is a rollout to be halted? One click', () =>
    asks('/', { clicks: 1 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Rollouts' }))
      const verdicts = page.getByRole('table', { name: 'Verdicts on rollouts' })
      await verdicts.getByRole('row', { name: /^1\.18\.1 Hold Worse: Failures/ }).waitFor()
    }))

  test('did the fix release fix it? Two clicks from the edges', () =>
    asks('/fleet/edges', { clicks: 2 }, async ({ page, click, choose }) => {
      await click(page.getByRole('table', { name: 'Upgrade paths' }).getByRole('link', { name: '1.17.3 → 1.18.1' }))
      const other = page.getByRole('combobox', { name: 'Compare with' })
      await other.getByRole('option', { name: '1.16.0 → 1.17.3' }).waitFor({ state: 'attached' })
      await choose(other, '1.16.0..1.17.3')
      await page
        .getByText('The success rate of 1.17.3 → 1.18.1 is higher than that of 1.16.0 → 1.17.3 by 13.3 points')
        .waitFor()
    }))

  test('how do twelve clusters go from EUS 4.16 to 4.18? Four clicks, with the runbook as a file', () =>
    asks('/', { clicks: 4 }, async ({ page, click, choose }) => {
      await click(page.getByRole('link', { name: 'Plan an upgrade' }))
      await choose(page.getByRole('combobox', { name: 'Platform' }), 'openshift 4.20')
      await choose(page.getByRole('combobox', { name: 'Target' }), '4.22')
      await page.getByText('12 clusters: 12 with a path to the target.', { exact: false }).waitFor()
      const steps = page.getByRole('list', { name: 'Steps of prague-1' })
      await steps.getByText('Upgrade OpenShift 4.16.3 to 4.17.9').waitFor()
      await page
        .getByRole('table', { name: 'Planned clusters' })
        .getByText('p50 4 h 03 min, p90 5 h 15 min')
        .first()
        .waitFor()
      const saved = page.waitForEvent('download')
      await click(page.getByRole('button', { name: 'Runbook (Markdown)' }))
      expect((await saved).suggestedFilename()).toBe('upgrade-to-4.22.md')
      const address = new URL(page.url())
      expect(Object.fromEntries(address.searchParams)).toEqual({ platform: 'openshift 4.20', target: '4.22' })
    }))

  test('which clusters fell silent? No click', () =>
    asks('/', {}, async ({ page }) => {
      const silent = page.getByRole('table', { name: 'Silent clusters' })
      await silent.getByRole('row', { name: /^gru-lab-6.*26 min ago/ }).waitFor()
    }))

  test('what does the next shift have to know? Two clicks, and it is on the clipboard', () =>
    asks('/', { clicks: 2 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Hand over' }))
      await click(page.getByRole('button', { name: 'Copy the hand-over as Markdown' }))
      await page.getByText('Copied').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^# Hand-over [^]*\n## Stuck: 2/)
    }))
})

describe('a maintainer who looks at adoption', () => {
  beforeEach(() => {
    server.answers.fleet = (url) =>
      url.pathname === '/api/fleet/v1/clusters' && !url.searchParams.has('state')
        ? someClusters(url.searchParams, Date.now())
        : fleetAnswer(url, Date.now())
  })

  test('how fast does 1.20 spread against 1.19 at the same age? One click; do machines run it, and when do nine tenths? None more', () =>
    asks('/', { clicks: 1 }, async ({ page, click }) => {
      await click(page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Adoption' }))
      await page
        .getByRole('table', { name: 'Share at one age' })
        .getByRole('row', { name: /1\.19\s*53 %/ })
        .waitFor()
      const machines = page.getByRole('region', { name: 'Workload updates' })
      await machines
        .getByText('1 128 of 3 500 VMs run the virt-launcher of 1.20 or newer (32 %)', { exact: false })
        .waitFor()
      await page.getByRole('group', { name: 'Forecast' }).getByText('90 % expected on day', { exact: false }).waitFor()
    }))

  test('can an old version be dropped? One click and a drag', () =>
    asks('/', { clicks: 2 }, async ({ page, click, drag }) => {
      await click(page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Adoption' }))
      const panel = page.getByRole('region', { name: 'Clusters behind a version' })
      await panel.getByText('22 of 227 reporting clusters (10 %)').waitFor()
      await drag(panel.getByRole('slider', { name: 'Older than version' }), 'ArrowLeft')
      await panel.getByText('12 of 227 reporting clusters (5 %)').waitFor()
      await panel.getByRole('table', { name: 'Clusters on older versions' }).getByText('zlin-edge-1').waitFor()
    }))

  test('where are people stranded? Two clicks at most, and it takes one', () =>
    asks('/', { clicks: 1 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Stranded versions' }))
      const stranded = page.getByRole('table', { name: 'Stranded versions' })
      await stranded.getByText('all 38 clusters', { exact: false }).first().waitFor()
    }))

  test('which clusters are configured otherwise than the baseline, who did it? Three clicks', () =>
    asks('/', { clicks: 3 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Fleet', exact: true }))
      await click(page.getByRole('navigation', { name: 'Pages of Fleet' }).getByRole('link', { name: 'Configuration' }))
      await click(page.getByRole('link', { name: 'liveMigration.progressTimeout' }))
      const clusters = page.getByRole('table', { name: 'Clusters with this setting' })
      await clusters.getByRole('row', { name: /^ams-stuck-1 1\.17\.3 300 yes kubectl-edit/ }).waitFor()
    }))

  test('is a feature gate used, and who sets it by patch? Two clicks', () =>
    asks('/', { clicks: 2 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Feature gates' }))
      await click(page.getByRole('link', { name: 'downwardMetrics' }))
      const uses = page.getByRole('table', { name: 'Clusters that set it' })
      await uses.getByRole('row', { name: /^ams-stuck-1 1\.17\.3 on JSON patch of KubeVirt/ }).waitFor()
    }))

  test('how long do upgrades take by cluster size? Two clicks', () =>
    asks('/', { clicks: 2 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'this week, lowest success rate first' }))
      await click(page.getByRole('table', { name: 'Upgrade paths' }).getByRole('link', { name: '1.17.3 → 1.18.1' }))
      const sizes = page.getByRole('region', { name: 'Durations by cluster size' })
      await sizes.getByRole('row', { name: /^31 to 100 nodes/ }).waitFor()
    }))

  test('which phase got slower? Two clicks from the edges', () =>
    asks('/fleet/edges', { clicks: 2 }, async ({ page, click, choose }) => {
      await click(page.getByRole('table', { name: 'Upgrade paths' }).getByRole('link', { name: '1.17.3 → 1.18.1' }))
      const other = page.getByRole('combobox', { name: 'Compare with' })
      await other.getByRole('option', { name: '1.16.0 → 1.17.3' }).waitFor({ state: 'attached' })
      await choose(other, '1.16.0..1.17.3')
      await page.getByText('Operands: slower (log-rank test, p = 0.002).').waitFor()
    }))

  test('how sure is a number? One click on what stands beside it', () =>
    asks('/adoption', { clicks: 1 }, async ({ page, click }) => {
      await click(
        page.getByRole('region', { name: 'Share over time' }).getByRole('button', { name: '227 of 240 reporting' }),
      )
      const dialog = page.getByRole('dialog', { name: 'Coverage of these numbers' })
      await dialog.getByText('227 of 240 clusters (95 %) reported', { exact: false }).waitFor()
    }))

  test('cite a number: two clicks, and the link is on the clipboard', () =>
    asks('/adoption?range=30d', { clicks: 2 }, async ({ page, click }) => {
      await click(page.getByRole('button', { name: 'Cite: Share over time' }))
      const dialog = page.getByRole('dialog', { name: 'Cite: Share over time' })
      await click(dialog.getByRole('button', { name: 'Copy link' }))
      await dialog.getByText('Copied').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/[?&]cite=share\.[0-9a-f]{16}/)
    }))

  test('are rules and runbooks sound before a release? One click', () =>
    asks('/', { clicks: 1 }, async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Lint findings' }))
      await page.getByRole('region', { name: 'Metrics exist' }).getByText('alert-rules/hco.yaml:41:15').waitFor()
    }))
})

describe('whoever is on call, from an alert on', () => {
  test("the pager's link opens the runbook of the cluster that is meant. No click", () => {
    server.answers.runbook = (name) => boundRunbook(Date.now(), name, 1, true)
    return asks('/rb/KubeVirtCRModified', {}, async ({ page }) => {
      await page.locator('.markdown mark.filled', { hasText: 'prague-prod-1' }).first().waitFor()
    })
  })

  test('what changed before it fired, and is it only here? No click', () =>
    asks(ALERT, {}, async ({ page }) => {
      const situation = page.getByRole('region', { name: 'Situation' })
      await situation
        .getByRole('group', { name: 'Preceding changes' })
        .getByText('HyperConverged went from 1.18.3 to 1.19.2')
        .waitFor()
      const elsewhere = situation.getByRole('group', { name: 'Other clusters with this alert' })
      await elsewhere.getByText('of 200 clusters have this alert', { exact: false }).waitFor()
      await elsewhere.getByText('4 of 5 with the alert', { exact: false }).waitFor()
    }))

  test('a command that is already right: one click', () =>
    asks(ALERT, { clicks: 1 }, async ({ page, click }) => {
      await click(page.getByRole('button', { name: 'Copy command' }).first())
      await page.getByText('Copied').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
        /^kubectl -n openshift-cnv get events .*kubevirt-kubevirt-hyperconverged$/,
      )
    }))

  test('tell the others that I look after it, with a note: two keys', () =>
    asks(ALERT, { keys: 2 }, async ({ page, press, type }) => {
      await page.getByRole('article').waitFor()
      await press('a')
      await type('draining node 7')
      await press('Enter')
      await page.getByText('Acknowledged KubeVirtCRModified', { exact: false }).waitFor()
      expect(server.sent.at(-1)?.body).toEqual({ note: 'draining node 7' })
    }))

  test('quiet for the noise of this upgrade only: it is, no click, with the phase that it ends with', () => {
    const expected = alertItems(Date.now()).alerts.find(({ marks }) => marks?.expected !== undefined)
    return asks(`/alerts/${expected!.fingerprint}`, {}, async ({ page }) => {
      const quiet = page.getByRole('list', { name: 'Suppressed by' })
      await quiet.getByText('Expected in the upgrade of', { exact: false }).waitFor()
      await quiet.getByText('phase operands', { exact: false }).waitFor()
    })
  })

  test('what worked last time? No click', () =>
    asks(ALERT, {}, async ({ page }) => {
      const earlier = page.getByRole('region', { name: 'Previous occurrences' })
      await earlier
        .getByText(
          /14 previous occurrences on \d+ clusters, \d+ on this cluster, the oldest .* Duration: p50 \d+ min, longest/,
        )
        .waitFor()
      await earlier.getByText('“restarted what held the lock”').first().waitFor()
      await earlier
        .getByText(/night shift, .* resolved after \d+ min/)
        .first()
        .waitFor()
    }))

  test('did it recover? No click: what is asked is asked again', () => {
    let isOver = false
    server.answers.runbook = (name) => {
      const bound = boundRunbook(Date.now(), name, 1, true)
      return isOver ? { ...bound, instance: { ...bound.instance!, state: 'resolved' } } : bound
    }
    return asks('/rb/KubeVirtCRModified', {}, async ({ page }) => {
      await page.getByText('firing', { exact: true }).first().waitFor()
      await page.getByRole('group', { name: 'Answer' }).nth(2).getByText('No series.').waitFor()
      isOver = true
      await page.getByText('resolved', { exact: true }).first().waitFor()
    })
  })

  test('the runbook was wrong: two clicks, and whoever keeps it gets a patch', () =>
    asks(ALERT, { clicks: 2 }, async ({ page, click, type }) => {
      await click(page.getByRole('button', { name: 'Suggest an edit' }))
      const dialog = page.getByRole('dialog', { name: 'Suggest an edit of KubeVirtCRModified' })
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
      await type('Ask in the channel of the team first. ')
      await click(dialog.getByRole('button', { name: 'Copy patch' }))
      await page.getByText('Copied the patch').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
        /^Suggested edit of [^]*Found with KubeVirtCRModified on prague-prod-1, warning[^]*\/rb\/KubeVirtCRModified\?instance=[^]*\n\+.*Ask in the channel/,
      )
    }))

  test('was the page even sent? No click; each attempt with its answer: one', () =>
    asks(ALERT, { clicks: 1 }, async ({ page, click }) => {
      const told = page.getByRole('group', { name: 'Notifications' })
      await told.getByText('Delivered to on-call.').waitFor()
      await click(told.getByRole('link', { name: 'Delivery' }))
      await page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1).waitFor()
    }))
})
