import { describe, expect, test } from 'vitest'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

describe.skipIf(POSTGRES === undefined)('the status of groups of rules', () => {
  const postgres = sharedPostgres()

  test('is replaced by the same or a later owner of the group, and not by one that lost it', async () => {
    const { groupStatus } = await openTempFacts(await postgres.options())
    const row = (fence: number, status: string) => ({ groupKey: 'f;g', fence, status })
    expect(await groupStatus.read(['f;g'])).toEqual([])
    await groupStatus.write([])
    await groupStatus.write([row(2, 'a'), { ...row(1, 'z'), groupKey: 'f;h' }])
    await groupStatus.write([row(2, 'b')])
    expect(await groupStatus.read(['f;g', 'none'])).toEqual([row(2, 'b')])
    await groupStatus.write([row(1, 'old')])
    expect(await groupStatus.read(['f;g'])).toEqual([row(2, 'b')])
    await groupStatus.write([row(3, 'new')])
    expect(await groupStatus.read(['f;g'])).toEqual([row(3, 'new')])
    expect(await groupStatus.read([])).toEqual([])
  })
})
