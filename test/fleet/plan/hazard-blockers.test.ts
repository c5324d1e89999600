import { expect, test } from 'vitest'
import { hazardBlockers } from '../../../src/fleet/plan/hazard-blockers.ts'
import type { FoundHazard } from '../../../src/fleet/readiness/readiness-index.ts'
import type { HazardId, RiskVerdict } from '../../../src/model/readiness.ts'

function present(id: HazardId, verdict: RiskVerdict, more: Partial<FoundHazard> = {}): FoundHazard {
  const fix = { text: 'Remove it.', command: 'oc annotate' }
  return { id, finding: { state: 'present', verdict, text: `${id}.`, evidence: [], fix }, ...more }
}

test('what is not recommended blocks, a risk is a warning, each with its fix', () => {
  const hazards = [present('json_patch', 'not_recommended'), present('golden_images', 'at_risk')]
  expect(hazardBlockers({ hazards })).toEqual([
    { name: 'json_patch', severity: 'blocking', text: 'json_patch.', fix: 'Remove it.', command: 'oc annotate' },
    { name: 'golden_images', severity: 'warning', text: 'golden_images.', fix: 'Remove it.', command: 'oc annotate' },
  ])
})

test('accepted risks, missing signals and what the steps of a plan handle are left out', () => {
  const accepted = {
    ...{ id: 'a', cluster: 'c', reason: 'CHG-1', by: 'ada' },
    ...{ hazard: 'json_patch' as const, acceptedMs: 0, expiresMs: 1 },
  }
  const hazards: readonly FoundHazard[] = [
    present('json_patch', 'not_recommended', { accepted }),
    present('paused_pool', 'not_recommended'),
    { id: 'machine_types', finding: { state: 'unknown', text: 'No signal.' } },
    { id: 'nodes', finding: { state: 'absent' } },
  ]
  expect(hazardBlockers({ hazards })).toEqual([])
})
