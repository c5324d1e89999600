/**
 * Run as a process of its own: its main thread answers nothing for some seconds, says what its metrics are, and then answers
 * nothing at all.
 */
import { createLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { watchMain } from '../../src/threads/main-watch.ts'

const hungAfterMs = 2000
const metrics = createOwnMetrics('test')
watchMain({ hungAfterMs, logLevel: 'info', metrics, log: createLog('info') })
await new Promise((resolve) => setTimeout(resolve, 1500))
blockedForLong(hungAfterMs + 4000)
await new Promise((resolve) => setTimeout(resolve, 2500))
const kept = ['daytwo_thread_failures_total', 'daytwo_main_thread_blocked_seconds']
for (const name of kept) process.stdout.write(`${await metrics.registry.getSingleMetricAsString(name)}\n`)
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)

function blockedForLong(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}
