import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { watchMain } from '../../src/threads/main-watch.ts'

test('a block that begins when the last one was shown is shown too', async () => {
  const metrics = createOwnMetrics('test')
  const shown: number[] = []
  const shownTwice = new Promise<void>((resolve) => {
    Object.assign(metrics.mainBlockedSeconds, {
      set: (seconds: number) => {
        if (shown.push(seconds) === 2) resolve()
        else for (const endMs = performance.now() + 300; performance.now() < endMs;);
      },
    })
  })
  const stop = watchMain({ hungAfterMs: Infinity, logLevel: 'error', metrics, log: createLog('error') })
  await shownTwice
  await stop()
  expect(shown[1]).toBeGreaterThan(0.28)
})
