import { expect, test } from 'vitest'
import { runKills } from './kills.ts'

// What is acknowledged is never lost: three of the thousand kills of `npm run chaos -- kills`.
test('after kill -9 all that was acknowledged is there, once', { timeout: 240_000 }, async () => {
  const report = await runKills({ rounds: 3, seed: 7, onProgress: () => undefined })
  expect(report.faults).toEqual([])
  expect(report.ackedCount).toBeGreaterThan(100)
})
