import { expect, test } from 'vitest'
import { runDeployment } from './deployment.ts'
import { missingForDeployment } from './deployment-life.ts'

// Two of the hundred kills of `npm run chaos -- deployment`.
test('three processes, PostgreSQL and VictoriaMetrics lose nothing and notify once when they are killed', async (context) => {
  const missing = missingForDeployment()
  if (missing !== undefined) context.skip(missing)
  const report = await runDeployment({ rounds: 2, seed: 3, onProgress: () => undefined })
  expect(report.faults).toEqual([])
  expect(report.ackedCount).toBeGreaterThan(20)
}, 900_000)
