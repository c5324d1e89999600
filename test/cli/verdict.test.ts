import { afterEach, expect, test } from 'vitest'
import { makeServer, NOW_MS, type TestServer } from '../api/test-server.ts'
import { plantedRollout, type PlantedRollout } from '../support/rollout-fleet.ts'
import { daytwo } from './run.ts'

// The real program asks the real API over HTTP.
let server: TestServer | undefined
afterEach(async () => {
  await server?.app.close()
  server = undefined
})

async function verdict(planted: Omit<PlantedRollout, 'nowMs'>, ...args: readonly string[]) {
  server = await makeServer(await plantedRollout({ ...planted, nowMs: NOW_MS }))
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  return daytwo('verdict', ...args, '--url', url)
}

test('proceed ends with 0', async () => {
  const { code, stdout: out } = await verdict({ canaries: 80, baselines: 160 }, '1.17.0')
  expect(code).toBe(0)
  expect(out).toContain('1.17.0: PROCEED\n')
  expect(out).toMatch(
    /Failures: 0 of 80 canary upgrades, at most [\d.]+ %; accepted 10.0 %; baseline 0 of 160. 80 clusters/,
  )
})

test('hold ends with 3, with the signals, the slower phase and the new alert', async () => {
  const { code, stdout: out } = await verdict(
    { canaries: 80, baselines: 160, slowdown: 2, newAlert: 'VirtHandlerDown' },
    '1.17.0',
  )
  expect(code).toBe(3)
  expect(out).toContain('1.17.0: HOLD. Worse: duration, alerts.')
  expect(out).toMatch(/^duration +worse +\S+ of 100 +\d+ of 80 +\d+ of 160 +1\.\d\d \(1\.\d\d to \d\.\d\d\)/m)
  expect(out).toMatch(/^Slower: operands, 2.00 \([12]\.\d\d to 2\.\d\d\) times as long \(80 and 160 upgrades\)\.$/m)
  expect(out).toContain('New alert: VirtHandlerDown, on 80 of 80 clusters after the upgrade, and never before.')
})

test('insufficient ends with 4 and what is needed; of a canary of the first few', async () => {
  const { code, stdout: out } = await verdict(
    { canaries: 80, baselines: 160 },
    '1.17.0',
    '--first',
    '30',
    '--region',
    'eu',
  )
  expect(code).toBe(4)
  expect(out).toMatch(
    /^\d+ more upgrades that end like those until now are needed \(about \d+ days at the present rate\)\.$/m,
  )
  expect(out).toContain('30 clusters')
})

test('not comparable ends with 5, and json is what the API has', async () => {
  const { code, stdout: out } = await verdict({ canaries: 10, baselines: 0 }, '1.17.0', '--format', 'json')
  expect(code).toBe(5)
  expect(JSON.parse(out)).toMatchObject({
    version: '1.17.0',
    decision: 'not_comparable',
    phases: expect.any(Array) as unknown,
  })
})

test('usage, refusals and no server', async () => {
  expect((await daytwo('verdict')).code).toBe(2)
  expect((await daytwo('verdict', '1.17.0', '1.18.0')).code).toBe(2)
  expect((await daytwo('verdict', '1.17.0', '--url', 'http://127.0.0.1:1')).code).toBe(1)
  const refused = await verdict({ canaries: 1, baselines: 1 }, '1.17.0', '--first', 'x')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('want a whole number from 1')
})
