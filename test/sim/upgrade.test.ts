import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createProfile } from '../../sim/cluster-profile.ts'
import { nextRelease, releaseOf } from '../../sim/release.ts'
import {
  isUpgradeMode,
  movesOf,
  openUpgradeAt,
  outdatedVmsAt,
  planUpgrade,
  type StallWish,
  type UpgradePlan,
} from '../../sim/scenarios/upgrade.ts'

const T0 = Date.UTC(2026, 7, 20, 10)
const MINUTE = 60_000

function plan(seed: string, from: string, stall?: StallWish, nodesMin = 6): UpgradePlan {
  const profile = createProfile(seed, 0, 30_000, { firstRelease: from, nodesMin })
  return planUpgrade(profile, profile.firstRelease, nextRelease(profile.firstRelease)!, T0, stall)
}

const anySeed = fc.string({ minLength: 1, maxLength: 8 })
const anyFrom = fc.constantFrom('1.10.7', '1.14.0', '1.15.0', '1.16.0', '1.17.0', '1.17.3', '1.18.0')

describe('an upgrade', () => {
  test('moves forward only: OLM, operator, virt-handler, the rest, the end', () => {
    fc.assert(
      fc.property(anySeed, anyFrom, (seed, from) => {
        const moves = movesOf(plan(seed, from))
        expect([...moves].sort((a, b) => a - b)).toEqual(moves)
        expect(moves[0]).toBe(T0)
      }),
    )
  })

  test('is over within the half hour that most take, when nothing stalls it', () => {
    fc.assert(
      fc.property(anySeed, anyFrom, (seed, from) => {
        const { startMs, csvSucceededMs, endMs } = plan(seed, from)
        expect(csvSucceededMs - startMs).toBeLessThan(6 * MINUTE)
        expect(endMs - startMs).toBeGreaterThan(4 * MINUTE)
        expect(endMs - startMs).toBeLessThan(40 * MINUTE)
      }),
    )
  })

  test('replaces one virt-handler alone first, then a tenth of the nodes at a time', () => {
    const { handlerMs } = plan('waves', '1.16.0', undefined, 40)
    const sizes = [...new Set(handlerMs)].map((waveMs) => handlerMs.filter((timeMs) => timeMs === waveMs).length)
    expect(sizes).toEqual([1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3])
  })

  test('of which HCO does not finish has all operands, and no word about why', () => {
    const { kubevirtObservedMs, endMs, stall } = plan('hangs', '1.17.3', { kind: 'hco', lastsMs: 90 * MINUTE })
    expect(stall).toEqual({ kind: 'hco', fromMs: kubevirtObservedMs, untilMs: kubevirtObservedMs + 90 * MINUTE })
    expect(endMs - kubevirtObservedMs).toBeGreaterThan(90 * MINUTE)
    expect(isUpgradeMode([plan('hangs', '1.17.3', { kind: 'hco', lastsMs: 90 * MINUTE })], endMs - 1)).toBe(true)
  })

  test('leaves KubeVirt alone between releases that bundle the same one', () => {
    const sameKubevirt = plan('same', '1.15.0')
    expect(sameKubevirt.hasKubevirtRoll).toBe(false)
    expect(sameKubevirt.handlerMs).toEqual([])
    const profile = createProfile('same', 0, 30_000, { firstRelease: '1.15.0' })
    expect(outdatedVmsAt(profile, [sameKubevirt], sameKubevirt.endMs + MINUTE)).toBe(0)
  })

  test.each([
    ['olm', '1.15.2'],
    ['canary', '1.17.3'],
  ] as const)('stalled in %s it stands still for as long as the stall lasts, and then goes on', (kind, from) => {
    const lastsMs = 90 * MINUTE
    const stalled = plan('stall', from, { kind, lastsMs })
    const smooth = plan('stall', from)
    expect(stalled.stall).toMatchObject({ kind, untilMs: stalled.stall!.fromMs + lastsMs })
    expect(movesOf(stalled).filter((ms) => ms > stalled.stall!.fromMs && ms <= stalled.stall!.untilMs)).toEqual([])
    expect(stalled.endMs - smooth.endMs).toBe(lastsMs)
  })

  test('is open from the new CSV to the last operand; HCO is in its upgrade mode for the second part of it', () => {
    const upgrade = plan('open', '1.16.0')
    const upgrades = [upgrade]
    expect(openUpgradeAt(upgrades, T0 - 1)).toBeUndefined()
    expect(openUpgradeAt(upgrades, T0)).toBe(upgrade)
    expect(openUpgradeAt(upgrades, upgrade.endMs)).toBeUndefined()
    expect(isUpgradeMode(upgrades, upgrade.csvSucceededMs)).toBe(false)
    expect(isUpgradeMode(upgrades, upgrade.hcoStartMs)).toBe(true)
  })

  test('outdates all machines when KubeVirt is done, and they become fewer until only the fixed ones are left', () => {
    const profile = { ...createProfile('vms', 0, 30_000, { firstRelease: '1.16.0' }), vms: 60, fixedVms: 2 }
    const upgrade = planUpgrade(profile, profile.firstRelease, releaseOf('1.17.3')!, T0, undefined)
    const at = (sinceMs: number): number => outdatedVmsAt(profile, [upgrade], upgrade.kubevirtObservedMs + sinceMs)
    expect(at(-1)).toBe(0)
    expect(at(0)).toBe(60)
    const fall = Array.from({ length: 100 }, (_, minute) => at(minute * MINUTE))
    expect([...fall].sort((a, b) => b - a)).toEqual(fall)
    expect(fall[10]).toBeLessThan(40)
    expect(fall.at(-1)).toBe(2)
  })
})
