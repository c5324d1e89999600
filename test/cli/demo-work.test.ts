import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addDemoWork } from '../../src/cli/demo-work.ts'
import { PROJECT_ROOT } from '../../src/config/project-root.ts'
import { outcomeRuns } from '../../src/fleet/outcomes/outcome-runs.ts'
import { revisionOutcomes, stepOutcomes } from '../../src/fleet/outcomes/outcome-summary.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { memoryPeople } from '../support/people.ts'

const NOW_MS = Date.UTC(2026, 7, 20)

test('the demo has work under two revisions, a step that helps, and steps that never do', async () => {
  const { facts } = await memoryPeople({ clock: new FakeClock(NOW_MS) })
  const text = readFileSync(join(PROJECT_ROOT, 'runbooks/VirtAPIDown.md'), 'utf8')
  await addDemoWork(facts, [{ name: 'VirtAPIDown', text }], ['a', 'b'], NOW_MS)
  const runs = await facts.alertRuns.page({ fromMs: 0, toMs: NOW_MS, alertname: 'VirtAPIDown', limit: 100 })
  const revisions = await facts.runbookWork.revisions('VirtAPIDown')
  const entries = await facts.runbookWork.entries(runs)
  const reports = new Map(['a', 'b'].map((cluster) => [cluster, { cluster, lastSeenMs: NOW_MS }]))
  const outcomes = outcomeRuns({ runs, entries, revisions, upgrades: [], reports })
  expect(runs).toHaveLength(9)
  expect(new Set(outcomes.flatMap(({ end }) => end?.cause ?? []))).toEqual(new Set(['fix', 'by_itself']))
  expect(revisionOutcomes(outcomes, revisions, NOW_MS).length).toBeGreaterThan(1)
  const steps = stepOutcomes(outcomes, revisions)
  expect(steps[0]!.helped).toBe(0)
  expect(steps.some(({ helped }) => helped > 2)).toBe(true)
})
