import { describe, expect, test } from 'vitest'
import { ERROR_CODES, FleetError, messageOf } from '../../src/base/errors.ts'
import { invariant } from '../../src/base/invariant.ts'

describe('errors', () => {
  test('a failure knows its status and keeps its hint and cause', () => {
    const cause = new Error('disk')
    const failure = new FleetError('storage_full', 'wrote 0 of 10 bytes', { hint: 'free some space', cause })
    expect(failure.status).toBe(503)
    expect(failure.hint).toBe('free some space')
    expect(failure.cause).toBe(cause)
  })

  test('what is worth repeating is never answered as if it were the sender’s fault', () => {
    for (const [code, { status, isRetryable }] of Object.entries(ERROR_CODES)) {
      // 429 says itself that it is worth repeating.
      if (status >= 400 && status < 499 && status !== 429)
        expect({ code, isRetryable }).toEqual({ code, isRetryable: false })
    }
  })

  test('a broken promise says that it is a bug', () => {
    expect(() => {
      invariant(false, 'refs rise')
    }).toThrow('bug: refs rise')
  })

  test.each([
    [new Error('a'), 'a'],
    ['b', 'b'],
    [undefined, 'undefined'],
  ])('messageOf(%j)', (thrown, want) => {
    expect(messageOf(thrown)).toBe(want)
  })
})
