import { expect, test } from 'vitest'
import { runThreads } from './threads.ts'

// Two of each kind, one in each worker; `npm run chaos -- threads` kills fifty and hangs fifty.
test('workers that die, hang and throw come back, and lose nothing', { timeout: 600_000 }, async () => {
  const report = await runThreads({ rounds: 2, seed: 5, kinds: ['kill', 'hang', 'fault'], onProgress: () => undefined })
  expect(report.faults).toEqual([])
})
