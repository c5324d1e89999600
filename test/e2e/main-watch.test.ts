import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

/** What a process wrote whose main thread answers nothing, and how it ended. */
async function blocked(howLong: 'briefly' | 'for-good'): Promise<readonly [string, number | null, string | null]> {
  const script = resolve(import.meta.dirname, '../threads/blocked-main.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script, howLong], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return [output, code, signal]
}

// Both wait for seconds of real time, at the same time.
describe.concurrent('a main thread that does not answer', () => {
  test('its stack is logged, and it is counted', async () => {
    const [output, code] = await blocked('briefly')
    expect(output).toMatch(
      /"thread":"main","silentSeconds":[\d.]+,"stack":"[^"]*at blockedForLong \([^"]*blocked-main.ts:[^"]*","msg":"the main thread does not answer/,
    )
    expect(output).toMatch(/"thread":"main","blockedSeconds":[\d.]+,"msg":"the main thread answers again"/)
    expect(output).toMatch(/daytwo_thread_failures_total{thread="main",reason="hung"} [1-9]/)
    expect(Number(/daytwo_main_thread_blocked_seconds ([\d.]+)/.exec(output)?.[1])).toBeGreaterThan(5)
    expect(code).toBe(0)
  })

  test('the process ends in the end', async () => {
    const [output, , signal] = await blocked('for-good')
    expect(output).toContain('the main thread does not answer')
    expect(output).toContain('the main thread cannot be restarted')
    // 134 for a shell and for a container.
    expect(signal).toBe('SIGABRT')
  })
})
