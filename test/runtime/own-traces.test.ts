import Fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { installRequestTraces } from '../../src/api/server/observe-requests.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog, silentLog } from '../../src/base/log.ts'
import { NO_TRACING } from '../../src/base/tracing.ts'
import { readConfig } from '../../src/config/config.ts'
import { OWN_TRACES_HEADER, QUEUE_SPANS_MAX, startOwnTraces, type OwnTraces } from '../../src/runtime/own-traces.ts'
import type { EvaluationSummary } from '../../src/rules/rule-status.ts'
import { evaluationOutcome, tracedStep } from '../../src/runtime/traced-cycle.ts'
import { startOtlpSink, type OtlpSink, type SunkSpan } from '../support/otlp-sink.ts'

let sink: OtlpSink
let own: OwnTraces

beforeEach(async () => {
  sink = await startOtlpSink()
})

afterEach(async () => {
  await own.stop()
  await sink.stop()
})

async function start(options: Record<string, string> = {}): Promise<OwnTraces> {
  const all = { 'own-traces': sink.url, 'own-traces.ratio': '1', ...options }
  own = await startOwnTraces(readConfig(new Map(Object.entries(all)), undefined, {}), '1.2.3', systemClock, silentLog)
  return own
}

const named = (name: string): SunkSpan => {
  const found = sink.spans.filter((span) => span.name === name)
  expect(found.map((span) => span.name)).toEqual([name])
  return found[0]!
}

describe('own traces', () => {
  test('go to the receiver when the server stops, children below their parents', async () => {
    const { tracing } = await start()
    const answer = await tracing.span('outer', { a: 1 }, async (span) => {
      await tracing.span('inner', {}, () => new Promise((resolve) => setImmediate(resolve)))
      span.set('b', true)
      return 'done'
    })
    expect(answer).toBe('done')
    expect(sink.spans).toEqual([])
    await own.stop()
    const [outer, inner] = [named('outer'), named('inner')]
    expect(inner.parentSpanId).toBe(outer.spanId)
    expect(inner.traceId).toBe(outer.traceId)
    expect(outer).toMatchObject({ service: 'daytwo', attributes: { a: 1, b: true } })
    expect(sink.requests.map(({ path }) => path)).toEqual(['/v1/traces'])
    expect(sink.requests[0]!.headers[OWN_TRACES_HEADER]).toBe('1')
  })

  test('a failure ends its span as an error, and is passed on', async () => {
    const { tracing } = await start()
    const failing = tracing.span('fails', {}, () => Promise.reject(new Error('the disk is full')))
    await expect(failing).rejects.toThrow('the disk is full')
    await own.stop()
    expect(named('fails').status).toEqual({ code: 2, message: 'the disk is full' })
  })

  test('nothing is told of muted work, nor of what it causes', async () => {
    const { tracing } = await start()
    await tracing
      .muted()
      .within(() => tracing.span('ingest', {}, () => tracing.span('commit', {}, () => Promise.resolve())))
    await tracing.span('loud', {}, () => Promise.resolve())
    await own.stop()
    expect(sink.spans.map((span) => span.name)).toEqual(['loud'])
  })

  test('a share of nothing tells nothing', async () => {
    const { tracing } = await start({ 'own-traces.ratio': '0' })
    await tracing.span('unseen', {}, () => Promise.resolve())
    await own.stop()
    expect(sink.requests).toEqual([])
  })

  test('beyond the queue new spans are dropped, and the program goes on', async () => {
    const { tracing } = await start()
    // In one turn, so that no more than one batch is on its way meanwhile.
    for (let i = 0; i < QUEUE_SPANS_MAX * 4; i++) tracing.open(`span ${i}`, {}).end()
    await own.stop()
    expect(sink.spans.length).toBeLessThan(QUEUE_SPANS_MAX * 2)
    expect(sink.spans.length).toBeGreaterThan(0)
  })

  test('a receiver that refuses is told of once a minute, and stopping does not fail', async () => {
    const lines: string[] = []
    const log = createLog('info', { write: (line) => lines.push(line) })
    const all = new Map([
      ['own-traces', sink.url],
      ['own-traces.ratio', '1'],
    ])
    sink.answerWith(400)
    own = await startOwnTraces(readConfig(all, undefined, {}), '1.2.3', systemClock, log)
    for (let i = 0; i < 2000; i++) own.tracing.open('refused', {}).end()
    await own.stop()
    expect(lines.filter((line) => line.includes('own traces were not taken'))).toHaveLength(1)
  })

  test('the token that goes to itself is good for sending, and for this process alone', async () => {
    await start({ 'own-traces': 'self', listen: '127.0.0.1:9' })
    expect(own.authenticate('')).toBeUndefined()
    expect(own.authenticate('x'.repeat(43))).toBeUndefined()
  })

  test('off: nothing is loaded, and the port does what it is given', async () => {
    await start({ 'own-traces': 'off' })
    expect(own.tracing).toBe(NO_TRACING)
    expect(await own.tracing.span('x', {}, () => Promise.resolve(7))).toBe(7)
    expect(own.tracing.open('x', {}).within(() => 8)).toBe(8)
    expect(own.authenticate('anything')).toBeUndefined()
  })
})

