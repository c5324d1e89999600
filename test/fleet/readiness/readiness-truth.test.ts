import { describe, expect, test } from 'vitest'
import { brokenReadiness, runReadinessTrial } from '../../../bench/truth/readiness-trial.ts'
import { observationsOf } from '../../../sim/history/cluster-observations.ts'
import type { HazardPlan } from '../../../sim/history/hazard-plan.ts'
import { withEdits, withHazards } from '../../../sim/history/hazards.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import type { HazardId } from '../../../src/model/readiness.ts'

const DAY_MS = 86_400_000
const UNTIL_MS = Date.UTC(2026, 8, 1)
const FROM_MS = UNTIL_MS - 120 * DAY_MS

describe('readiness of clusters whose hazards are known', () => {
  test('each planted hazard is found, none is invented, and what is withheld is unknown', () => {
    const trial = runReadinessTrial({ seed: 'suite', clusters: 40, fromMs: FROM_MS, untilMs: UNTIL_MS })
    expect(trial.wronglyReady).toEqual([])
    expect(trial.wrong).toEqual([])
    expect(brokenReadiness(trial)).toEqual([])
    const planted = [...trial.scores].flatMap(([hazard, score]) => (score.planted > 0 ? [hazard] : []))
    expect(planted.length).toBeGreaterThan(15)
  })
})

describe('a history with hazards', () => {
  const planned = (...hazards: HazardId[]): HazardPlan => ({ planted: new Set(hazards), withheld: new Set() })
  const history = planHistory({
    seed: 'late',
    index: 1,
    fromMs: FROM_MS,
    untilMs: UNTIL_MS,
    mode: 'all',
    stallShare: 0,
  })

  test('hazards of the present condition begin in its last hour', () => {
    const plan = planned('operator_unhealthy', 'not_upgradeable', 'nodes')
    const { objects } = withHazards(observationsOf(history), history, plan)
    const late = objects.filter(({ observedMs }) => observedMs - history.delivery.skewMs === UNTIL_MS - 3_600_000)
    expect(late.map(({ facts }) => facts.kind).sort()).toEqual(['hyperconvergeds', 'nodes', 'operatorconditions'])
    expect(withHazards(observationsOf(history), history, planned()).objects).toHaveLength(objects.length - late.length)
  })

  test('the planted edit is on a day without an upgrade', () => {
    const { edits } = withEdits(history, planned('out_of_band'))
    expect(edits).toHaveLength(history.edits.length + 1)
    const { atMs } = edits.at(-1)!
    expect(UNTIL_MS - atMs).toBeLessThan(22 * DAY_MS)
    for (const { offeredMs, endMs } of history.upgrades) expect(atMs < offeredMs || atMs > endMs).toBe(true)
    expect(withEdits(history, planned()).edits).toBe(history.edits)
  })
})

test('a node has the kubelet of its platform as soon as it is updated itself', () => {
  const all = Array.from({ length: 6 }, (_, index) =>
    planHistory({ seed: 'kubelet', index, fromMs: FROM_MS, untilMs: UNTIL_MS, mode: 'all' }),
  )
  const updated = all.filter(({ platform }) =>
    (platform?.upgrades ?? []).some(({ endMs }) => endMs < UNTIL_MS - DAY_MS),
  )
  expect(updated.length).toBeGreaterThan(0)
  const versions: string[] = []
  for (const history of updated) {
    const { to } = history.platform!.upgrades.at(-1)!
    const minor = Number(to.split('.')[1]) + 13
    const afterMs = history.platform!.upgrades.at(-1)!.endMs
    const seen = observationsOf(history).objects.flatMap(({ facts, observedMs }) =>
      facts.kind === 'nodes' && observedMs - history.delivery.skewMs > afterMs ? [facts.kubeletVersion] : [],
    )
    versions.push(...seen.map((version) => `${version} of v1.${minor}.4`))
  }
  expect(versions.length).toBeGreaterThan(0)
  expect(versions.filter((text) => new Set(text.split(' of ')).size > 1)).toEqual([])
})
