import { describe, expect, test } from 'vitest'
import { RELEASES, kubevirtMinorOf, nextRelease, openshiftMinorOf, releaseOf } from '../../sim/release.ts'

describe('releases', () => {
  test.each<[string, string | undefined, string]>([
    ['1.10.7', '1.11.1', 'to the newest patch of the next minor'],
    ['1.15.0', '1.15.2', 'to the newest patch of its own minor first'],
    ['1.17.0', '1.17.3', 'over a patch in between'],
    ['1.17.3', '1.18.1', 'not over a minor'],
    ['1.18.1', undefined, 'nowhere from the last one'],
  ])('%s goes to %s: %s', (from, to) => {
    expect(nextRelease(releaseOf(from)!)?.hco).toBe(to)
  })

  test('every release reaches the last one, minor by minor', () => {
    for (const first of RELEASES) {
      let release = first
      for (let next = nextRelease(release); next !== undefined; next = nextRelease(release)) {
        expect(next.minor - release.minor).toBeLessThanOrEqual(1)
        release = next
      }
      expect(release.hco).toBe('1.18.1')
    }
  })

  test('a release knows what it belongs to', () => {
    expect(openshiftMinorOf(releaseOf('1.16.0')!)).toBe(20)
    expect(kubevirtMinorOf(releaseOf('1.18.0')!)).toBe(8)
    expect(releaseOf('1.99.0')).toBeUndefined()
  })
})
