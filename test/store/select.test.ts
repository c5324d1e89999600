import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { compileMatcher, type Matcher, type MatchOp } from '../../src/model/matcher.ts'
import { Labels } from '../../src/model/labels.ts'
import { RegexError } from '../../src/model/regex.ts'
import { intersect, subtract, unite } from '../../src/store/index/sorted-refs.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from './temp-store.ts'
import { listed } from '../support/portions.ts'

const SERIES: readonly Readonly<Record<string, string>>[] = [
  { __name__: 'up', cluster: 'a', job: 'virt-api' },
  { __name__: 'up', cluster: 'b', job: 'virt-api' },
  { __name__: 'up', cluster: 'b', job: 'virt-handler', node: 'n1' },
  { __name__: 'kubevirt_info', cluster: 'a', version: 'v1.6.0' },
  { __name__: 'kubevirt_info', cluster: 'c', version: 'v1.7.0\n' },
  { __name__: 'odd', 'a.b': 'ü 🎈', nul: 'x\u0000y' },
]
const ALL = { fromMs: -Infinity, toMs: Infinity }

/** `name op value` three by three. */
function matchers(...parts: readonly string[]): Matcher[] {
  const list: Matcher[] = []
  for (let i = 0; i < parts.length; i += 3) {
    list.push({ name: parts[i]!, op: parts[i + 1] as MatchOp, value: parts[i + 2]! })
  }
  return list
}

let store: TempStore

beforeEach(async () => {
  store = new TempStore()
  for (const labels of SERIES) store.writer.appender.append(store.resolve(labels), NOW_MS, 1)
  await store.writer.appender.commit()
})

