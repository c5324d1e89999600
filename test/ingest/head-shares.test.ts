import { describe, expect, test } from 'vitest'
import { HeadShares, type HeadOwner } from '../../src/ingest/head-shares.ts'

const MAX = 1000
const HALF_LIFE_MS = 60_000
const cluster = (name: string): HeadOwner => ({ kind: 'cluster', name })

/** Ten clusters with 10 samples each and a loud one, in a head of so many bytes. */
function sharesWith(loudSamples: number, usedBytes: number): HeadShares {
  const shares = new HeadShares({ bytesMax: MAX, halfLifeMs: HALF_LIFE_MS })
  for (let i = 0; i < 10; i++) shares.add(cluster(`quiet-${i}`), 10, 0)
  shares.add(cluster('loud'), loudSamples, 0)
  shares.see(usedBytes, 0)
  return shares
}

const isRefused = (shares: HeadShares, name: string, nowMs = 0): boolean => {
  return shares.refusal(cluster(name), nowMs) !== undefined
}

describe('the head is shared', () => {
  test('a sender that fills it is refused, the others are not', () => {
    const shares = sharesWith(1000, 800)
    expect(isRefused(shares, 'loud')).toBe(true)
    expect(shares.refusal(cluster('loud'), 0)).toMatchObject({ code: 'overloaded' })
    expect(isRefused(shares, 'quiet-3')).toBe(false)
    expect(isRefused(shares, 'new')).toBe(false)
    // Of the same name, and another kind of sender.
    expect(shares.refusal({ kind: 'token', name: 'loud' }, 0)).toBeUndefined()
  })

  test('nobody is refused while it has room', () => {
    expect(isRefused(sharesWith(1000, 750), 'loud')).toBe(false)
    expect(isRefused(sharesWith(1000, 751), 'loud')).toBe(true)
  })

  test('one and a half equal parts are fair', () => {
    // Of 11 senders in 880 bytes: 1.5 parts are 136.36 bytes, which is what 18.3 samples beside 100 take.
    expect(isRefused(sharesWith(18, 880), 'loud')).toBe(false)
    expect(isRefused(sharesWith(19, 880), 'loud')).toBe(true)
  })

  test('a sender that is alone, and two that are equal, may fill it', () => {
    const alone = new HeadShares({ bytesMax: MAX, halfLifeMs: HALF_LIFE_MS })
    alone.add(cluster('a'), 100, 0)
    alone.see(MAX, 0)
    expect(isRefused(alone, 'a')).toBe(false)
    alone.add(cluster('b'), 100, 0)
    expect([isRefused(alone, 'a'), isRefused(alone, 'b')]).toEqual([false, false])
  })

  test('what was sent long ago no longer counts', () => {
    const shares = sharesWith(1000, 900)
    for (let i = 0; i < 10; i++) shares.add(cluster(`quiet-${i}`), 100, 8 * HALF_LIFE_MS)
    expect(isRefused(shares, 'loud', 8 * HALF_LIFE_MS)).toBe(false)
    // 1000 samples are less than one after ten halvings: eleven senders are ten again, of 1.5 parts each.
    shares.see(900, 20 * HALF_LIFE_MS)
    shares.add(cluster('quiet-0'), 0, 20 * HALF_LIFE_MS)
    expect(isRefused(shares, 'loud', 20 * HALF_LIFE_MS)).toBe(false)
  })

  test('a clock that was set back counts no sample more than once', () => {
    const shares = sharesWith(19, 880)
    expect(isRefused(shares, 'quiet-1', -10 * HALF_LIFE_MS)).toBe(false)
  })
})
