import { describe, expect, test } from 'vitest'
import { PLANNING_PROBLEMS } from '../../src/fleet/derive/olm-planning.ts'
import { CLUSTER_PROBLEMS } from '../../src/model/cluster-record.ts'
import { BLOCK_CAUSES } from '../../src/model/upgrade.ts'
import { causeRunbookPath, causeSection } from '../../src/web/lib/cause-runbooks.ts'
import { HAZARDS } from '../../src/fleet/readiness/hazards/hazards.ts'
import { PROBLEM_RUNBOOKS } from '../../src/fleet/readiness/hazards/operator-unhealthy.ts'
import { shippedCatalog } from './content.ts'

const { pages } = shippedCatalog()

describe.each(BLOCK_CAUSES)('the cause %s', (cause) => {
  test('has a section with text and with commands in a runbook', () => {
    const { page, heading } = causeSection(cause)
    const { headings, text } = pages.get(page)!
    const at = headings.findIndex(({ title }) => title === heading)
    expect(at).not.toBe(-1)
    const { level, to } = headings[at]!
    const next = headings.slice(at + 1).find((other) => other.level <= level)
    const section = text.slice(to, next?.from)
    expect(section.replace(/```[^]*?```/g, '').trim()).toMatch(/\w{3}.*\./)
    // Another page of the catalog has the commands where the section only names the page.
    expect(section).toMatch(/```bash|\]\(\/rb\//)
  })
})

test('a cause links to its section', () => {
  expect(causeRunbookPath('migrations_failing')).toBe('/rb/DaytwoUpgradeStuck#migrations-failing')
  expect(causeRunbookPath('resolution_failed')).toBe('/rb/DaytwoCannotPlanUpgrade#mitigation')
})

test.each(CLUSTER_PROBLEMS)('the problem %s of a cluster has a runbook', (problem) => {
  expect(pages.has(PROBLEM_RUNBOOKS[problem])).toBe(true)
})

test('each reason for which OLM cannot plan has a section', () => {
  const titles = pages.get('DaytwoCannotPlanUpgrade')!.headings.map(({ title }) => title)
  expect(titles).toEqual(expect.arrayContaining([...PLANNING_PROBLEMS]))
})

test.each(HAZARDS)('the hazard $id has a runbook', ({ id, runbook }) => {
  expect([id, pages.has(runbook)]).toEqual([id, true])
})

test('each hazard has a section on the page about upgrades that are not recommended', () => {
  const titles = pages.get('DaytwoUpgradeNotRecommended')!.headings.map(({ title }) => title)
  expect(titles).toEqual(expect.arrayContaining(HAZARDS.map(({ id }) => id)))
})
