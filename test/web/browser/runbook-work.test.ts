import { expect, test } from 'vitest'
import { fixturePages } from './fixture-pages.ts'
import { boundRunbook } from './fixtures.ts'
import { DESKTOP, PHONE } from './open-page.ts'
import { STEPS } from './work-fixtures.ts'

const pages = fixturePages((answers) => {
  answers.runbook = (name) => boundRunbook(Date.now(), name, 1, true)
})

const PATH = '/rb/KubeVirtCRModified'
const REVIEW = '/alerts/review/ee00000000000001/1787220000000'
const bodies = () =>
  pages.server.sent.filter(({ path }) => path.startsWith('/api/runbooks/v1/work/')).map(({ body }) => body)

test.each([DESKTOP, PHONE])('steps are ticked, marked and noted while working, at %j', async (viewport) => {
  const { page, expectClean, close } = await pages.open(PATH, viewport)
  await page.getByText('0 of 4 steps done.').first().waitFor()
  expect(await page.getByRole('checkbox', { name: /^Done: / }).count()).toBe(4)
  const box = page.getByRole('checkbox', { name: `Done: ${STEPS[2].text}` })
  const size = (await page.locator('label', { has: box }).boundingBox())!
  expect(size.width).toBeGreaterThanOrEqual(24)
  await box.click()
  await page.getByText('1 of 4 steps done.').first().waitFor()
  expect(await box.isChecked()).toBe(true)
  const fixed = page.getByRole('button', { name: `This fixed it: ${STEPS[2].text}` })
  await fixed.click()
  await page.getByText('✓ This fixed it').waitFor()
  expect(await fixed.getAttribute('aria-pressed')).toBe('true')
  await page.getByRole('textbox', { name: 'Note' }).fill('<b>GitOps</b> wrote it\nagain')
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByRole('list', { name: 'Notes' }).getByText('<b>GitOps</b> wrote it').waitFor()
  expect(await page.locator('[aria-label="Notes"] b').count()).toBe(0)
  expect(bodies().slice(-3)).toEqual([
    { kind: 'tick', step: 'm1', seen: 0 },
    { kind: 'helped', step: 'm1', seen: 1 },
    { kind: 'note', text: '<b>GitOps</b> wrote it\nagain', seen: 2 },
  ])
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(width).toBeLessThanOrEqual(0)
  expectClean()
  await close()
})

test('keys do the same: Space ticks, Enter marks, Control and Enter add the note', async () => {
  const { page, close } = await pages.open(PATH)
  const box = page.getByRole('checkbox', { name: `Done: ${STEPS[0].text}` })
  await box.focus()
  await page.keyboard.press('Space')
  const found = page.getByRole('button', { name: `This found the cause: ${STEPS[0].text}` })
  await found.focus()
  await page.keyboard.press('Enter')
  await page.getByText('✓ This found the cause').waitFor()
  await page.getByRole('textbox', { name: 'Note' }).fill('seen')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('list', { name: 'Notes' }).getByText('seen').waitFor()
  expect(bodies().slice(-3)).toMatchObject([{ kind: 'tick' }, { kind: 'helped' }, { kind: 'note' }])
  await close()
})

test('what somebody else recorded appears, and a conflict or a missing role is said', async () => {
  pages.server.answers.isLive = true
  const { page, close } = await pages.open(PATH)
  const box = page.getByRole('checkbox', { name: `Done: ${STEPS[1].text}` })
  await box.waitFor()
  const path = pages.server.asked.find((one) => one.startsWith('/api/runbooks/v1/work/'))!
  pages.server.answers.work(path, { kind: 'tick', step: 'd2', by: 'bo' })
  pages.server.tell('work')
  await expect.poll(() => box.isChecked()).toBe(true)
  await page.getByText(/^bo, 1 min/).waitFor()
  const { work } = pages.server.answers
  const refuse = (status: number, error: string, hint: string) => {
    pages.server.answers.work = (place, request) =>
      request === undefined ? work(place) : { status, body: { error, hint } }
  }
  refuse(409, 'bo recorded the opposite at 10:00', 'read the work again')
  await box.click()
  await page.getByText('Not recorded: Bo recorded the opposite at 10:00. read the work again').waitFor()
  expect(await box.isChecked()).toBe(true)
  refuse(403, 'forbidden', '')
  await box.click()
  await page.getByText('recording work needs the role responder', { exact: false }).waitFor()
  await close()
})

