import { expect, test } from 'vitest'
import { joinObservations } from '../../src/model/joined-observations.ts'
import type { MetricRun } from '../../src/model/observation.ts'

const HOUR = 3_600_000

function run(version: string, firstMs: number, lastMs: number, more: Partial<MetricRun> = {}): MetricRun {
  return { cluster: 'lab', signal: 'csv_succeeded', labels: { version }, value: 1, firstMs, lastMs, ...more }
}

function joined(one: readonly MetricRun[], other: readonly MetricRun[]): readonly string[] {
  const part = (metrics: readonly MetricRun[]) => ({ cluster: 'lab', objects: [], absences: [], metrics })
  return joinObservations(part(one), part(other)).metrics.map(({ labels, beforeMs, firstMs, lastMs, afterMs }) => {
    const ends = [beforeMs, firstMs, lastMs, afterMs].map((ms) => (ms === undefined ? '-' : String(ms / HOUR)))
    return `${labels['version'] ?? ''}: ${ends.join(' ')}`
  })
}

test('runs that stopped under one name end, or continue, where those of the other begin', () => {
  const old = [run('1.15.0', 0, HOUR, { afterMs: 2 * HOUR }), run('1.16.0', 2 * HOUR, 5 * HOUR)]
  const expected = ['1.15.0: - 0 1 2', '1.16.0: - 2 5 6', '1.16.0: 5 6 9 -']
  expect(joined(old, [run('1.16.0', 6 * HOUR, 9 * HOUR)])).toEqual(expected)
  expect([...joined([run('1.16.0', 6 * HOUR, 9 * HOUR)], old)].sort()).toEqual([...expected].sort())
})

test('an open run reaches the newest sample that is known under its name', () => {
  const old = [run('1.15.0', 0, HOUR), run('1.16.0', 2 * HOUR, 2 * HOUR)]
  expect(joined(old, [run('1.16.0', 3 * HOUR, 3 * HOUR)])).toEqual([
    '1.15.0: - 0 2 3',
    '1.16.0: - 2 2 3',
    '1.16.0: 2 3 3 -',
  ])
})

test('both names that report at once stay as they are, until one of them is over for two hours', () => {
  const [one, other] = [[run('1.16.0', 0, 5 * HOUR)], (lastMs: number) => [run('1.17.0', HOUR, lastMs)]]
  expect(joined(one, other(7 * HOUR))).toEqual(['1.16.0: - 0 5 -', '1.17.0: - 1 7 -'])
  expect(joined(one, other(7 * HOUR + 1))[0]).toMatch(/^1.16.0: - 0 5 7/)
})

test('a run that began after the other name ended, and knows the scrape before, keeps it', () => {
  const old = [run('1.16.0', 0, HOUR, { afterMs: 2 * HOUR })]
  expect(joined(old, [run('1.17.0', 4 * HOUR, 5 * HOUR, { beforeMs: 3 * HOUR })])[1]).toBe('1.17.0: 3 4 5 -')
  expect(joined(old, [run('1.17.0', 2 * HOUR, 5 * HOUR)])[1]).toBe('1.17.0: - 2 5 -')
  expect(joined(old, [])).toEqual(['1.16.0: - 0 1 2'])
})

test('the last report of objects is that of the later one', () => {
  const part = (objectsLastSeenMs?: number) => ({
    ...{ cluster: 'lab', objects: [], absences: [], metrics: [] },
    ...(objectsLastSeenMs === undefined ? {} : { objectsLastSeenMs }),
  })
  expect(joinObservations(part(5), part(7)).objectsLastSeenMs).toBe(7)
  expect(joinObservations(part(7), part()).objectsLastSeenMs).toBe(7)
  expect(joinObservations(part(), part())).not.toHaveProperty('objectsLastSeenMs')
})
