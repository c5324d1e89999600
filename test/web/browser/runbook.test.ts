import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { alertRuns } from './alerting-fixtures.ts'
import { startFixtureServer, usualAnswers, type FixtureServer } from './fixture-server.ts'
import { boundRunbook, runbookInstance } from './fixtures.ts'
import { DESKTOP, openPage, PHONE } from './open-page.ts'

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

const PATH = '/rb/KubeVirtCRModified'
const BOUND = `${PATH}?instance=0000000000000001`

describe('a link that names only the alert', () => {
  test('opens the plain page when nothing fires', async () => {
    const { page, expectClean, close } = await openPage(browser, server, PATH)
    await page.getByText('This alert is not firing on any cluster').waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Meaning',
      'Impact',
      'Diagnosis',
      'Mitigation',
      'Outcomes',
      'Steps',
      'Revisions',
      'Occurrences with recorded work',
      'What worked last time',
      'Previous occurrences',
    ])
    expectClean()
    await close()
  })

  test('opens the page filled in when one fires', async () => {
    server.answers.runbook = (name) => boundRunbook(Date.now(), name, 1, true)
    const { page, close } = await openPage(browser, server, `${PATH}.md`)
    await page.getByText('No other cluster has this alert now.').waitFor()
    expect(server.asked.at(-1) ?? '').not.toContain('.md')
    await close()
  })

  test('lets choose when many do, in the order of the server, and the choice stands in the URL', async () => {
    server.answers.runbook = (name, instance) => boundRunbook(Date.now(), name, 14, instance !== null)
    const { page, close } = await openPage(browser, server, PATH)
    await page.getByRole('heading', { name: '14 active alerts (most severe first)' }).waitFor()
    const rows = page.getByRole('table', { name: 'Alerts with this name' }).getByRole('row')
    expect(await rows.nth(1).innerText()).toMatch(/warning\s+prague-prod-1\s+kubevirt\/kubevirt-kubevirt/)
    expect(await rows.count()).toBe(11)
    await page.getByRole('button', { name: 'Show all 14', exact: true }).click()
    expect(await rows.count()).toBe(15)
    await page.getByRole('searchbox', { name: 'Search by cluster or label' }).fill('iad-prod-4')
    expect(await rows.count()).toBe(2)
    await rows.nth(1).getByRole('link').click()
    await page.waitForURL(`**${PATH}?instance=${runbookInstance(0, 3).fingerprint}`)
    await page
      .getByRole('region', { name: 'Other clusters with this alert' })
      .getByText('13', { exact: true })
      .waitFor()
    await close()
  })
})

test('on a wide screen the previous occurrences stand beside the alerts to choose from', async () => {
  server.answers.runbook = (name, instance) => boundRunbook(Date.now(), name, 14, instance !== null)
  const { page, close } = await openPage(browser, server, PATH)
  const chooser = await page.getByRole('region', { name: '14 active alerts (most severe first)' }).boundingBox()
  const beside = await page.getByRole('complementary', { name: 'The alert' }).boundingBox()
  expect(Math.abs(beside!.y - chooser!.y)).toBeLessThan(2)
  const gap = beside!.x - (chooser!.x + chooser!.width)
  expect(gap).toBeGreaterThan(0)
  expect(gap).toBeLessThan(40)
  await close()
})

test('of two live answers below each other none covers the other', async () => {
  server.answers.runbook = (name) => {
    const bound = boundRunbook(Date.now(), name, 1, true)
    // Nothing but captions between them: the text is lower than the first answer.
    return { ...bound, markdown: `${bound.markdown}\n\n${liveFences(bound.markdown).join('\n\nAgain:\n\n')}\n` }
  }
  const { page, close } = await openPage(browser, server, BOUND)
  const live = page.locator('.runbook-code-live')
  await live.last().waitFor()
  const boxes = await Promise.all((await live.all()).map(async (cell) => (await cell.boundingBox())!))
  expect(boxes.length).toBeGreaterThan(2)
  boxes.slice(1).forEach((box, i) => {
    expect(box.y).toBeGreaterThan(boxes[i]!.y + boxes[i]!.height)
  })
  await close()
})

