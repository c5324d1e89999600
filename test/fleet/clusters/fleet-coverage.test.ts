import { describe, expect, test } from 'vitest'
import { SILENT_AFTER } from '../../../src/fleet/clusters/cluster-states.ts'
import { coverageOf, observedCluster } from '../../../src/fleet/clusters/fleet-coverage.ts'
import { recordOf } from '../adoption/fleet.ts'

describe('the coverage of a fleet', () => {
  const none = (): boolean => false

  test('a cluster is silent from the moment after its last report no longer counts', () => {
    const clusters = [observedCluster('a', undefined, { metricsMs: 1000 })]
    const untilMs = 1000 + SILENT_AFTER.metricsMs
    expect(coverageOf(clusters, none, untilMs)).toMatchObject({ silent: 0, newestMs: 1000, oldestMs: 1000 })
    expect(coverageOf(clusters, none, untilMs + 1)).toMatchObject({ silent: 1, newestMs: 1000 })
    expect(coverageOf(clusters, none, untilMs + 1)).not.toHaveProperty('oldestMs')
  })

  test('counts what clusters send by their records, or else by when they were seen; those that are gone are only gone', () => {
    const sends = { objects: true, metrics: false, spans: true }
    const clusters = [
      observedCluster('a', recordOf('a', { hcoVersion: '1.17.0', coverage: { ...sends, kinds: [] } }), {
        metricsMs: 5,
      }),
      observedCluster('b', undefined, { metricsMs: 5 }),
      observedCluster('c', undefined, { objectsMs: 7 }),
      observedCluster('d', undefined, { objectsMs: 9 }),
    ]
    expect(coverageOf(clusters, ({ cluster }) => cluster === 'd', 10)).toEqual({
      ...{ clusters: 3, withObjects: 2, withMetrics: 1, withSpans: 1, silent: 0, gone: 1 },
      ...{ unknown: 2, newestMs: 7, oldestMs: 5 },
    })
  })
})
