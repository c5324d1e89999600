import { expect, test } from 'vitest'
import { createRequestLog, LINE_BYTES_MAX, LINES_PER_MINUTE } from '../../../src/api/server/request-log.ts'
import { FleetError } from '../../../src/base/errors.ts'
import { createLog } from '../../../src/base/log.ts'
import { createOwnMetrics } from '../../../src/base/metrics.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { makeServer, NOW_MS } from '../test-server.ts'

interface Line {
  readonly msg: string
  readonly route?: string
}

function linesOf() {
  const lines: string[] = []
  const log = createLog('debug', { write: (line) => lines.push(line) })
  return { lines, log, read: () => lines.map((line) => JSON.parse(line) as Line) }
}

test('lines of one kind are limited in a minute, those of another kind beside them, and the rest is counted', async () => {
  const { lines, log, read } = linesOf()
  const metrics = createOwnMetrics('1')
  const clock = new FakeClock(NOW_MS)
  const limited = createRequestLog(log, clock, metrics)
  for (let i = 0; i < 1000; i++) limited.warn({ route: '/a', code: 'overloaded' }, 'not answered')
  expect(lines).toHaveLength(LINES_PER_MINUTE)
  limited.warn({ route: '/b', code: 'overloaded' }, 'not answered')
  limited.warn({ route: '/a', code: 'storage_full' }, 'not answered')
  limited.child({ part: 'x' }).error({ route: '/a', code: 'overloaded' }, 'failed')
  limited.child({ part: 'x' }).error({ route: '/a', code: 'overloaded' }, 'not answered')
  expect(read().slice(LINES_PER_MINUTE)).toMatchObject([{ route: '/b' }, { code: 'storage_full' }, { part: 'x' }])
  expect(await metrics.registry.getSingleMetricAsString('daytwo_request_log_lines_suppressed_total')).toContain(
    'daytwo_request_log_lines_suppressed_total{line="not answered"} 991',
  )
  clock.advance(60_000)
  limited.warn({ route: '/a', code: 'overloaded' }, 'not answered')
  expect(lines).toHaveLength(LINES_PER_MINUTE + 4)
})

test('a line is cut, and secrets stay out of it', () => {
  const { lines, log } = linesOf()
  const limited = createRequestLog(log, new FakeClock(NOW_MS), createOwnMetrics('1'))
  limited.debug({ token: 'secret', text: 'x'.repeat(10 * LINE_BYTES_MAX) }, 'a sentence')
  expect(lines[0]!.length).toBeLessThan(LINE_BYTES_MAX + 300)
  expect(lines[0]).not.toContain('secret')
  expect(lines[0]).toContain('a sentence')
})

test('refused requests of an overloaded server have no stack, and few lines', async () => {
  const { lines, log, read } = linesOf()
  const server = await makeServer({ log })
  server.engine.failure = new FleetError('overloaded', 'too many queries', { hint: 'later' })
  for (let i = 0; i < 50; i++) {
    expect((await server.app.inject('/api/v1/query?query=1')).statusCode).toBe(503)
  }
  expect(lines).toHaveLength(LINES_PER_MINUTE)
  expect(read()[0]).toMatchObject({ route: '/api/v1/query', code: 'overloaded', error: 'too many queries (later)' })
  expect(lines.join('')).not.toContain('    at ')
  await server.app.close()
})

test('a bug has its stack, also from a request with a huge message', async () => {
  const { lines, log } = linesOf()
  const server = await makeServer({ log })
  server.engine.failure = new TypeError('x'.repeat(100_000))
  expect((await server.app.inject('/api/v1/query?query=1')).statusCode).toBe(500)
  expect(lines[0]!.length).toBeLessThan(LINE_BYTES_MAX + 300)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    err: { type: 'TypeError', stack: expect.stringContaining('request-log.test') as string },
  })
  await server.app.close()
})
