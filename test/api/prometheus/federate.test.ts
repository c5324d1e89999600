import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { federateOver } from '../../../src/api/prometheus/federate.ts'
import { Labels } from '../../../src/model/labels.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../../support/memory-queryable.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

let server: TestServer
beforeAll(async () => {
  const queryable = new MemoryQueryable()
  const add = (labels: Record<string, string>, agoMs: number, value: number): void => {
    queryable.append(Labels.of(labels), NOW_MS - agoMs, value)
  }
  add({ __name__: 'up', instance: 'i1', job: 'a' }, 60_000, 0)
  add({ __name__: 'up', instance: 'i1', job: 'a' }, 30_000, 1)
  add({ __name__: 'up', job: 'b' }, 15_000, 1)
  add({ __name__: 'at_the_edge', instance: 'i' }, 300_000, 1)
  add({ __name__: 'too_old', instance: 'i' }, 300_001, 1)
  add({ __name__: 'from_tomorrow', instance: 'i' }, -1, 1)
  add({ __name__: 'my.metric', instance: 'i', 'a.b': 'x' }, 0, 1_500_000)
  add({ __name__: 'ended', instance: 'i' }, 60_000, 1)
  queryable.appendStale(Labels.of({ __name__: 'ended', instance: 'i' }), NOW_MS - 30_000)
  add({ nameless: 'yes', instance: 'i' }, 0, 1)
  const options = { ...DEFAULT_ENGINE_OPTIONS, samplesMax: 1000 }
  const engine = createLocalEngine({ queryable, options, nowMs: () => 0 })
  server = await makeServer({
    federate: federateOver(engine, 1_000_000),
  })
})
afterAll(() => server.app.close())

const federate = async (matches: readonly string[], accept?: string) => {
  const search = new URLSearchParams(matches.map((match): [string, string] => ['match[]', match])).toString()
  const answer = await server.app.inject({
    url: `/federate?${search}`,
    headers: accept === undefined ? {} : { accept },
  })
  return { status: answer.statusCode, type: answer.headers['content-type'], body: answer.body }
}
const TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping='
const at = (agoMs: number): string => String(NOW_MS - agoMs)

describe('/federate', () => {
  test('the newest sample of each series, with its own time, grouped by metric', async () => {
    expect(await federate(['{job=~".+"}', 'at_the_edge', 'up'])).toEqual({
      status: 200,
      type: `${TYPE}underscores`,
      body: [
        '# TYPE at_the_edge untyped',
        `at_the_edge{instance="i"} 1 ${at(300_000)}`,
        '# TYPE up untyped',
        `up{instance="i1",job="a"} 1 ${at(30_000)}`,
        `up{job="b",instance=""} 1 ${at(15_000)}`,
        '',
      ].join('\n'),
    })
  })

  test.each([
    ['no selector', []],
    ['what is older than the lookback', ['too_old']],
    ['what is of the future', ['from_tomorrow']],
    ['a series that ended', ['ended']],
    ['a series without a name', ['{nameless="yes"}']],
  ])('%s yields nothing', async (_name, matches) => {
    expect(await federate(matches)).toEqual({ status: 200, type: `${TYPE}underscores`, body: '' })
  })

  test.each([
    ['underscores', `# TYPE my_metric untyped\nmy_metric{a_b="x",instance="i"} 1.5e+06 ${at(0)}\n`],
    ['values', `# TYPE U__my_2e_metric untyped\nU__my_2e_metric{U__a_2e_b="x",instance="i"} 1.5e+06 ${at(0)}\n`],
    ['allow-utf-8', `# TYPE "my.metric" untyped\n{"my.metric","a.b"="x",instance="i"} 1.5e+06 ${at(0)}\n`],
  ])('names of any text, escaped as %s', async (escaping, body) => {
    const accept = `text/plain;version=0.0.4;escaping=${escaping}`
    expect(await federate(['{"a.b"="x"}'], accept)).toEqual({ status: 200, type: `${TYPE}${escaping}`, body })
  })

  test('a bad selector is 400 as text', async () => {
    const { status, type, body } = await federate(['up{'])
    expect([status, type]).toEqual([400, 'text/plain; charset=utf-8'])
    expect(body).toMatch(/^1:\d+: parse error: /)
  })
})