test('a runbook that has changed since has no check boxes, and says why', async () => {
  pages.server.answers.runbook = (name) => {
    const bound = boundRunbook(Date.now(), name, 1, true)
    return { ...bound, markdown: `${bound.markdown}\n- Another step.\n` }
  }
  const { page, close } = await pages.open(PATH)
  await page.getByText('The runbook has changed: reload the page to tick its steps.').waitFor()
  expect(await page.getByRole('checkbox', { name: /^Done: / }).count()).toBe(0)
  await close()
})

test('a runbook without an alert shows its author the steps that never helped first', async () => {
  pages.server.answers.runbook = (name) => boundRunbook(Date.now(), name, 0, false)
  const { page, expectClean, close } = await pages.open(PATH)
  expect(await page.getByRole('checkbox', { name: /^Done: / }).count()).toBe(0)
  const rows = page.getByRole('table', { name: 'Steps' }).getByRole('row')
  await rows.nth(1).waitFor()
  expect(await rows.nth(1).innerText()).toMatch(/Ask who wrote the object[^]*6 of 6[^]*never helped/)
  expect(await rows.nth(4).innerText()).toMatch(/Make the change[^]*6 of 6[^]*the fix 5 of 6/)
  const revisions = page.getByRole('table', { name: 'Revisions' }).getByRole('row')
  expect(await revisions.nth(1).innerText()).toMatch(/0123456789ab[^]*p50 4 min, p90 15 min; 6 of 7/)
  expect(await revisions.nth(3).innerText()).toContain('before the first recorded one')
  expectClean()
  await close()
})

test('the outcomes of all alerts lead to those of one, and to the review of an occurrence', async () => {
  const { page, expectClean, close } = await pages.open('/alerts/resolved')
  await page.getByRole('navigation', { name: 'Pages of Alerts' }).getByRole('link', { name: 'Outcomes' }).click()
  const table = page.getByRole('table', { name: 'Outcomes by alert' })
  await table
    .getByText('a fix 5, the end of the upgrade 1, no intervention 1 (of 7 that ended)')
    .filter({ visible: true })
    .waitFor()
  await table.getByRole('link', { name: 'KubeVirtCRModified' }).click()
  await page.getByRole('table', { name: 'Occurrences with recorded work' }).getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Review of KubeVirtCRModified' }).waitFor()
  expectClean()
  await close()
})

test('a review has the timeline, takes the outcome from who knows better, and is saved as Markdown and JSON', async () => {
  const { page, expectClean, close } = await pages.open(REVIEW)
  const timeline = page.getByRole('table', { name: 'Timeline' })
  await timeline.getByText('<b>GitOps</b> wrote the object').waitFor()
  expect(await timeline.getByRole('row').count()).toBe(7)
  await page.getByText('Ended by: unknown (derived).').waitFor()
  await page.getByRole('combobox', { name: 'What ended the alert' }).selectOption({ label: 'Stated: no intervention' })
  await page.getByText('Ended by: no intervention (stated).').waitFor()
  expect(bodies().at(-1)).toEqual({ kind: 'end', text: 'by_itself', seen: 0 })
  for (const [name, file] of [
    ['Save as Markdown', 'review-KubeVirtCRModified-prague-prod-1.md'],
    ['Save as JSON', 'review-KubeVirtCRModified-prague-prod-1.json'],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(file)
  }
  expectClean()
  await close()
})

// User stories 30 and 33, from the alert that somebody was paged for.
const ALERT = '/alerts/0000000000000001'

test('what worked last time? No click: seven times, 11 min, and the step that fixed five', () =>
  pages.ask(ALERT, {}, async ({ page }) => {
    const worked = page.getByRole('region', { name: 'What worked last time' })
    await worked.getByText(/7 occurrences, time to resolve p50 11 min\. Ended by: a fix 5/).waitFor()
    await worked.getByText('Fixed 5 of 6').waitFor()
  }))

test('the runbook was wrong: two clicks, and the patch has the evidence', () =>
  pages.ask(ALERT, { clicks: 2 }, async ({ page, click, type }) => {
    await page.getByText('Fixed 5 of 6').waitFor()
    await click(page.getByRole('button', { name: 'Suggest an edit' }))
    const dialog = page.getByRole('dialog', { name: 'Suggest an edit of KubeVirtCRModified' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    await type('Ask in the channel of the team first. ')
    await click(dialog.getByRole('button', { name: 'Copy as Markdown' }))
    await page.getByText('Copied the Markdown').waitFor()
    const text = await page.evaluate(() => navigator.clipboard.readText())
    expect(text).toMatch(/In 365 days: 7 occurrences, 6 with recorded work\. Ended by: a fix 5/)
    expect(text).toMatch(/Never helped, ticked 6 times: Ask who wrote the object/)
    expect(text).toContain('+Ask in the channel of the team first.')
  }))
