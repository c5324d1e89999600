import { describe, expect, test } from 'vitest'
import type { StoredChange } from '../../../src/model/stored-change.ts'
import { listenForChanges } from '../../../src/store/postgres/change-listener.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

describe.skipIf(POSTGRES === undefined)('changes of other processes', () => {
  const postgres = sharedPostgres()

  test('are told once per transaction, with their subject, and own ones are not', async () => {
    const options = await postgres.options()
    const mine = { ...options, instance: 'mine' }
    const facts = await openTempFacts(mine)
    const other = await openTempFacts({ ...options, instance: 'other' })
    const seen: StoredChange[] = []
    let tell: (() => void) | undefined
    const listener = await listenForChanges({
      options: mine,
      onChange: (change) => {
        seen.push(change)
        if (change.topic === 'token') tell?.()
      },
      onListening: () => undefined,
      onEnd: () => undefined,
    })
    const end = new Promise<void>((resolve) => (tell = resolve))
    const change = (cluster: string) => ({
      ...{ cluster, record: emptyRecord(cluster) },
      ...{ upgrades: { put: [], removed: [] }, modifications: { put: [], removed: [] } },
      intervals: {
        put: [1, 2, 3].map((fromMs) => {
          return { cluster, operator: 'o', version: '1', fromMs, isStartKnown: true, resolutionSeconds: 1 }
        }),
        removed: [],
      },
    })
    const long = 'x'.repeat(7000)
    await facts.fleet.write({ changes: [change('ours')], meta: [] })
    await other.fleet.write({ changes: ['c\u0000"1', 'c2', long].map(change), meta: [] })
    await other.fleet.write({ changes: [{ ...change('c2'), record: undefined, isGone: true } as never], meta: [] })
    await other.alertStates.replaceGroup('empty', [])
    await other.tokens.add(
      { role: 'viewer', name: 'n', hash: 'h', createdAtMs: 1 },
      { atMs: 1, by: 'b', action: 'token.add', detail: '' },
    )
    await end
    expect(seen).toEqual([
      { topic: 'cluster', subject: 'c\u0000"1' },
      { topic: 'cluster', subject: 'c2' },
      { topic: 'cluster' },
      { topic: 'cluster', subject: 'c2' },
      { topic: 'token' },
    ])
    await listener.stop()
  })

  test('end with the connection, which is told once, and cannot begin without a server', async () => {
    const options = await postgres.options()
    await openTempFacts(options)
    let ends = 0
    const parts = { options, onChange: () => undefined, onListening: () => undefined, onEnd: () => (ends += 1) }
    const listener = await listenForChanges(parts)
    await listener.check()
    expect(ends).toBe(0)
    await postgres.server.kill()
    await listener.check()
    expect(ends).toBe(1)
    await expect(listenForChanges(parts)).rejects.toThrow()
    await postgres.server.start()
    expect(ends).toBe(1)
  })
})
