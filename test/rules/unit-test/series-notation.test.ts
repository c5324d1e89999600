import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { VALUES_MAX, readSeries, readValues } from '../../../src/rules/unit-test/series-notation.ts'
import { requirePeer } from '../../support/peers.ts'
import { tempDir } from '../../support/temp-dir.ts'

function values(text: string): unknown {
  const read = readValues(text)
  if ('error' in read) return read.error
  return read.value.map((value) => (typeof value === 'object' ? value.histogram.count : value))
}

describe('values', () => {
  test.each([
    ['', []],
    ['1 2 3', [1, 2, 3]],
    ['1x3', [1, 1, 1, 1]],
    ['1+2x3 _ 5-1x1', [1, 3, 5, 7, undefined, 5, 4]],
    ['_x2 1', [undefined, undefined, 1]],
    ['_x0 1', [1]],
    ['1 stale\t.5\n-2e1', [1, 'stale', 0.5, -20]],
    ['stale+0x2 stale-1x1', ['stale', NaN, NaN, 'stale', NaN]],
    ['Inf -inf +Inf nan 010', [Infinity, -Infinity, Infinity, NaN, 8]],
    ['{{count:1 sum:2 buckets:[1]}}+{{count:1}}x2 {{count:9}}x1', [1, 2, 3, 9, 9]],
  ])('%j', (text, wanted) => {
    expect(values(text)).toEqual(wanted)
  })

  test.each([
    ['1 gone 2', 2, 6, 'is not a number'],
    ['1 stalex3', 2, 9, 'is not a number'],
    ['stale+0', 0, 7, 'has a step but no count'],
    ['-stale+0x1', 0, 10, 'is not a number'],
    ['1e999', 0, 5, 'too large'],
    ['1+1', 0, 3, 'has a step but no count'],
    ['1,2', 0, 3, 'is not a value'],
    ['1 {{count:}}', 2, 12, 'want key:value'],
    ['{{buckets:[1 x]}}', 0, 17, 'want a list of numbers'],
    ['{{counts:1}}', 0, 12, 'unknown key counts'],
    ['{{count:1 count:1}}', 0, 19, 'repeated'],
    ['{{schema:9}}', 0, 12, 'want -4 to 8'],
    ['{{schema:-53 custom_values:[1]}}+{{count:1}}x1', 0, 46, 'cannot be combined'],
    [`1x${VALUES_MAX}`, 0, 9, 'more than'],
  ])('%j is refused at %i to %i: %s', (text, from, to, message) => {
    expect(values(text)).toEqual({ from, to, message: expect.stringContaining(message) as string })
  })
})

describe('series', () => {
  test.each([
    ['up', 'up'],
    ['up{job="a",}', 'up{job="a"}'],
    [String.raw`{job='a', x="\x41"}`, '{job="a", x="A"}'],
    ['{"a.b", "c d"="e"}', 'a.b{c d="e"}'],
  ])('%s', (text, wanted) => {
    const read = readSeries(text)
    expect('value' in read ? read.value.toString() : read).toBe(wanted)
  })

  test.each(['', '{}', 'up {a="b"}', 'up{a!="b"}', 'up{a="b", a="c"}', 'up{a=b}', 'up{', 'up[5m]', 'sum(up)', '1'])(
    '%j is refused',
    (text) => {
      expect(readSeries(text)).toHaveProperty('error.message')
    },
  )

  test('what a query answers may have no labels', () => {
    for (const text of ['', ' {} ']) expect(readSeries(text, true)).toHaveProperty('value.size', 0)
  })
})

test('promtool takes and refuses the same values, and they are as many and the last is the same', (context) => {
  const promtool = requirePeer('promtool', context)
  const number = fc.constantFrom(
    '1',
    '0',
    '2.5',
    '.5',
    '5.',
    '1e2',
    'Inf',
    'nan',
    '010',
    '1_0',
    '0x1',
    'stale',
    '_',
    'a',
  )
  const piece = fc.oneof(
    { weight: 3, arbitrary: number },
    fc.constantFrom('+', '-', 'x', ' ', '  ', 'x2', 'x0', '+1', '-1', '+0.5x2', ','),
  )
  const texts = fc
    .sample(
      fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
      { numRuns: 200, seed: 11 },
    )
    // promtool sees one line; without a value it would take the blank as the end of the series.
    .map((text) => `${text} 7`)
  const folder = tempDir('series-notation')
  try {
    const files = texts.map((text, i) => {
      const read = readValues(text)
      const samples =
        'value' in read ? read.value.filter((value) => value !== undefined && value !== 'stale').length : 0
      const cases = [
        { expr: 'count_over_time(m[5h])', eval_time: '4h', exp_samples: [{ labels: '{}', value: samples }] },
        { expr: 'last_over_time(m[5h])', eval_time: '4h', exp_samples: [{ labels: 'm', value: 7 }] },
      ]
      const test = { interval: '1m', input_series: [{ series: 'm', values: text }], promql_expr_test: cases }
      writeFileSync(join(folder.path, `${i}.yaml`), JSON.stringify({ evaluation_interval: '4h', tests: [test] }))
      return `${i}.yaml`
    })
    const { stdout, stderr } = spawnSync(promtool, ['test', 'rules', ...files], { cwd: folder.path, encoding: 'utf8' })
    const theirs = stdout
      .split('Unit Testing:')
      .slice(1)
      .map((part) => part.includes('SUCCESS'))
    const ours = texts.map((text) => 'value' in readValues(text))
    const different = texts.filter((_, i) => ours[i] !== theirs[i])
    expect(different, stderr.slice(0, 3000)).toEqual([])
    expect(theirs.filter(Boolean).length).toBeGreaterThan(50)
    expect(theirs.filter((isGood) => !isGood).length).toBeGreaterThan(50)
  } finally {
    folder.remove()
  }
})
