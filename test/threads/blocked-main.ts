/**
 * Run as a process of its own, whose main thread answers nothing: `briefly`, after which it says what its metrics are, or `for-good`.
 */
import { createLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { watchMain } from '../../src/threads/main-watch.ts'

const hungAfterMs = 2000
const metrics = createOwnMetrics('test')
const stop = watchMain({ hungAfterMs, logLevel: 'info', metrics, log: createLog('info') })
await new Promise((resolve) => setTimeout(resolve, 1500))
if (process.argv[2] === 'for-good') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
const textOf = (name: string): Promise<string> => metrics.registry.getSingleMetricAsString(name)
// On a busy machine the thread that watches may not be there the first time.
for (let tries = 0; tries < 10; tries++) {
  blockedForLong(hungAfterMs + 4000)
  await new Promise((resolve) => setTimeout(resolve, 2500))
  if (/thread="main",reason="hung"} [1-9]/.test(await textOf('daytwo_thread_failures_total'))) break
}
for (const name of ['daytwo_thread_failures_total', 'daytwo_main_thread_blocked_seconds'])
  process.stdout.write(`${await textOf(name)}\n`)
await stop()

function blockedForLong(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}