describe('requests', () => {
  test('are spans by route, with what they cause below them, also when they have a body', async () => {
    const { tracing } = await start()
    const app = Fastify()
    installRequestTraces(app, tracing, (headers) => headers[OWN_TRACES_HEADER] !== undefined)
    app.post('/things/:id', () => tracing.span('work', {}, () => Promise.resolve({ ok: true })))
    app.get('/fails', () => Promise.reject(new Error('no')))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const url = app.listeningOrigin
    const body = JSON.stringify({ text: 'x'.repeat(200_000) })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${url}/things/secret-7`, { method: 'POST', headers, body })
    await fetch(`${url}/things/8`, { method: 'POST', headers: { ...headers, [OWN_TRACES_HEADER]: '1' }, body })
    await fetch(`${url}/fails`)
    await fetch(`${url}/nowhere`)
    await app.close()
    await own.stop()
    const [request, work] = [named('POST /things/:id'), named('work')]
    expect(work.parentSpanId).toBe(request.spanId)
    expect(request).toMatchObject({
      kind: 2,
      attributes: { 'http.route': '/things/:id', 'http.response.status_code': 200 },
    })
    expect(named('GET /fails').status).toEqual({ code: 2, message: 'answered 500' })
    expect(named('GET none').attributes['http.response.status_code']).toBe(404)
    expect(JSON.stringify(sink.spans)).not.toContain('secret-7')
  })
})

describe('steps of the beat', () => {
  const report = (groups: number, error?: string): EvaluationSummary => ({
    nowMs: 0,
    hasTransitions: false,
    groups: Array.from({ length: groups }, (_, i) => ({
      name: `g${i}`,
      file: 'f',
      timeMs: 0,
      intervalMs: 60_000,
      evaluationMs: 1,
      ruleCount: 3,
      samples: 5,
      missed: 0,
      errors: error === undefined ? [] : [{ rule: 'r', ruleKey: 'r', during: 'query', message: error }],
    })),
  })

  test('are told when they did something, with what went wrong', async () => {
    const { tracing } = await start()
    const step = (groups: number, error?: string) =>
      tracedStep(tracing, 'evaluate rules', () => Promise.resolve(report(groups, error)), evaluationOutcome)
    await step(0)
    await step(2)
    await step(1, 'too many samples')
    await own.stop()
    expect(sink.spans.map(({ attributes, status }) => ({ attributes, status }))).toEqual([
      { attributes: { 'daytwo.rule_groups': 2, 'daytwo.rules': 6, 'daytwo.samples': 10 }, status: { code: 0 } },
      {
        attributes: { 'daytwo.rule_groups': 1, 'daytwo.rules': 3, 'daytwo.samples': 5 },
        status: { code: 2, message: 'g0, r: too many samples' },
      },
    ])
  })
})
