import { expect, test } from 'vitest'
import { renderExplanation } from '../../src/cli/render-explanation.ts'
import type { Explained, ExplainedNode, ExplainedRead } from '../../src/contract/explain.ts'

const read: ExplainedRead = {
  source: 'runs',
  fromMs: 0,
  toMs: 1,
  kernel: 'samples',
  seriesMatched: 12_000,
  seriesRead: 11_999,
  samples: 1_000_000,
  runs: 24_000,
  buckets: 0,
  portions: 2,
  readMs: 12.4,
  store: {
    isMatchKnown: true,
    headRuns: 4000,
    packRuns: 20_000,
    packs: 94,
    packsKept: 90,
    packBytes: 40_000,
    buckets: [],
  },
  reasons: ['deriv does not support rollups'],
}

function node(part: Partial<ExplainedNode> & Pick<ExplainedNode, 'text'>): ExplainedNode {
  return {
    kind: 'call',
    from: 0,
    to: 1,
    totalMs: 20,
    ownMs: 7.56,
    isStepInvariant: false,
    repeats: 0,
    groupsKnown: 0,
    groupsMade: 0,
    reads: [],
    children: [],
    ...part,
  }
}

const explained: Explained = {
  query: 'sum(deriv(x[1h])) / (x @ 0)',
  startMs: 0,
  endMs: 1,
  steps: 61,
  busyMs: 40.2,
  waitedMs: 3.2,
  samplesRead: 24_000,
  samplesMax: 50_000_000,
  resultBytes: 6_588_000,
  resultBytesMax: 1_000_000_000,
  warnings: [],
  infos: [],
  root: node({
    text: 'sum(deriv(x[1h])) / x @ 0.000',
    result: { type: 'vector', series: 1, samples: 61, steps: 61 },
    children: [
      node({ text: 'sum(deriv(x[1h]))', groupsMade: 1, children: [node({ text: 'x[1h]', reads: [read] })] }),
      node({
        text: 'x @ 0.000',
        totalMs: 0.123,
        repeats: 1,
        isStepInvariant: true,
        result: { type: 'vector', series: 2, samples: 122, steps: 61 },
        reads: [
          {
            ...read,
            source: 'rollups',
            kernel: 'buckets',
            widthMs: 3_600_000,
            buckets: 720,
            portions: 1,
            readMs: 0,
            store: {
              ...read.store!,
              isMatchKnown: false,
              buckets: [
                { widthMs: 300_000, count: 600 },
                { widthMs: 0, count: 120 },
              ],
            },
            reasons: [],
          },
        ],
      }),
    ],
  }),
}

test('an explanation is a tree for a terminal', () => {
  expect(renderExplanation(explained)).toMatchInlineSnapshot(`
    "61 steps, 40 ms of processor time, and 3.2 ms waited for others
    24,000 of 50,000,000 samples read, 6588 kB of 1000 MB for results

    sum(deriv(x[1h])) / x @ 0.000  1 series, 61 values, 7.6 ms of 20 ms
    ├─ sum(deriv(x[1h]))  7.6 ms of 20 ms, groups worked out
    │  └─ x[1h]  20 ms
    │         runs: 1,000,000 samples in 24,000 runs of 11,999 of 12,000 series in 2 portions, 12 ms, computed of single samples
    │           matched before; head 4,000, packs 20,000; 94 packs, 90 in memory, 40 kB read
    │           deriv does not support rollups
    └─ x @ 0.000  as evaluated before, 2 series, 122 values, 0.12 ms, one step, fixed by @
           rollups of 1 h: 720 buckets of 11,999 of 12,000 series in 1 portion
             matched now; 600 stored of 5 m; 120 buckets made of samples"
  `)
})
