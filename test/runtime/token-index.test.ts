import { expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import type { TokenRecord } from '../../src/model/token.ts'
import { createTokenIndex, hashToken } from '../../src/runtime/token-index.ts'
import { FakeClock } from '../support/fake-clock.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')
const DAY_MS = 86_400_000

async function indexOf(...tokens: Partial<TokenRecord>[]) {
  let records: TokenRecord[] = tokens.map((token, i) => {
    const id = i + 1
    return { id, hash: hashToken(`secret ${id}`), role: 'viewer', name: `t${id}`, createdAtMs: NOW_MS, ...token }
  })
  const written: (readonly (readonly [number, number])[])[] = []
  const clock = new FakeClock(NOW_MS)
  const metrics = createOwnMetrics('0.0.0-test')
  const store = {
    list: () => Promise.resolve(records),
    touch: (uses: readonly (readonly [number, number])[]) => {
      written.push(uses)
      records = records.map((record) => {
        const use = uses.find(([id]) => id === record.id)
        return use === undefined ? record : { ...record, lastUsedMs: use[1] }
      })
      return Promise.resolve()
    },
  }
  const index = await createTokenIndex(store, clock, metrics)
  return { index, clock, written, text: () => metrics.registry.metrics() }
}

test('a token is refused from its expiry on, with its name and when that was', async () => {
  const { index, clock } = await indexOf({ expiresAtMs: NOW_MS + DAY_MS }, { role: 'ingest', cluster: 'prague' })
  clock.advance(DAY_MS - 1)
  expect(await index.authenticate('secret 1')).toEqual({ role: 'viewer', name: 't1' })
  clock.advance(1)
  expect(await index.authenticate('secret 1')).toEqual({ name: 't1', expiredAtMs: NOW_MS + DAY_MS })
  expect(await index.authenticate('secret 2')).toEqual({ role: 'ingest', name: 't2', cluster: 'prague' })
  expect(await index.authenticate('secret 3')).toBeUndefined()
})

test('when tokens were used is written together, every few minutes, and not for a refused one', async () => {
  const { index, clock, written } = await indexOf({}, {}, { expiresAtMs: NOW_MS - 1 })
  for (let i = 0; i < 100; i++) {
    clock.advance(1000)
    await index.authenticate('secret 1')
    await index.authenticate('secret 3')
    if (i === 50) await index.authenticate('secret 2')
    await index.upkeep()
  }
  expect(written).toEqual([])
  clock.advance(200_000)
  await index.upkeep()
  expect(written).toEqual([
    [
      [1, NOW_MS + 100_000],
      [2, NOW_MS + 51_000],
    ],
  ])
  // Not used since: there is nothing to write.
  clock.advance(600_000)
  await index.upkeep()
  expect(written).toHaveLength(1)
})

test('tokens that expire are metrics, bound ones of their cluster', async () => {
  const { index, clock, text } = await indexOf(
    { role: 'ingest', name: 'prague', cluster: 'prague-1', expiresAtMs: NOW_MS + DAY_MS },
    { name: 'for ever' },
    { name: 'sre', expiresAtMs: NOW_MS + 2 * DAY_MS, lastUsedMs: NOW_MS - DAY_MS },
  )
  clock.advance(7000)
  await index.authenticate('secret 1')
  await index.upkeep()
  const prague = '{id="1",token="prague",role="ingest",cluster="prague-1"}'
  const sre = '{id="3",token="sre",role="viewer",cluster=""}'
  const shown = (await text()).split('\n').filter((line) => line.startsWith('daytwo_token_'))
  expect(shown).toEqual([
    `daytwo_token_expiry_timestamp_seconds${prague} ${(NOW_MS + DAY_MS) / 1000}`,
    `daytwo_token_expiry_timestamp_seconds${sre} ${(NOW_MS + 2 * DAY_MS) / 1000}`,
    `daytwo_token_last_used_timestamp_seconds${prague} ${NOW_MS / 1000 + 7}`,
    `daytwo_token_last_used_timestamp_seconds${sre} ${(NOW_MS - DAY_MS) / 1000}`,
  ])
  // Stored, and still shown.
  clock.advance(600_000)
  await index.upkeep()
  expect(await text()).toContain(`daytwo_token_last_used_timestamp_seconds${prague} ${NOW_MS / 1000 + 7}`)
})

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
  const tokens = await createTokenIndex({ list: read, touch: () => Promise.resolve() }, clock)
  failure = new FleetError('not_ready', 'the ingest worker is being restarted')
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
