import { afterEach, describe, expect, test } from 'vitest'
import { startOtlpSink } from '../support/otlp-sink.ts'
import type { OtlpSink } from '../support/otlp-sink.ts'
import { startServer } from '../support/server.ts'
import type { RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// The program as it ships, telling of its own work over real HTTP.

const SDK = '@opentelemetry/sdk-node'

let server: RunningServer | undefined
let sink: OtlpSink | undefined
const data = tempDir('own-traces')

afterEach(async () => {
  await server?.stop()
  await sink?.stop()
  server = undefined
  data.remove()
})

async function start(...options: string[]): Promise<RunningServer> {
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', data.path, ...options]
  // Node tells of each module that it loads.
  server = await startServer(args, { NODE_DEBUG: 'esm,module' })
  return server
}

/** By what Node told of itself; not the text, which is long. */
const loaded = (running: RunningServer, module: string): boolean => running.output().includes(module)

describe('own traces', () => {
  test('go to another receiver: a request, and its query below it', async () => {
    sink = await startOtlpSink()
    const running = await start('--own-traces', sink.url, '--own-traces.ratio', '1')
    await running.query('sum(kubevirt_info)')
    expect(await running.stop()).toBe(0)
    const { spans } = sink
    const request = spans.find((span) => span.name === 'POST /api/v1/query')!
    const query = spans.find((span) => span.name === 'query instant' && span.parentSpanId === request.spanId)!
    expect(query.attributes['db.query.text']).toBe('sum(kubevirt_info)')
    expect(query.traceId).toBe(request.traceId)
    expect(request.service).toBe('daytwo')
    expect(loaded(running, SDK)).toBe(true)
  })

  test('are off unless asked for, and then nothing of their library is loaded', async () => {
    const running = await start()
    await running.query('sum(kubevirt_info)')
    expect(await running.stop()).toBe(0)
    expect(loaded(running, 'better-sqlite3')).toBe(true)
    expect(loaded(running, '@opentelemetry/')).toBe(false)
  })
})
