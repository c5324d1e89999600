import { describe, expect, test } from 'vitest'
import { escapeName, negotiateEscaping, sampleLine, typeLine } from '../../../src/api/prometheus/exposition.ts'

describe('escapeName', () => {
  // The examples of Prometheus' own documentation and tests of name escaping.
  test.each([
    ['no:escaping_required', 'no:escaping_required', 'no:escaping__required', 'no:escaping_required'],
    [
      'mysystem.prod.west.cpu.load',
      'mysystem_prod_west_cpu_load',
      'mysystem_dot_prod_dot_west_dot_cpu_dot_load',
      'U__mysystem_2e_prod_2e_west_2e_cpu_2e_load',
    ],
    ['http.status:sum', 'http_status:sum', 'http_dot_status:sum', 'U__http_2e_status:sum'],
    ['label with 😱', 'label_with__', 'label__with____', 'U__label_20_with_20__1f631_'],
    ['0abc', '_abc', '__abc', 'U___30_abc'],
    ['', '', '', ''],
  ])('%j', (name, underscores, dots, values) => {
    expect([
      escapeName(name, 'underscores'),
      escapeName(name, 'dots'),
      escapeName(name, 'values'),
      escapeName(name, 'allow-utf-8'),
    ]).toEqual([underscores, dots, values, name])
  })
})

test.each([
  [undefined, 'underscores'],
  ['*/*', 'underscores'],
  ['text/plain;version=0.0.4;escaping=dots', 'dots'],
  ['text/plain;version=0.0.4;escaping=loud', 'underscores'],
  // What Prometheus 3 sends: the escaping stands at ranges before the one that is answered.
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
    'allow-utf-8',
  ],
  ['text/plain;version=0.0.4;q=0.5,application/x;escaping=dots;q=0.1', 'underscores'],
])('Accept %j is answered with %s', (accept, escaping) => {
  expect(negotiateEscaping(accept)).toBe(escaping)
})

describe('lines', () => {
  test.each([
    ['up', [], 1, 'up 1 1787220000123\n'],
    ['up', [['job', 'a"b\\c\n']], NaN, 'up{job="a\\"b\\\\c\\n"} NaN 1787220000123\n'],
    ['my.metric', [], 1e6, '{"my.metric"} 1e+06 1787220000123\n'],
    ['my.metric', [['a.b', 'x']], -Infinity, '{"my.metric","a.b"="x"} -Inf 1787220000123\n'],
    ['up', [['job', 'a']], 123456.789, 'up{job="a"} 123456.789 1787220000123\n'],
    ['up', [['job', 'a']], 0.00001, 'up{job="a"} 1e-05 1787220000123\n'],
  ] as const)('%s%j %d', (metric, labels, value, line) => {
    expect(sampleLine(metric, labels, value, 1_787_220_000_123)).toBe(line)
  })

  test('a type', () => {
    expect(typeLine('up') + typeLine('my.metric')).toBe('# TYPE up untyped\n# TYPE "my.metric" untyped\n')
  })
})
