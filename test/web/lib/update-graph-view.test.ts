import { describe, expect, test } from 'vitest'
import type { GraphEdgeItem, GraphVersionItem } from '../../../src/contract/update-graph.ts'
import { drawingOf, NODE, pathSentence, updatesFrom, versionMarks } from '../../../src/web/lib/update-graph-view.ts'

const version = (name: string, more: Partial<GraphVersionItem> = {}): GraphVersionItem => ({
  ...{ version: name, channels: ['stable'], deprecated: null, maxOpenShiftVersion: null, clusters: 0 },
  ...{ inGraph: true, deadEnd: false, stranded: null, verdict: null },
  ...more,
})
const edge = (from: string, to: string): GraphEdgeItem => ({
  ...{ from, to, via: 'graph', channels: ['stable'], risks: [], attempts: 0, success: null },
})
const PATH = { from: '1.0.0', to: '1.2.0', cluster: null, channel: null, recommended: true, inChannel: false }
const step = (from: string, to: string) => ({ from, to, via: 'graph' as const, channels: [], risks: [] })

describe('the drawing of the update graph', () => {
  test('a column for each minor, the newest at the right and below', () => {
    const { versions } = drawingOf({
      versions: ['1.1.1', '1.0.0', '1.1.0'].map((name) => version(name)),
      edges: [],
      path: null,
    })
    expect(versions.map(({ item, x, y }) => [item.version, x, y])).toEqual([
      ['1.0.0', 8, 8],
      ['1.1.0', 8 + NODE.width + 40, 8],
      ['1.1.1', 8 + NODE.width + 40, 8 + NODE.height + 14],
    ])
  })

  test('draws the newest update within a minor and into the next, and the path', () => {
    const names = ['1.0.0', '1.0.1', '1.0.2', '1.1.0', '1.1.1', '1.2.0']
    const edges = names.flatMap((from, i) => names.slice(i + 1).map((to) => edge(from, to)))
    const shown = (path: Parameters<typeof drawingOf>[0]['path']): string[] =>
      drawingOf({ versions: names.map((name) => version(name)), edges, path }).updates.map(
        (one) => `${one.edge.from} ${one.edge.to}${one.isOnPath ? '!' : ''}`,
      )
    const all = [
      '1.0.0 1.0.2',
      '1.0.0 1.1.1',
      '1.0.1 1.0.2',
      '1.0.1 1.1.1',
      '1.0.2 1.1.1',
      '1.1.0 1.1.1',
      '1.1.0 1.2.0',
      '1.1.1 1.2.0',
    ]
    expect(shown(null)).toEqual(all)
    expect(shown({ ...PATH, steps: [step('1.0.0', '1.2.0')] })).toEqual([...all, '1.0.0 1.2.0!'])
  })

  test('of sixty versions no two are at one place, and the order of the input does not matter', () => {
    const names = Array.from({ length: 60 }, (_, i) => `1.${Math.floor(i / 4)}.${i % 4}`)
    const edges = names.flatMap((from, i) => names.slice(i + 1, i + 6).map((to) => edge(from, to)))
    const one = drawingOf({ versions: names.map((name) => version(name)), edges, path: null })
    const other = drawingOf({
      versions: names.toReversed().map((name) => version(name)),
      edges: edges.toReversed(),
      path: null,
    })
    expect(other).toEqual(one)
    expect(new Set(one.versions.map(({ x, y }) => `${x} ${y}`)).size).toBe(60)
    expect(one.updates.length).toBeLessThanOrEqual(120)
    expect(one.versions.every(({ x, y }) => x + NODE.width <= one.width && y + NODE.height <= one.height)).toBe(true)
  })

  test('an update to a version that is not shown is not drawn', () => {
    expect(drawingOf({ versions: [version('1.0.0')], edges: [edge('1.0.0', '1.0.1')], path: null }).updates).toEqual([])
  })
})

test('what a version needs attention for', () => {
  expect(versionMarks(version('1.0.0'))).toEqual([])
  expect(versionMarks(version('1.0.0', { deprecated: 'm', deadEnd: true, stranded: 'failing', channels: [] }))).toEqual(
    ['deprecated', 'no update', 'stranded', 'in no channel'],
  )
  expect(versionMarks(version('1.0.0', { inGraph: false, channels: [] }))).toEqual(['not in the graph'])
})

test('updates by origin, the newest target first', () => {
  const found = updatesFrom([edge('1.0.0', '1.0.1'), edge('1.0.0', '1.2.0'), edge('1.0.1', '1.2.0')])
  expect(found.get('1.0.0')?.map(({ to }) => to)).toEqual(['1.2.0', '1.0.1'])
})

test.each([
  [{ ...PATH, steps: null }, 'No update path leads from 1.0.0 to 1.2.0.'],
  [{ ...PATH, to: '1.0.0', steps: [] }, '1.0.0 is the target.'],
  [{ ...PATH, steps: [step('1.0.0', '1.2.0')] }, '1 update from 1.0.0 to 1.2.0.'],
  [
    { ...PATH, steps: [step('1.0.0', '1.1.0'), step('1.1.0', '1.2.0')], channel: 'stable', inChannel: true },
    '2 updates from 1.0.0 to 1.2.0, all in channel stable.',
  ],
  [
    { ...PATH, steps: [step('1.0.0', '1.2.0')], channel: 'stable', recommended: false },
    '1 update from 1.0.0 to 1.2.0, not all in channel stable; a conditional risk may apply.',
  ],
])('a path as a sentence', (path, want) => {
  expect(pathSentence(path)).toBe(want)
})
