import { expect, test } from 'vitest'
import { SeriesStage } from '../../../src/fleet/loop/series-stage.ts'
import { createFleetInsight } from '../../../src/fleet/series/insight.ts'
import type { DerivedSample } from '../../../src/model/appender.ts'
import { Labels } from '../../../src/model/labels.ts'
import { NOW_MS } from '../../store/temp-store.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

test('series are written once a minute, and one that was written before the start and is gone ends', async () => {
  const insight = createFleetInsight()
  insight.put({ cluster: emptyRecord('a', { lastSeenMs: NOW_MS }), upgrades: [], intervals: [], modifications: [] })
  const appended: DerivedSample[][] = []
  const gone = Labels.of({ __name__: 'daytwo_cluster_info', cluster: 'b' })
  const stage = new SeriesStage({
    writtenSeries: () => [{ labels: gone, value: 1 }],
    appendDerived: (samples) => {
      appended.push([...samples])
      return Promise.resolve()
    },
  })
  const index = { insight, verdicts: (nowMs: number) => insight.verdicts(nowMs), gone: () => new Map() }
  for (const seconds of [0, 1, 59, 60]) await stage.run(index, NOW_MS + seconds * 1000)
  expect(appended).toHaveLength(2)
  const infoOf = (samples: readonly DerivedSample[]) =>
    samples
      .filter(({ labels }) => labels.metricName === 'daytwo_cluster_info')
      .map(({ labels, isStale }) => `${labels.get('cluster')} ${isStale ? 'ends' : 'is'}`)
      .sort()
  expect(appended.map(infoOf)).toEqual([['a is', 'b ends'], ['a is']])
})
