import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

test('a main thread that does not answer: its stack is logged, it is counted, and in the end the process ends', async () => {
  const script = resolve(import.meta.dirname, '../threads/blocked-main.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString()))
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect(output).toMatch(
    /"thread":"main","silentSeconds":[\d.]+,"stack":"[^"]*at blockedForLong \([^"]*blocked-main.ts:[^"]*","msg":"the main thread does not answer/,
  )
  expect(output).toMatch(/"thread":"main","blockedSeconds":[\d.]+,"msg":"the main thread answers again"/)
  expect(output).toMatch(/daytwo_thread_failures_total{thread="main",reason="hung"} [1-9]/)
  expect(Number(/daytwo_main_thread_blocked_seconds ([\d.]+)/.exec(output)?.[1])).toBeGreaterThan(5)
  expect(output).toContain('the main thread cannot be started again')
  // 134 for a shell and for a container.
  expect(signal).toBe('SIGABRT')
})