describe('select', () => {
  test.each([
    ['all', [], [0, 1, 2, 3, 4, 5]],
    ['one name', ['__name__', '=', 'up'], [0, 1, 2]],
    ['two labels', ['__name__', '=', 'up', 'cluster', '=', 'b'], [1, 2]],
    ['a value nobody has', ['cluster', '=', 'z'], []],
    ['a label nobody has', ['zone', '=', 'z'], []],
    ['not equal', ['__name__', '=', 'up', 'cluster', '!=', 'b'], [0]],
    ['not equal takes absent labels', ['cluster', '!=', 'b'], [0, 3, 4, 5]],
    ['absent', ['node', '=', '', '__name__', '=', 'up'], [0, 1]],
    ['present', ['node', '!=', ''], [2]],
    ['a regex', ['cluster', '=~', 'a|c'], [0, 3, 4]],
    ['a regex is anchored', ['job', '=~', 'virt'], []],
    ['a regex that takes the empty text takes absent labels', ['node', '=~', '|n1', '__name__', '=', 'up'], [0, 1, 2]],
    ['a regex with a dot takes newlines', ['version', '=~', 'v1.7.*'], [4]],
    ['not a regex', ['job', '!~', '.*handler', '__name__', '=', 'up'], [0, 1]],
    ['not a regex of the empty text: present', ['version', '!~', ''], [3, 4]],
    ['anything present', ['node', '=~', '.+'], [2]],
    ['anything at all', ['node', '=~', '.*', '__name__', '=', 'kubevirt_info'], [3, 4]],
    ['names and values beyond ASCII', ['a.b', '=', 'ü 🎈'], [5]],
    ['a value with a NUL', ['nul', '=', 'x\u0000y'], [5]],
  ])('%s', async (_name, parts, expected) => {
    const wanted = expected.map((i) => Labels.of(SERIES[i]!).key).sort()
    const got = (): string[] =>
      store.reader
        .select({ matchers: matchers(...parts), ...ALL, maxSamples: 100 })
        .map((series) => series.labels.key)
        .sort()
    expect(got()).toEqual(wanted)
    // The same from the disk.
    await store.reopen()
    expect(got()).toEqual(wanted)
  })

  test('any matchers select what a scan over all label sets would', async () => {
    const parts = fc.constantFrom('a', 'b', 'c', '', 'virt-api', 'v1.6.0', 'a|b', '.*', '.+', '(a|)', '[^a]')
    const matcher = fc.record({
      name: fc.constantFrom('cluster', 'job', 'version', 'node', '__name__'),
      op: fc.constantFrom<MatchOp>('=', '!=', '=~', '!~'),
      value: parts,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(matcher, { maxLength: 4 }), (list) => {
        const expected = SERIES.map((labels) => Labels.of(labels))
          .filter((labels) => list.every((one) => compileMatcher(one)(labels.get(one.name))))
          .map((labels) => labels.key)
        const got = store.reader.select({ matchers: list, ...ALL, maxSamples: 100 }).map((series) => series.labels.key)
        expect(got.sort()).toEqual(expected.sort())
        return Promise.resolve()
      }),
      { seed: 7, numRuns: 200 },
    )
  })

  test.each([
    ['a few series', 5],
    ['very many series', 5000],
  ])('what was asked before finds %s that appear later', async (_name, count) => {
    const asked = matchers('__name__', '=', 'up', 'job', '!=', 'virt-handler', 'cluster', '=~', '.+')
    const found = (): number => store.reader.select({ matchers: asked, ...ALL, maxSamples: 100_000 }).length
    expect(found()).toBe(2)
    for (let i = 0; i < count; i++) {
      for (const job of ['virt-api', 'virt-handler', 'other']) {
        store.writer.appender.append(store.resolve({ __name__: 'up', cluster: `new-${i}`, job }), NOW_MS, 1)
      }
      store.writer.appender.append(store.resolve({ __name__: 'down', cluster: `new-${i}` }), NOW_MS, 1)
    }
    await store.writer.appender.commit()
    expect(found()).toBe(2 + 2 * count)
    expect(found()).toBe(2 + 2 * count)
  })

  test('what was asked before leaves out series that went', async () => {
    const asked = matchers('cluster', '=', 'a')
    const found = (): readonly string[] =>
      store.reader
        .select({ matchers: asked, ...ALL, maxSamples: 100 })
        .map((series) => series.labels.metricName)
        .sort()
    expect(found()).toEqual(['kubevirt_info', 'up'])
    // Past the retention of the last rollups.
    const later = NOW_MS + 6 * 365 * 24 * HOUR_MS
    store.writer.appender.append(store.resolve({ __name__: 'up', cluster: 'a', job: 'virt-api' }), later, 1)
    await store.writer.maintain(later)
    await store.writer.maintain(later + 5 * HOUR_MS)
    expect(found()).toEqual(['up'])
  })

  test('a regex that RE2 has not is refused', () => {
    const bad = { matchers: matchers('cluster', '=~', '(?=a)'), ...ALL, maxSamples: 10 }
    expect(() => store.reader.select(bad)).toThrow(RegexError)
  })

  test('more samples than allowed is a failure that names the limit', async () => {
    const request = { matchers: [], ...ALL, maxSamples: 5 }
    expect(() => store.reader.select(request)).toThrow(
      expect.objectContaining({ code: 'query_limit', message: 'the query reads more than 5 samples' }),
    )
    await store.writer.maintain(NOW_MS + 5 * HOUR_MS)
    expect(() => store.reader.select(request)).toThrow(expect.objectContaining({ code: 'query_limit' }))
    expect(store.reader.select({ ...request, maxSamples: 6 })).toHaveLength(6)
  })

  test('both ends of the range are inside', async () => {
    const ref = store.resolve({ __name__: 'ramp' })
    for (let i = 0; i < 10; i++) store.writer.appender.append(ref, NOW_MS + i * MINUTE_MS, i < 5 ? 1 : i)
    await store.writer.appender.commit()
    const times = (fromMinute: number, toMinute: number): number[] => {
      const range = { fromMs: NOW_MS + fromMinute * MINUTE_MS, toMs: NOW_MS + toMinute * MINUTE_MS }
      const [series] = store.reader.select({ matchers: matchers('__name__', '=', 'ramp'), ...range, maxSamples: 100 })
      return series === undefined ? [] : [...series.timesMs].map((timeMs) => (timeMs - NOW_MS) / MINUTE_MS)
    }
    const check = (): void => {
      expect(times(2, 6)).toEqual([2, 3, 4, 5, 6])
      expect(times(2.5, 5.5)).toEqual([3, 4, 5])
      expect(times(1.2, 1.8)).toEqual([])
      expect(times(-5, -1)).toEqual([])
      expect(times(9, 99)).toEqual([9])
      expect(times(9.1, 99)).toEqual([])
    }
    check()
    await store.writer.maintain(NOW_MS + 5 * HOUR_MS)
    expect(store.writer.stats().headSamples).toBe(0)
    check()
  })

  test('chunks of several flushes and the head are one series', async () => {
    const ref = store.resolve({ __name__: 'long' })
    const expected: number[] = []
    for (let hour = 0; hour < 24; hour++) {
      for (let minute = 0; minute < 60; minute += 5) {
        const timeMs = NOW_MS + hour * HOUR_MS + minute * MINUTE_MS
        store.writer.appender.append(ref, timeMs, hour % 3 === 0 ? 1 : minute)
        expected.push(timeMs)
      }
      await store.writer.maintain(NOW_MS + (hour + 1) * HOUR_MS)
    }
    await store.writer.appender.commit()
    expect(store.writer.stats().flushesDone).toBeGreaterThan(8)
    expect(store.all()['long']!.map(([timeMs]) => timeMs)).toEqual(expected)
    const few = store.reader.select({
      matchers: matchers('__name__', '=', 'long'),
      fromMs: NOW_MS + 90 * MINUTE_MS,
      toMs: NOW_MS + 23.5 * HOUR_MS,
      maxSamples: 1000,
    })
    expect([...few[0]!.timesMs]).toEqual(
      expected.filter((timeMs) => timeMs >= NOW_MS + 90 * MINUTE_MS && timeMs <= NOW_MS + 23.5 * HOUR_MS),
    )
  })
})

