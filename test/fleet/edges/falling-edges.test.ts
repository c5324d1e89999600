import { expect, test } from 'vitest'
import { fallingEdges, LATELY_MS, type EdgeOfRuns } from '../../../src/fleet/edges/falling-edges.ts'
import type { EdgeRun } from '../../../src/fleet/edges/edges.ts'
import type { UpgradeState } from '../../../src/model/upgrade.ts'

const NOW_MS = Date.UTC(2026, 8, 30)
const BEFORE_MS = NOW_MS - LATELY_MS - 1

const runs = (state: UpgradeState, count: number, lastMs = NOW_MS): EdgeRun[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `u-${i}`,
    state,
    begunMs: lastMs,
    lastMs,
    phases: { names: [], areFinished: [] },
    phaseSeconds: [],
  }))

const edge = (from: string, to: string, ...of: readonly EdgeRun[][]): EdgeOfRuns => ({
  name: { operator: 'kubevirt-hyperconverged', from, to },
  runs: of.flat(),
})

test('fewer than before on the same edge', () => {
  const found = fallingEdges(
    [
      edge(
        '1.16.0',
        '1.17.0',
        runs('succeeded', 38, BEFORE_MS),
        runs('failed', 2, BEFORE_MS),
        runs('succeeded', 6),
        runs('failed', 4),
        runs('rolled_back', 2),
      ),
    ],
    NOW_MS,
  )
  expect(found).toMatchObject([
    {
      from: '1.16.0',
      to: '1.17.0',
      against: 'before',
      lately: { succeeded: 6, of: 12 },
      other: { succeeded: 38, of: 40 },
    },
  ])
  expect(found[0]!.difference.difference).toBeCloseTo(0.5 - 0.95)
  expect(found[0]!.difference.high).toBeLessThan(0)
})

test('fewer than on the other edges to the same version, taken together', () => {
  const found = fallingEdges(
    [
      edge('1.16.0', '1.17.0', runs('succeeded', 20)),
      edge('1.15.0', '1.17.0', runs('succeeded', 10)),
      edge('1.14.0', '1.17.0', runs('succeeded', 4), runs('failed', 8)),
      edge('1.14.0', '1.15.0', runs('succeeded', 50)),
    ],
    NOW_MS,
  )
  expect(found).toMatchObject([{ from: '1.14.0', against: 'other_edges', other: { succeeded: 30, of: 30 } }])
})

test('of an edge that fell both ways the larger fall is told', () => {
  const found = fallingEdges(
    [
      edge('1.16.0', '1.17.0', runs('succeeded', 30)),
      edge('1.15.0', '1.17.0', runs('succeeded', 16, BEFORE_MS), runs('failed', 4, BEFORE_MS), runs('failed', 20)),
    ],
    NOW_MS,
  )
  expect(found).toMatchObject([{ from: '1.15.0', against: 'other_edges' }])
})

test.each([
  ['fewer than ten ended lately', [runs('succeeded', 40, BEFORE_MS), runs('failed', 9)]],
  ['fewer than ten ended before', [runs('succeeded', 9, BEFORE_MS), runs('failed', 40)]],
  [
    'the interval reaches nought',
    [runs('succeeded', 19, BEFORE_MS), runs('failed', 1, BEFORE_MS), runs('succeeded', 9), runs('failed', 2)],
  ],
  ['it rises', [runs('failed', 40, BEFORE_MS), runs('succeeded', 40)]],
  [
    'what is open, lost or overtaken has not failed',
    [runs('succeeded', 40, BEFORE_MS), runs('in_progress', 20), runs('superseded', 20), runs('unknown', 20)],
  ],
])('nothing is said where %s', (_, of) => {
  expect(fallingEdges([edge('1.16.0', '1.17.0', ...of)], NOW_MS)).toEqual([])
})
