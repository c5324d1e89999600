import { beforeAll, describe, expect, test } from 'vitest'
import type { FleetViews } from '../../src/fleet/fleet-views.ts'
import { demoFleet } from '../support/demo-fleet.ts'

const NOW_MS = Date.UTC(2026, 10, 21, 12)
const OPERATOR = 'kubevirt-hyperconverged'
const HELD = '1.17.3'

let fleet: FleetViews

beforeAll(async () => {
  fleet = await demoFleet(NOW_MS)
}, 120_000)

describe('the demo, with its own seed and the default policy', () => {
  test('one release is to be held, and no other', async () => {
    const { rollouts } = await fleet({ nowMs: NOW_MS }).rollouts(OPERATOR)
    const held = rollouts.filter(({ verdict }) => verdict.decision === 'hold')
    expect(held.map(({ version }) => version)).toEqual([HELD])
    expect(rollouts.length).toBeGreaterThan(3)
  })

  test('the evidence: which signal, how much worse with its interval, and denominators that add up', async () => {
    const query = { operator: OPERATOR, version: HELD, cohort: {} } as const
    const { rollout } = await fleet({ nowMs: NOW_MS }).rollout(query)
    const { verdict, phases } = rollout
    expect(verdict.reason).toBe('Worse: failures.')
    expect(verdict.canary.of).toBeGreaterThanOrEqual(25)
    expect(verdict.canary.low).toBeGreaterThan(verdict.accepted)
    const failures = verdict.signals.find(({ signal }) => signal === 'failures')!
    // With a margin: the evidence does not depend on the hour at which the demo is started.
    expect(failures.factor).toBeGreaterThan(10 * failures.needed)
    expect(failures.effect!.low).toBeGreaterThan(2)
    expect(failures.strata.length).toBeGreaterThan(3)
    expect(failures.strata.reduce((sum, { canary }) => sum + canary.of, 0)).toBe(failures.canary.of)
    expect(failures.counted).toHaveLength(failures.canary.count)
    // OLM installed the new operators for hours on clusters that did not take the release back.
    expect(phases.find(({ phase }) => phase === 'olm')).toMatchObject({ change: 'slower' })
  })

  test('a canary of the first clusters is not enough yet, as it would not have been then', async () => {
    const verdictOf = async (first: number) => {
      const query = { operator: OPERATOR, version: HELD, cohort: { first } } as const
      return (await fleet({ nowMs: NOW_MS }).rollout(query)).rollout.verdict.decision
    }
    expect(await verdictOf(5)).toBe('insufficient')
    expect(await verdictOf(50)).toBe('hold')
  })
})
