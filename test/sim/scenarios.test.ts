import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { releaseOf } from '../../sim/release.ts'
import { createPlan } from '../../sim/scenario.ts'
import { ROLES, type ClusterPlan, type Role } from '../../sim/cluster-plan.ts'
import {
  GOOD_DESCHEDULER,
  LONG_LIFECYCLE_DESCHEDULER,
  OLD_DESCHEDULER,
  isMisconfigured,
  type Descheduler,
} from '../../sim/scenarios/descheduler.ts'
import { healthAt } from '../../sim/scenarios/health.ts'
import { COMPONENT_NAMES, editsBetween, outOfBandCountAt } from '../../sim/scenarios/out-of-band.ts'
import { windowAt } from '../../sim/scenarios/window.ts'

const PRESENT = Date.UTC(2026, 10, 21, 12)
const START = PRESENT - 2 * 3_600_000
const MINUTE = 60_000
const KUBEVIRT = COMPONENT_NAMES[0]

function planOf(role: Role, index = 0, seed = 'seed'): ClusterPlan {
  return createPlan({ seed, index, role, startMs: START, presentMs: PRESENT, scrapeMs: 30_000 })
}

describe('windows', () => {
  const recurring = { anchorMs: 1000, onMs: 100, everyMs: 400 }
  test.each([
    [999, undefined],
    [1000, 1000],
    [1099, 1000],
    [1100, undefined],
    [1400, 1400],
    [1499, 1400],
    [9000, 9000],
  ])('at %i the window that began at %s is open', (timeMs, fromMs) => {
    expect(windowAt(recurring, timeMs)?.fromMs).toBe(fromMs)
  })
})

describe('out-of-band edits', () => {
  test('the counter is absent before the first edit and one at it', () => {
    const plan = planOf('edited')
    const component = COMPONENT_NAMES.find((name) => editsBetween(plan, name, START, PRESENT).length > 0)!
    const [first] = editsBetween(plan, component, START, PRESENT)
    expect(outOfBandCountAt(plan, component, first! - 1)).toBeUndefined()
    expect(outOfBandCountAt(plan, component, first!)).toBe(1)
  })

  test('the counter goes away when the operator starts anew, and is born again at one', () => {
    const plan = planOf('fought')
    const restartMs = plan.restarts!.anchorMs
    const [next] = editsBetween(plan, KUBEVIRT, restartMs, PRESENT)
    expect(outOfBandCountAt(plan, KUBEVIRT, restartMs - 1)).toBeGreaterThan(5)
    expect(outOfBandCountAt(plan, KUBEVIRT, next! - 1)).toBeUndefined()
    expect(outOfBandCountAt(plan, KUBEVIRT, next!)).toBe(1)
  })

  test('the fought object is edited every few minutes, for ever', () => {
    const plan = planOf('fought')
    const dayLater = PRESENT + 24 * 60 * MINUTE
    const edits = editsBetween(plan, KUBEVIRT, dayLater, dayLater + 60 * MINUTE)
    expect(edits.length).toBeGreaterThan(14)
  })

  test('edits in HCO\u2019s upgrade mode are not counted', () => {
    const upgrading = planOf('upgrading')
    const upgrade = upgrading.upgrades[0]!
    const plan: ClusterPlan = {
      ...upgrading,
      edits: { anchorMs: upgrade.startMs, everyMs: 10_000, kind: 'fought' },
    }
    expect(editsBetween(plan, KUBEVIRT, upgrade.hcoStartMs, upgrade.endMs)).toEqual([])
    expect(editsBetween(plan, KUBEVIRT, upgrade.startMs, upgrade.hcoStartMs).length).toBeGreaterThan(5)
    expect(editsBetween(plan, KUBEVIRT, upgrade.endMs, upgrade.endMs + MINUTE).length).toBeGreaterThan(4)
  })

  test('what is counted between two times does not depend on how the time is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Role>('healthy', 'fought', 'edited'),
        fc.nat(20),
        fc.nat(7200),
        (role, index, cut) => {
          const plan = planOf(role, index)
          const cutMs = START + cut * 1000
          for (const component of COMPONENT_NAMES) {
            expect([
              ...editsBetween(plan, component, START, cutMs),
              ...editsBetween(plan, component, cutMs, PRESENT),
            ]).toEqual(editsBetween(plan, component, START, PRESENT))
          }
        },
      ),
    )
  })
})

describe('the descheduler check', () => {
  test.each<[string, Descheduler | undefined, boolean, string]>([
    ['1.12.0', OLD_DESCHEDULER, false, 'is not checked yet'],
    ['1.14.0', OLD_DESCHEDULER, false, 'is right in the old way'],
    ['1.15.2', OLD_DESCHEDULER, true, 'is wrong after an upgrade without any change'],
    ['1.14.0', LONG_LIFECYCLE_DESCHEDULER, true, 'has no background evictions'],
    ['1.16.0', LONG_LIFECYCLE_DESCHEDULER, true, 'has a profile that is not accepted yet'],
    ['1.17.0', LONG_LIFECYCLE_DESCHEDULER, false, 'has a profile that is accepted now'],
    ['1.13.0', GOOD_DESCHEDULER, false, 'is right everywhere'],
    ['1.18.1', GOOD_DESCHEDULER, false, 'is right everywhere'],
    ['1.16.0', undefined, false, 'is not installed'],
  ])('on %s %o: misconfigured %s, for it %s', (hco, descheduler, expected) => {
    expect(isMisconfigured(descheduler, releaseOf(hco)!)).toBe(expected)
  })
})

describe('health', () => {
  test('is an error while KubeVirt updates, and only old releases warn about the rest of an upgrade', () => {
    const old = planOf('descheduler_after_upgrade')
    const [upgrade] = old.upgrades
    expect(upgrade).toMatchObject({ from: { hco: '1.14.0' }, to: { hco: '1.15.2' } })
    expect(healthAt(old, upgrade!.hcoStartMs - 1)).toBe(0)
    expect(healthAt(old, upgrade!.hcoStartMs)).toBe(1)
    expect(healthAt(old, upgrade!.kubevirtStartMs)).toBe(2)
    expect(healthAt(old, upgrade!.kubevirtObservedMs)).toBe(1)
    expect(healthAt(old, upgrade!.endMs)).toBe(0)

    const current = planOf('upgrading')
    const [newer] = current.upgrades
    expect(healthAt(current, newer!.hcoStartMs)).toBe(0)
    expect(healthAt(current, newer!.kubevirtStartMs)).toBe(2)
    expect(healthAt(current, newer!.kubevirtObservedMs)).toBe(0)
  })
})

describe('plans', () => {
  test.each(ROLES)('%s is the same plan each time, and upgrades never overlap', (role) => {
    const plan = planOf(role, 11)
    expect(planOf(role, 11)).toEqual(plan)
    plan.upgrades.forEach((upgrade, i) => {
      expect(upgrade.startMs).toBeGreaterThan(plan.upgrades[i - 1]?.endMs ?? -Infinity)
      expect(upgrade.from).toEqual(plan.upgrades[i - 1]?.to ?? plan.profile.firstRelease)
    })
  })
})