describe('labels', () => {
  test('names and values are sorted, of matching series, and without repeats', () => {
    expect(listed(store.reader.labelNames([], ALL))).toEqual([
      '__name__',
      'a.b',
      'cluster',
      'job',
      'node',
      'nul',
      'version',
    ])
    expect(listed(store.reader.labelNames(matchers('cluster', '=', 'a'), ALL))).toEqual([
      '__name__',
      'cluster',
      'job',
      'version',
    ])
    expect(listed(store.reader.labelValues('cluster', [], ALL))).toEqual(['a', 'b', 'c'])
    expect(listed(store.reader.labelValues('cluster', matchers('__name__', '=', 'up'), ALL))).toEqual(['a', 'b'])
    expect(listed(store.reader.labelValues('zone', [], ALL))).toEqual([])
    const versioned = [...store.reader.series(matchers('version', '!=', ''), ALL)].flat()
    expect(versioned.map((labels) => labels.get('cluster'))).toEqual(['a', 'c'])
  })

  test('only series with a sample in the range count, in the head and in chunks', async () => {
    const early = store.resolve({ __name__: 'early' })
    const gap = store.resolve({ __name__: 'gap' })
    store.writer.appender.append(early, NOW_MS - 3 * HOUR_MS, 1)
    store.writer.appender.append(gap, NOW_MS - 3 * HOUR_MS, 1)
    store.writer.appender.append(gap, NOW_MS, 1)
    await store.writer.appender.commit()
    const names = (fromMs: number, toMs: number): readonly string[] =>
      listed(store.reader.labelValues('__name__', matchers('__name__', '=~', 'early|gap'), { fromMs, toMs }))
    const check = (): void => {
      expect(names(NOW_MS - 4 * HOUR_MS, NOW_MS - 2 * HOUR_MS)).toEqual(['early', 'gap'])
      expect(names(NOW_MS - HOUR_MS, NOW_MS)).toEqual(['gap'])
      expect(names(NOW_MS - 2 * HOUR_MS, NOW_MS - HOUR_MS)).toEqual([])
      expect(names(NOW_MS + 1, NOW_MS + HOUR_MS)).toEqual([])
    }
    check()
    await store.writer.maintain(NOW_MS + 5 * HOUR_MS)
    expect(store.writer.stats().headSamples).toBe(0)
    check()
  })
})

test('sets of refs do what sets do', () => {
  const refs = fc.uniqueArray(fc.integer({ min: 0, max: 300 })).map((list) => Uint32Array.from(list).sort())
  fc.assert(
    fc.property(refs, refs, (a, b) => {
      const inB = new Set(b)
      expect([...intersect(a, b)]).toEqual([...a].filter((ref) => inB.has(ref)))
      expect([...subtract(a, b)]).toEqual([...a].filter((ref) => !inB.has(ref)))
      expect([...unite([a, b])]).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y))
    }),
  )
})
