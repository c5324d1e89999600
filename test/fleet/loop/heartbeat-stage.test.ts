import { expect, test } from 'vitest'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { updateLastSeen } from '../../../src/fleet/loop/heartbeat-stage.ts'
import { createLoopState } from '../../../src/fleet/loop/loop-state.ts'
import { NOW_MS } from '../../store/temp-store.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

test('a cluster that reports the same as before is seen, and pages are told when it falls silent', async () => {
  const index = createFleetIndex()
  const coverage = { objects: true, metrics: true, spans: false, kinds: [] }
  for (const name of ['a', 'b']) {
    const cluster = emptyRecord(name, { versions: { kubevirt: '1.7.0' }, lastSeenMs: NOW_MS, coverage })
    index.put({ cluster, upgrades: [], intervals: [], modifications: [] })
  }
  const state = createLoopState()
  const seen = new Map([
    ['a', NOW_MS],
    ['b', NOW_MS],
  ])
  const asked: number[] = []
  const parts = {
    signals: {
      eachLastSeen: (visit: (cluster: string, newestMs: number) => void) => {
        for (const [cluster, newestMs] of seen) visit(cluster, newestMs)
      },
    },
    observations: {
      lastSeenSince: (timeMs: number) => {
        asked.push(timeMs)
        return Promise.resolve([{ cluster: 'a', objectsMs: seen.get('a')! + 5 }])
      },
    },
  }
  const silentAt = async (nowMs: number) => {
    await updateLastSeen(parts, state, index, nowMs)
    return [index.coverage(nowMs).silent, state.changedFacts.take()]
  }
  expect(await silentAt(NOW_MS)).toEqual([0, []])
  expect(index.lastReportOf('a')?.lastSeenMs).toBe(NOW_MS + 5)
  seen.set('a', NOW_MS + 3 * 3_600_000)
  expect(await silentAt(NOW_MS + 3 * 3_600_000)).toEqual([1, ['clusters']])
  expect(await silentAt(NOW_MS + 3 * 3_600_000 + 1)).toEqual([1, []])
  expect(asked[0]).toBe(NOW_MS - 2 * 3_600_000)
})
