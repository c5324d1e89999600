import { expect, test } from 'vitest'
import type { RunItem, SizeClassItem } from '../../../src/contract/fleet-edges.ts'
import { durationScatter, sizeWords, durationScale } from '../../../src/web/lib/duration-scatter.ts'

function run(id: string, nodes: number | null, seconds: number, finished = true): RunItem {
  const edge = { operator: 'kubevirt', from: '1', to: '2' } as const
  return { id, cluster: id, ...edge, nodes, startedAt: null, seconds, finished }
}

const CLASS: SizeClassItem = {
  ...{ fromNodes: 4, toNodes: 10, runs: 3, censored: 0, p50Seconds: 600 },
  ...{ p90Seconds: null, p95Seconds: null, p50LowSeconds: null, p50HighSeconds: null },
}

test('larger stands further to the right, longer higher, by powers; of unknown size none stands', () => {
  const drawn = durationScatter(
    [run('a', 1, 60), run('b', 10, 600, false), run('c', 100, 6000), run('d', null, 9)],
    [],
  )!
  const [a, b, c] = drawn.points
  expect(drawn.unsized).toBe(1)
  expect([a!.x < b!.x, b!.x < c!.x, a!.y > b!.y, b!.y > c!.y]).toEqual([true, true, true, true])
  expect(b!.x - a!.x).toBeCloseTo(c!.x - b!.x, 10)
  expect(drawn.points.map(({ text }) => text)).toEqual([
    'a: 1 node, 1 min',
    'b: 10 nodes, ≥ 10 min',
    'c: 100 nodes, 1 h 40 min',
  ])
  expect(drawn.xTicks.map(({ text }) => text)).toEqual(['1', '3', '10', '30', '100'])
  expect(drawn.yTicks.map(({ text }) => text)).toEqual(['1 min', '5 min', '15 min', '1 h'])
  expect(durationScatter([run('d', null, 9)], [])).toBeUndefined()
})

test('everything stands inside, medians as wide as their classes', () => {
  const open: SizeClassItem = { ...CLASS, fromNodes: 301, toNodes: null }
  const unknown: SizeClassItem = { ...CLASS, fromNodes: null, toNodes: null }
  const drawn = durationScatter([run('a', 5, 0), run('b', 400, 700)], [CLASS, open, unknown])!
  expect(drawn.medians.map(({ text }) => text)).toEqual([
    'median of 3 upgrades on 4 to 10 nodes: 10 min',
    'median of 3 upgrades on more than 300 nodes: 10 min',
  ])
  for (const { x1, x2, y } of drawn.medians) {
    expect([x1 >= 0, x1 < x2, x2 <= 1, y >= 0, y <= 1]).toEqual([true, true, true, true, true])
  }
  for (const { x, y } of drawn.points) expect([x > 0, x < 1, y > 0, y < 1]).toEqual([true, true, true, true])
  // One point alone has room on every side.
  expect(durationScatter([run('a', 7, 60)], [])!.points[0]).toMatchObject({ x: 0.5, y: 0.5 })
  expect(sizeWords(unknown)).toBe('size not known')
})

test('durations stand between the shortest and the longest, and what took no time below them', () => {
  const scale = durationScale([0, 1e9, 1e6, 0])
  expect([scale.shortestNs, scale.longestNs, scale.shareOf(0)]).toEqual([1e6, 1e9, 0])
  expect(scale.shareOf(1e6)).toBeCloseTo(0.1 / 3.2)
  expect(scale.shareOf(1e9)).toBeCloseTo(3.1 / 3.2)
  expect(scale.shareOf(1e12)).toBe(1)
})

test('where nothing took any time, or nothing is there, all stand at the bottom', () => {
  for (const durations of [[], [0, 0]]) {
    const scale = durationScale(durations)
    expect([scale.shareOf(0), scale.shortestNs, scale.longestNs]).toEqual([0, 1, 1])
  }
})
