import { describe, expect, test } from 'vitest'
import type { UpdateGraphAnswer } from '../../../src/contract/update-graph.ts'
import { fixturePages } from './fixture-pages.ts'
import type { Answers } from './fixture-server.ts'
import { fleetAnswer } from './fleet-answers.ts'
import { boundRunbook } from './fixtures.ts'
import { DESKTOP, PHONE } from './open-page.ts'
import { outcomeList, outcomes } from './work-fixtures.ts'

// When the server fails, each part of a page says what could not be loaded and what to do, and comes back by a click.

const pages = fixturePages((answers) => {
  answers.runbook = (name) => boundRunbook(Date.now(), name, 1, true)
})

const BUSY = {
  status: 503,
  body: { error: 'the query worker does not answer', code: 'overloaded', hint: 'it restarts' },
}
const BROKEN = { status: 500, body: { error: 'a page of the disk is gone', code: 'internal' } }
const BUSY_TEXT = 'The query worker does not answer. it restarts'
const BROKEN_TEXT = 'A page of the disk is gone. Try again. If it fails again, the log of the server has the cause.'

/** Routes of the fleet below a path fail; all others answer. */
function failing(path: string, fault: unknown): (answers: Answers) => void {
  return (answers) => {
    answers.fleet = (url) => (url.pathname.startsWith(path) ? fault : fleetAnswer(url, Date.now()))
  }
}

interface Part {
  readonly name: string
  readonly path: string
  readonly title: string
  readonly fail: (fault: { readonly status: number; readonly body: unknown }) => (answers: Answers) => void
  readonly mend: (answers: Answers) => void
  /** Shown again. */
  readonly shown: string
}

const mendFleet = (answers: Answers): void => {
  answers.fleet = (url) => fleetAnswer(url, Date.now())
}
const ROLLOUTS = '/api/fleet/v1/rollouts'

const PARTS: readonly Part[] = [
  {
    ...{ name: 'rollouts', path: '/fleet/rollouts', title: 'Could not load the verdicts on rollouts' },
    ...{
      fail: (fault) => failing(ROLLOUTS, fault),
      mend: mendFleet,
      shown: '4 versions with upgrades in the last 30 days',
    },
  },
  {
    ...{ name: 'one rollout', path: '/fleet/rollouts/1.18.1', title: 'Could not load the verdict on 1.18.1' },
    ...{
      fail: (fault) => failing(ROLLOUTS, fault),
      mend: mendFleet,
      shown: '40 clusters that upgraded to 1.18.1, or do now',
    },
  },
  {
    ...{ name: 'silent clusters', path: '/fleet/clusters?state=silent', title: 'Could not load the clusters' },
    ...{ fail: (fault) => failing('/api/fleet/v1/clusters', fault), mend: mendFleet, shown: 'ams-silent-1' },
  },
  {
    ...{ name: 'outcomes', path: '/alerts/outcomes', title: 'Could not load the outcomes' },
    fail: (fault) => (answers) => (answers.outcomeList = () => fault),
    mend: (answers) => (answers.outcomeList = () => outcomeList(Date.now())),
    shown: 'alerts.',
  },
  {
    ...{ name: 'outcomes beside a runbook', path: '/rb/KubeVirtCRModified', title: 'Could not load the outcomes' },
    fail: (fault) => (answers) => (answers.outcomes = () => fault),
    mend: (answers) => (answers.outcomes = (name) => outcomes(name, Date.now())),
    shown: 'time to resolve p50',
  },
]

describe.each(PARTS)('$name', ({ path, title, fail, mend, shown }) => {
  test.each([
    [503, BUSY, BUSY_TEXT, DESKTOP],
    [500, BROKEN, BROKEN_TEXT, PHONE],
  ] as const)('%d: what failed, what to do, and back by a click', async (_status, fault, text, viewport) => {
    fail(fault)(pages.server.answers)
    const { page, close } = await pages.open(path, viewport)
    const notice = page.getByRole('alert').filter({ hasText: title })
    await notice.getByText(text).waitFor()
    mend(pages.server.answers)
    await notice.getByRole('button', { name: 'Try again' }).click()
    const content = page.getByText(shown, { exact: false }).filter({ visible: true }).first()
    // A list has a notice of its own below that of its counts.
    const again = page.getByRole('button', { name: 'Try again' })
    await content.or(again).first().waitFor()
    // It may try again by itself before the click.
    if (await again.isVisible()) await again.click({ timeout: 5000 }).catch(() => undefined)
    await content.waitFor()
    expect(await page.getByRole('alert').filter({ hasText: title }).count()).toBe(0)
    await close()
  })
})

test.each([
  [503, BUSY, 'No bundle: the query worker does not answer. It restarts.'],
  [
    500,
    BROKEN,
    'No bundle: a page of the disk is gone. Try again. If it fails again, the log of the server has the cause.',
  ],
] as const)(
  '%d: no bundle, with the reason beside the button, which can be pressed again',
  async (_status, fault, text) => {
    failing('/api/fleet/v1/bundles/', fault)(pages.server.answers)
    const { page, close } = await pages.open('/fleet/rollouts/1.18.1', PHONE)
    const button = page.getByRole('button', { name: 'Evidence bundle' })
    await button.click()
    await page.getByRole('alert').getByText(text).waitFor()
    await button.waitFor()
    expect(await button.getAttribute('aria-disabled')).not.toBe('true')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width)
    await close()
  },
)

describe('no data', () => {
  test('no cluster yet, and no upgrade in the last month', async () => {
    const answer = fleetAnswer(new URL('http://x/api/fleet/v1/rollouts'), Date.now()) as {
      readonly coverage: Readonly<Record<string, unknown>>
    }
    failing(ROLLOUTS, { ...answer, rollouts: [] })(pages.server.answers)
    const { page, expectClean, close } = await pages.open('/fleet/rollouts')
    await page.getByText('No cluster started an upgrade of HCO in the last 30 days.', { exact: false }).waitFor()
    failing(ROLLOUTS, { ...answer, rollouts: [], coverage: { ...answer.coverage, clusters: 0 } })(pages.server.answers)
    await page.reload()
    await page.getByRole('link', { name: 'How to connect one' }).waitFor()
    expectClean()
    await close()
  })

  test('no alert fired in the range', async () => {
    pages.server.answers.outcomeList = () => ({ ...outcomeList(Date.now()), alerts: [] })
    const { page, expectClean, close } = await pages.open('/alerts/outcomes', PHONE)
    await page.getByText('No alert fired in this range.').waitFor()
    expectClean()
    await close()
  })
})

test('on a phone no word of a verdict breaks in the table of offered updates', async () => {
  pages.server.answers.fleet = (url) => {
    const answer = fleetAnswer(url, Date.now())
    if (!url.pathname.endsWith('/update-graph')) return answer
    const { versions, ...rest } = answer as UpdateGraphAnswer
    return { ...rest, versions: versions.map((version) => ({ ...version, verdict: 'insufficient' })) }
  }
  const { page, close } = await pages.open('/fleet/edges?show=offered', PHONE)
  const verdict = page
    .getByRole('table', { name: 'Versions and offered updates' })
    .getByText('verdict: insufficient')
    .first()
  await verdict.waitFor()
  // One rectangle per line: the word "insufficient" has one.
  const lines = await verdict.evaluate((element) => {
    const found = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    for (let node = found.nextNode(); node !== null; node = found.nextNode()) {
      const at = (node.textContent ?? '').indexOf('insufficient')
      if (at === -1) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + 'insufficient'.length)
      return range.getClientRects().length
    }
    return 0
  })
  expect(lines).toBe(1)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width)
  await close()
})
