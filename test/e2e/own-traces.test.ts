import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { daytwo } from '../cli/run.ts'
import { startOtlpSink, type OtlpSink } from '../support/otlp-sink.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The program as it ships, telling of its own work over real HTTP.

const SDK = '@opentelemetry/sdk-node'

let server: RunningServer | undefined
let sink: OtlpSink | undefined
let data: ReturnType<typeof tempDir>

beforeEach(() => {
  data = tempDir('own-traces')
})
afterEach(async () => {
  await server?.stop()
  await sink?.stop()
  server = undefined
  data.remove()
})

async function start(...options: string[]): Promise<RunningServer> {
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', data.path, ...withoutContent(), ...options]
  // Node tells of each module that it loads.
  server = await startServer(args, { NODE_DEBUG: 'esm,module' })
  return server
}

interface JaegerAnswer {
  readonly data: readonly { readonly spans: readonly { readonly operationName: string }[] }[]
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

  test('go to itself, past the tokens it asks others for, and tell nothing of their own way in', async () => {
    const made = await daytwo('token', 'add', '--role', 'viewer', '--name', 'sre', '--data', data.path)
    const [token] = /\S{40,}/.exec(made.stdout) ?? []
    const running = await start('--own-traces', 'self', '--own-traces.ratio', '1')
    const get = (path: string) => fetch(running.url + path, { headers: { authorization: `Bearer ${token}` } })
    expect((await fetch(`${running.url}/api/v1/query?query=1`)).status).toBe(401)
    expect((await get('/api/v1/query?query=vector(7)')).status).toBe(200)
    const operations = async (): Promise<readonly string[]> =>
      ((await (await get('/api/services/daytwo/operations')).json()) as { data: string[] }).data
    const isTold = async (name: string): Promise<true | undefined> => (await operations()).includes(name) || undefined
    await until('the trace of the query', () => isTold('query instant'), 60_000)
    // Of these looks traces are sent too: when one has come in, an export has been exported after.
    await until('the trace of a look', () => isTold('GET /api/services/:service/operations'), 60_000)
    expect(await operations()).toContain('GET /api/v1/query')
    expect((await operations()).filter((name) => /v1\/traces|ingest otlp traces/.test(name))).toEqual([])
    const found = (await (await get('/api/traces?service=daytwo&operation=query%20instant')).json()) as JaegerAnswer
    const names = found.data.flatMap(({ spans }) => spans.map(({ operationName }) => operationName))
    expect(names).toContain('GET /api/v1/query')
    const { data: services } = (await (await get('/api/services')).json()) as { data: string[] }
    expect(services).toEqual(['daytwo'])
  })

  test('are off unless asked for, and then nothing of their library is loaded', async () => {
    const running = await start()
    await running.query('sum(kubevirt_info)')
    expect(await running.stop()).toBe(0)
    expect(loaded(running, 'better-sqlite3')).toBe(true)
    expect(loaded(running, '@opentelemetry/')).toBe(false)
  })
})
