import { afterEach, describe, expect, test, vi } from 'vitest'
import { findPeer, requirePeer } from './peers.ts'

class Skipped extends Error {}
const skippable = {
  skip(note?: string): never {
    throw new Skipped(note)
  },
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('peers', () => {
  test('finds a program by its name in PATH', () => {
    expect(findPeer('sh')).toMatch(/\/sh$/)
    expect(requirePeer('sh', skippable)).toMatch(/\/sh$/)
  })

  test('a missing program skips the test with a reason', () => {
    vi.stubEnv('CI', '')
    expect(findPeer('no-such-program')).toBeUndefined()
    expect(() => requirePeer('no-such-program', skippable)).toThrow(
      new Skipped('no-such-program is not installed (looked through PATH)'),
    )
  })

  test('a missing program is a failure in CI', () => {
    vi.stubEnv('CI', 'true')
    expect(() => findPeer('no-such-program')).toThrow('CI must have it')
  })

  test('a folder or a plain file is not a program', () => {
    vi.stubEnv('CI', '')
    vi.stubEnv('PATH', import.meta.dirname)
    expect(findPeer('peers.ts')).toBeUndefined()
    vi.stubEnv('PATH', `${import.meta.dirname}/..`)
    expect(findPeer('support')).toBeUndefined()
  })
})
