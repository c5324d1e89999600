import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RESOLVED_RETENTION_MS, resolve, stepAlert, type AlertPhase, type Hold } from '../../src/rules/alert-state.ts'

const MINUTE_MS = 60_000

/** One letter per minute: `i`nactive, `p`ending, `f`iring, `r`esolved; `k` is firing only because it is kept. */
function lives(pattern: string, hold: Hold): string {
  let phase: AlertPhase | undefined
  return Array.from(pattern, (bit, i) => {
    phase = stepAlert(phase, bit === '1', i * MINUTE_MS, hold)
    if (phase === undefined) return 'i'
    return phase.state === 'firing' && phase.keepFiringSinceMs !== undefined ? 'k' : phase.state[0]!
  }).join('')
}

describe('stepAlert', () => {
  test.each([
    // holds     for  keep  lives
    ['1110', 2, 0, 'ppfr', 'fires after `for`, resolves when it no longer holds'],
    ['1010', 1, 0, 'pipi', 'a gap restarts `for`'],
    ['1', 0, 0, 'f', 'without `for` it fires at once'],
    ['0', 0, 0, 'i', 'nothing holds, nothing is there'],
    ['1101', 0, 0, 'ffrf', 'it may fire again'],
    ['11011', 1, 0, 'pfrpf', 'and then `for` starts over'],
    ['110000', 0, 3, 'ffkkkr', 'it is kept firing, counted from the first minute it does not hold'],
    ['110010000', 0, 3, 'ffkkfkkkr', 'holding again ends the keeping'],
    ['1100', 1, 5, 'pfkk', 'both together'],
    ['1000', 1, 5, 'piii', 'a pending alert is not kept'],
    [`1${'0'.repeat(18)}`, 0, 0, `f${'r'.repeat(16)}ii`, 'a resolved one is forgotten after 15 minutes'],
  ])('%s with for %i and keep_firing_for %i: %s (%s)', (pattern, forMinutes, keepMinutes, want) => {
    const hold = { forMs: forMinutes * MINUTE_MS, keepFiringForMs: keepMinutes * MINUTE_MS }
    expect(lives(pattern, hold)).toBe(want)
  })

  test('times say when it began, fired and ended', () => {
    const hold = { forMs: 60_000, keepFiringForMs: 0 }
    let phase = stepAlert(undefined, true, 1000, hold)
    expect(phase).toEqual({ state: 'pending', activeAtMs: 1000 })
    phase = stepAlert(phase, true, 61_000, hold)
    expect(phase).toEqual({ state: 'firing', activeAtMs: 1000, firedAtMs: 61_000 })
    phase = stepAlert(phase, false, 90_000, hold)
    expect(phase).toEqual({ state: 'resolved', activeAtMs: 1000, firedAtMs: 61_000, resolvedAtMs: 90_000 })
    expect(stepAlert(phase, true, 95_000, hold)).toEqual({ state: 'pending', activeAtMs: 95_000 })
  })

  const steps = fc.array(fc.record({ afterMs: fc.nat(600_000), holds: fc.boolean() }), { maxLength: 60 })
  const holds = fc.record({ forMs: fc.nat(600_000), keepFiringForMs: fc.nat(600_000) })

  test('whatever happens: it fires only after holding for `for`, and ends only when it may', () => {
    fc.assert(
      fc.property(steps, holds, (history, hold) => {
        let nowMs = 0
        let phase: AlertPhase | undefined
        let heldSinceMs: number | undefined
        let goneSinceMs: number | undefined
        for (const { afterMs, holds: isHeld } of history) {
          nowMs += afterMs
          const before = phase
          phase = stepAlert(before, isHeld, nowMs, hold)
          if (isHeld) {
            heldSinceMs ??= nowMs
            goneSinceMs = undefined
            expect(phase?.state).toBe(
              before?.state === 'firing' || nowMs - heldSinceMs >= hold.forMs ? 'firing' : 'pending',
            )
          } else {
            heldSinceMs = undefined
            goneSinceMs ??= nowMs
            const isKept = before?.state === 'firing' && nowMs - goneSinceMs < hold.keepFiringForMs
            expect(phase?.state === 'firing').toBe(isKept)
            expect(phase?.state).not.toBe('pending')
          }
          if (phase?.state === 'resolved') {
            expect(nowMs - phase.resolvedAtMs).toBeLessThanOrEqual(RESOLVED_RETENTION_MS)
            expect(phase.resolvedAtMs).toBeGreaterThanOrEqual(phase.firedAtMs)
          }
          if (phase !== undefined) expect(phase.activeAtMs).toBeLessThanOrEqual(nowMs)
        }
      }),
    )
  })

  test('it changes nothing it was given', () => {
    const phase = Object.freeze({ state: 'firing', activeAtMs: 0, firedAtMs: 0 } as const)
    expect(stepAlert(phase, false, 5, { forMs: 0, keepFiringForMs: 9 })).not.toBe(phase)
    expect(resolve(phase, 7)).toEqual({ state: 'resolved', activeAtMs: 0, firedAtMs: 0, resolvedAtMs: 7 })
  })
})
