import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { FleetError } from '../../../src/base/errors.ts'
import { DebugRules } from '../../../src/contract/debug.ts'
import { Harness, T0 } from '../../rules/harness.ts'
import { makeServer } from '../test-server.ts'

const RULES = `
groups:
  - name: g
    interval: 30s
    limit: 5
    query_offset: 1s
    rules:
      - { record: doubled, expr: m * 2 }
      - { alert: High, expr: m > 1, for: 1m }
      - alert: Broken
        expr: m + on () group_left () {__name__=~"m|n"}
`

test('how evaluation goes, as the contract says', async () => {
  const harness = new Harness(RULES)
  await harness.rules.restore(T0)
  for (const n of ['1', '2']) harness.put({ __name__: 'm', n }, Number(n), T0 - 1000)
  await harness.evaluate(T0)
  const { app } = await makeServer({
    rules: {
      groups: () => Promise.resolve(harness.rules.groups()),
      alerts: () => harness.rules.alerts(),
    },
    reloadStatus: () => ({
      isSuccessful: false,
      lastSuccessMs: 1,
      lastAttemptMs: 2,
      cause: 'files',
      error: 'a.yaml:1:1: no',
    }),
  })
  const answer = await app.inject('/debug/rules')
  const body = answer.json<DebugRules>()
  expect([...Value.Errors(DebugRules, body)]).toEqual([])
  expect(body.reload).toEqual({
    isSuccessful: false,
    lastSuccessMs: 1,
    lastAttemptMs: 2,
    cause: 'files',
    error: 'a.yaml:1:1: no',
  })
  const [group] = body.groups
  expect(group).toMatchObject({ name: 'g', intervalMs: 30_000, limit: 5, queryOffsetMs: 1000, missed: 0 })
  expect(group!.nextEvaluationMs).toBeGreaterThan(T0)
  expect(group!.nextEvaluationMs).toBeLessThanOrEqual(T0 + 30_000)
  expect(group!.rules.map(({ name, health, lastSamples, alerts }) => [name, health, lastSamples, alerts])).toEqual([
    ['doubled', 'ok', 2, undefined],
    ['High', 'ok', 2, { pending: 1, firing: 0 }],
    ['Broken', 'err', 0, { pending: 0, firing: 0 }],
  ])
  expect(group!.rules[2]!.lastError).toContain('many-to-many')
  await app.close()
})

test.each(['POST', 'PUT'] as const)('%s /-/reload reads again, and says where a file is wrong', async (method) => {
  let reloads = 0
  const fault = 'the content cannot be used\nrules/a.yaml:1:9: error: want a list\n   1 | groups: 3\n     |         ^'
  const { app } = await makeServer({
    reload: () => {
      reloads++
      return reloads === 1 ? Promise.resolve() : Promise.reject(new FleetError('content_invalid', fault))
    },
  })
  const good = await app.inject({ method, url: '/-/reload' })
  expect([good.statusCode, good.body]).toEqual([200, ''])
  const bad = await app.inject({ method, url: '/-/reload' })
  expect([bad.statusCode, bad.body]).toEqual([500, `${fault}\n`])
  await app.close()
})
