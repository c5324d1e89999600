import { expect, test } from 'vitest'
import { durationRuns, medianRun, type DurationRun } from '../../../src/fleet/edges/duration-runs.ts'
import { createEdgeIndex } from '../../../src/fleet/edges/edge-index.ts'
import { phase, recordOf } from '../edge-script.ts'

const NAME = { operator: 'kubevirt-hyperconverged', from: '1.16.0', to: '1.17.0' }

function ran(id: string, seconds: number, nodes?: number, more: Partial<DurationRun> = {}): DurationRun {
  const base = { id, cluster: id, name: NAME, seconds, isFinished: true, startedMs: seconds, ...more }
  return nodes === undefined ? base : { ...base, nodes }
}

test('classes of sizes have their bounds, their medians and their counts; empty ones are left out', () => {
  const { classes, total } = durationRuns(
    [
      ran('a', 60, 1),
      ran('b', 120, 3),
      ran('c', 600, 4),
      ran('d', 900, 301),
      ran('e', 30, 301, { isFinished: false }),
      ran('f', 10),
    ],
    100,
  )
  expect(total).toBe(6)
  expect(
    classes.map(({ fromNodes, toNodes, runs, censored, p50Seconds }) => [
      fromNodes,
      toNodes,
      runs,
      censored,
      p50Seconds,
    ]),
  ).toEqual([
    [1, 3, 2, 0, 60],
    [4, 10, 1, 0, 600],
    [301, undefined, 2, 1, 900],
    [undefined, undefined, 1, 0, 10],
  ])
})

test('the newest runs are shown, and all of them count', () => {
  const all = [1, 5, 3, 4, 2].map((seconds) => ran(`u-${seconds}`, seconds, 10))
  const { runs, total, classes } = durationRuns(all, 2)
  expect([runs.map(({ id }) => id), total, classes[0]?.runs]).toEqual([['u-5', 'u-4'], 5, 5])
})

test('the median run is a finished one nearest to the median', () => {
  const open = ran('open', 50, 3, { isFinished: false })
  expect(medianRun([open])).toBeUndefined()
  expect(medianRun([ran('a', 10), ran('b', 40), ran('c', 1000), open])?.id).toBe('b')
  // At a tie the newer one.
  expect(medianRun([ran('old', 40, 1, { startedMs: 1 }), ran('new', 40, 1, { startedMs: 2 })])?.id).toBe('new')
})

test('an index tells runs of an edge as a whole or of a phase, since a time, and the median one beside another', () => {
  const index = createEdgeIndex()
  const record = (cluster: string, startMinute: number, minutes: number, nodes?: number) =>
    recordOf({
      ...{ cluster, id: `u-${cluster}`, startMinute, endMinute: startMinute + minutes },
      phases: [phase('olm', startMinute, startMinute + 1)],
      ...(nodes === undefined ? {} : { nodes }),
    })
  index.put('fra-1', [record('fra-1', 0, 10, 3)])
  index.put('prg-2', [record('prg-2', 5, 30)])
  index.put('bud-3', [record('bud-3', 7, 12, 50), recordOf({ cluster: 'bud-3', from: '1.1.0', startMinute: 0 })])
  const told = (query: object): readonly string[] =>
    index.lengths({ ...NAME, limit: 10, ...query }).runs.map((run) => `${run.cluster} ${run.nodes} ${run.seconds / 60}`)
  expect(told({})).toEqual(['bud-3 50 12', 'prg-2 undefined 30', 'fra-1 3 10'])
  expect(told({ phase: 'olm' })).toEqual(['bud-3 50 1', 'prg-2 undefined 1', 'fra-1 3 1'])
  expect(told({ phase: 'settle' })).toEqual([])
  expect(told({ sinceMs: Date.UTC(2026, 8, 1, 10, 6) })).toEqual(['bud-3 50 12'])
  expect(index.medianRun(NAME, 'u-bud-3')?.id).toBe('u-fra-1')
  expect(index.medianRun({ ...NAME, to: '9.9.9' }, '')).toBeUndefined()
})
