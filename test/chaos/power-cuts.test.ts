import { expect, test } from 'vitest'
import { runPowerCuts } from './power-cuts.ts'

// Two of the cuts of `npm run chaos -- power-cuts`, and two of a disk that ignores fsync: the check finds those.
const options = { rounds: 2, seed: 3, onProgress: () => undefined }

test('after a power cut all that was acknowledged is there, once', { timeout: 240_000 }, async () => {
  const report = await runPowerCuts(options)
  expect(report.faults).toEqual([])
  expect(report.ackedCount).toBeGreaterThan(50)
})

test('what a disk loses that ignores fsync is found', { timeout: 240_000 }, async () => {
  const report = await runPowerCuts({ ...options, ignoresSync: true })
  expect(report.faults).not.toEqual([])
})
