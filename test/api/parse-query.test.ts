import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { form, makeServer, type TestServer } from './test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await makeServer()
})
afterAll(() => server.app.close())

const parse = async (query: string): Promise<unknown> => {
  const answer = await server.app.inject({ method: 'POST', url: '/api/v1/parse_query', ...form([['query', query]]) })
  return answer.json()
}
const tree = async (query: string): Promise<unknown> => ((await parse(query)) as { data: unknown }).data

const selector = (name: string, matchers: readonly unknown[] = []) => ({
  type: 'vectorSelector',
  name,
  matchers: [...matchers, { name: '__name__', value: name, type: '=' }],
  offset: 0,
  timestamp: null,
  startOrEnd: null,
  anchored: false,
  smoothed: false,
})
const number = (val: string) => ({ type: 'numberLiteral', val })

describe('/api/v1/parse_query answers the tree of Prometheus’ UI', () => {
  test.each([
    ['1e6', number('1000000')],
    ['-Inf', number('-Inf')],
    ['-up', { type: 'unaryExpr', op: '-', expr: selector('up') }],
    ['5m', number('300')],
    ['"a\\n"', { type: 'stringLiteral', val: 'a\n' }],
    ['(up)', { type: 'parenExpr', expr: selector('up') }],
    [
      'up{job!~"a|b"} offset -5m @ 1.5',
      { ...selector('up', [{ name: 'job', value: 'a|b', type: '!~' }]), offset: -300_000, timestamp: 1500 },
    ],
    ['up[5m] @ end()', { ...selector('up'), type: 'matrixSelector', range: 300_000, startOrEnd: 'end' }],
    [
      'up[1h:] offset 1m',
      {
        type: 'subquery',
        expr: selector('up'),
        range: 3_600_000,
        step: 0,
        offset: 60_000,
        timestamp: null,
        startOrEnd: null,
      },
    ],
    [
      'round(up, 5)',
      {
        type: 'call',
        func: { name: 'round', argTypes: ['vector', 'scalar'], variadic: 1, returnType: 'vector' },
        args: [selector('up'), number('5')],
      },
    ],
    [
      'topk without (a, b) (3, up)',
      {
        type: 'aggregation',
        op: 'topk',
        expr: selector('up'),
        param: number('3'),
        grouping: ['a', 'b'],
        without: true,
      },
    ],
    ['sum(up)', { type: 'aggregation', op: 'sum', expr: selector('up'), param: null, grouping: [], without: false }],
    ['up > bool 1', { type: 'binaryExpr', op: '>', lhs: selector('up'), rhs: number('1'), matching: null, bool: true }],
    [
      'a * on (x) group_left (y) b',
      {
        type: 'binaryExpr',
        op: '*',
        lhs: selector('a'),
        rhs: selector('b'),
        matching: {
          card: 'many-to-one',
          labels: ['x'],
          on: true,
          include: ['y'],
          fillValues: { lhs: null, rhs: null },
        },
        bool: false,
      },
    ],
    [
      'a and b',
      {
        type: 'binaryExpr',
        op: 'and',
        lhs: selector('a'),
        rhs: selector('b'),
        matching: { card: 'many-to-many', labels: [], on: false, include: [], fillValues: { lhs: null, rhs: null } },
        bool: false,
      },
    ],
  ])('%s', async (query, want) => {
    expect(await tree(query)).toEqual(want)
  })

  test('by GET too, and an error as of a query', async () => {
    const answer = await server.app.inject('/api/v1/parse_query?query=1')
    expect(answer.json()).toEqual({ status: 'success', data: number('1') })
    expect(await parse('up{')).toMatchObject({
      status: 'error',
      errorType: 'bad_data',
      error: expect.stringMatching(/^invalid parameter "query": 1:\d+: parse error: /) as unknown,
    })
  })
})
