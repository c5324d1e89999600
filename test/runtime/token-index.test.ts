import { expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import type { TokenRecord } from '../../src/model/token.ts'
import { createTokenIndex, hashToken } from '../../src/runtime/token-index.ts'
import { FakeClock } from '../support/fake-clock.ts'

test('tokens that are known still count while they cannot be read because a thread is started again', async () => {
  const clock = new FakeClock(0)
  const ada: TokenRecord = { id: 1, name: 'ada', role: 'viewer', hash: hashToken('secret'), createdAtMs: 0 }
  let failure: FleetError | undefined
  let records: readonly TokenRecord[] = [ada]
  let reads = 0
  const read = (): Promise<readonly TokenRecord[]> => {
    reads++
    return failure === undefined ? Promise.resolve(records) : Promise.reject(failure)
  }
  const tokens = await createTokenIndex(read, clock)
  failure = new FleetError('not_ready', 'the ingest worker is being started again')
  clock.advance(5000)
  expect(await tokens.authenticate('secret')).toEqual({ name: 'ada', role: 'viewer' })
  // Not for each request.
  await tokens.authenticate('secret')
  expect(reads).toBe(2)
  failure = new FleetError('storage_failed', 'the file is damaged')
  clock.advance(5000)
  await expect(tokens.authenticate('secret')).rejects.toBe(failure)
  failure = undefined
  records = []
  clock.advance(5000)
  expect(await tokens.authenticate('secret')).toBe(undefined)
})