function liveFences(markdown: string): readonly string[] {
  return markdown.match(/```promql live[\s\S]*?```/g) ?? []
}

test('an old name leads to the page and says so', async () => {
  server.answers.runbook = () => ({
    ...boundRunbook(Date.now(), 'KubeVirtCRModified', 0, false),
    askedName: 'KubevirtHyperconvergedClusterOperatorCRModification',
    isRenamed: true,
  })
  const { page, close } = await openPage(browser, server, '/rb/KubevirtHyperconvergedClusterOperatorCRModification')
  await page
    .getByText('KubevirtHyperconvergedClusterOperatorCRModification was renamed to KubeVirtCRModified')
    .waitFor()
  await close()
})

describe('an alert without a runbook', () => {
  const missing = (name: string, isBound: boolean) => ({
    ...boundRunbook(Date.now(), name, 3, isBound),
    ...{ markdown: '', cells: [], bindings: [], unbound: [], panels: [], template: `# ${name}\n\n## Meaning\n` },
  })

  test('shows the alerts to choose from, and how to start a runbook', async () => {
    server.answers.runbook = (name, instance) => missing(name, instance !== null)
    server.answers.history = () => ({ runs: alertRuns(Date.now()) })
    const { page, expectClean, close } = await openPage(browser, server, '/rb/TeamQueueFull')
    await page.getByRole('heading', { name: 'No runbook for this alert' }).waitFor()
    await page.getByText('daytwo runbook new TeamQueueFull').waitFor()
    await page.getByRole('region', { name: 'Previous occurrences' }).getByText('previous occurrences on').waitFor()
    await page.getByRole('table', { name: 'Alerts with this name' }).getByRole('link').first().click()
    const alert = page.getByRole('complementary', { name: 'The alert' })
    await alert.getByRole('heading', { name: 'What changed before this alert' }).waitFor()
    await alert
      .getByRole('region', { name: 'Other clusters with this alert' })
      .getByText('2', { exact: true })
      .waitFor()
    // All labels, also those that the other alerts of this name have too.
    await alert.getByText('alertname', { exact: true }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as TeamQueueFull.md' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('TeamQueueFull.md')
    expectClean()
    await close()
  })

  test('with a name that is more than a name becomes no command', async () => {
    server.answers.runbook = (name) => missing(name, false)
    const { page, close } = await openPage(browser, server, `/rb/${encodeURIComponent('x; reboot')}`)
    await page.getByRole('heading', { name: 'No runbook for this alert' }).waitFor()
    await page.getByRole('button', { name: 'Save as a file' }).waitFor()
    expect(await page.getByRole('button', { name: 'Copy command' }).count()).toBe(0)
    await close()
  })
})

test('a name nobody knows offers the nearest ones', async () => {
  server.answers.runbook = (name) =>
    name === 'KubeVirtCRChanged'
      ? { status: 404, body: { error: 'no such page', nearest: ['KubeVirtCRModified'] } }
      : boundRunbook(Date.now(), name, 0, false)
  const { page, close } = await openPage(browser, server, '/rb/KubeVirtCRChanged', DESKTOP, ['404'])
  await page.getByText('No runbook, rule or alert has the name KubeVirtCRChanged').waitFor()
  await page.getByRole('link', { name: 'KubeVirtCRModified' }).click()
  await page.getByRole('heading', { name: 'Meaning' }).waitFor()
  await close()
})

test('an alert that is gone gives the plain page, and says why', async () => {
  server.answers.runbook = (name) => boundRunbook(Date.now(), name, 0, false)
  const { page, close } = await openPage(browser, server, BOUND)
  await page.getByText('The alert of this link is no longer active').waitFor()
  await close()
})

test('what was filled in is marked with its source, and what was not too', async () => {
  const { page, close } = await openPage(browser, server, BOUND)
  const meaning = page.locator('.markdown mark.filled', { hasText: 'prague-prod-1' }).first()
  await meaning.waitFor()
  expect(await meaning.getAttribute('title')).toBe('cluster, from the label cluster')
  expect(await page.locator('.markdown mark.unbound', { hasText: '<user>' }).first().getAttribute('title')).toContain(
    'value not known, enter it by hand',
  )
  await page.getByText('3 values filled in').click()
  await page.getByRole('cell', { name: 'the inventory of the cluster' }).waitFor()
  await close()
})

test('a command is shown for the client the reader has, copied without its prompt, and the choice is remembered', async () => {
  const { page, close } = await openPage(browser, server, BOUND)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'oc', exact: true }).first().click()
  expect(await page.getByRole('button', { name: 'kubectl', pressed: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Copy command' }).first().click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'oc -n openshift-cnv get events --field-selector involvedObject.name=kubevirt-kubevirt-hyperconverged',
  )
  await page.reload()
  await page.getByRole('button', { name: 'oc', exact: true, pressed: true }).first().waitFor()
  await close()
})

describe('live queries', () => {
  test('show a value, a table, and that there is nothing', async () => {
    const { page, close } = await openPage(browser, server, BOUND)
    const answers = page.getByRole('group', { name: 'Answer' })
    await answers.nth(2).getByText('No series.').waitFor()
    expect(await answers.nth(0).innerText()).toMatch(/^3\s+component_name="kubevirt/)
    expect(await answers.nth(1).getByRole('row').count()).toBe(13)
    await answers.nth(1).getByRole('button', { name: 'Show all 14 series' }).click()
    expect(await answers.nth(1).getByRole('row').count()).toBe(15)
    expect(await page.getByRole('link', { name: 'Explore' }).nth(1).getAttribute('href')).toContain('/explore?expr=sum')
    await close()
  })

  test('tell why they failed, each for itself', async () => {
    server.answers.query = (expr) =>
      expr.includes('ALERTS')
        ? { status: 422, body: { status: 'error', errorType: 'execution', error: 'query needs too many samples' } }
        : usualAnswers().query(expr)
    const { page, close } = await openPage(browser, server, BOUND, DESKTOP, ['422'])
    const answers = page.getByRole('group', { name: 'Answer' })
    await answers.nth(1).getByText('query needs too many samples').waitFor()
    await answers.nth(2).getByText('No series.').waitFor()
    await close()
  })

  test('that are still running say so', async () => {
    server.answers.query = () => 'hang'
    const { page, close } = await openPage(browser, server, BOUND)
    await page.getByRole('status', { name: 'Running the query' }).first().waitFor()
    await close()
  })
})

test('text of a page runs nothing and leads nowhere it should not', async () => {
  const { page, expectClean, close } = await openPage(browser, server, BOUND)
  await page.getByText('<script>window.hacked = true</script>').waitFor()
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(await page.getByRole('link', { name: 'this', exact: true }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'the neighbour' }).getAttribute('href')).toBe(
    '/rb/UnsupportedHCOModification',
  )
  expectClean()
  await close()
})

test('a resolved alert says that it worked', async () => {
  server.answers.runbook = (name) => {
    const bound = boundRunbook(Date.now(), name, 2, true)
    return { ...bound, instance: { ...bound.instance!, state: 'resolved' } }
  }
  const { page, close } = await openPage(browser, server, BOUND)
  await page.getByText('resolved', { exact: true }).first().waitFor()
  await close()
})

test('jump links lead to the sections on a phone', async () => {
  const { page, expectClean, close } = await openPage(browser, server, BOUND, PHONE)
  await page
    .getByRole('navigation', { name: 'Sections of the runbook' })
    .getByRole('link', { name: 'Mitigation' })
    .click()
  const heading = page.getByRole('heading', { name: 'Mitigation' })
  await heading.waitFor()
  const box = await heading.boundingBox()
  expect(box!.y).toBeGreaterThan(52)
  expect(box!.y).toBeLessThan(400)
  expectClean()
  await close()
})
