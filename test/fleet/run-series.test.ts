import { expect, test } from 'vitest'
import { compareRuns, labelsText, runSeriesKey } from '../../src/fleet/run-series.ts'

test('a key is that of the signal and the label set, whichever objects they are in', () => {
  const labels = { a: '1', b: '2' }
  const health = runSeriesKey({ signal: 'hco_health', labels })
  const nodes = runSeriesKey({ signal: 'kubevirt_nodes', labels })
  expect(nodes).not.toBe(health)
  expect(runSeriesKey({ signal: 'hco_health', labels })).toBe(health)
  expect(runSeriesKey({ signal: 'hco_health', labels: { b: '2', a: '1' } })).toBe(health)
  expect(runSeriesKey({ signal: 'hco_health', labels: { a: '1' } })).not.toBe(health)
  expect(labelsText(labels)).toBe(labelsText({ b: '2', a: '1' }))
})

test('runs are in the order of signal, labels and start', () => {
  const run = (signal: 'hco_health' | 'kubevirt_nodes', a: string, firstMs: number) => {
    return { cluster: 'c', signal, labels: { a }, value: 1, firstMs, lastMs: firstMs }
  }
  const ordered = [
    run('hco_health', '1', 9),
    run('hco_health', '2', 1),
    run('hco_health', '2', 2),
    run('kubevirt_nodes', '1', 0),
  ]
  expect(ordered.toReversed().sort(compareRuns)).toEqual(ordered)
})
