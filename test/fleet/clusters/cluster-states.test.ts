import { expect, test } from 'vitest'
import { isSilent, statesOf } from '../../../src/fleet/clusters/cluster-states.ts'
import type { ClusterState } from '../../../src/model/cluster-record.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { phase, recordOf, type RecordScript } from '../edge-script.ts'

const MINUTE_MS = 60_000
const NOW_MS = 1_000 * MINUTE_MS
const ago = (minutes: number | undefined): number | undefined =>
  minutes === undefined ? undefined : NOW_MS - minutes * MINUTE_MS

test.each([
  ['nothing ever', undefined, undefined, true],
  ['metrics, one push lost', 10, undefined, false],
  ['metrics, two lost', 10.1, undefined, true],
  ['objects that rest until the next list', undefined, 65, false],
  ['objects, two lists lost', undefined, 65.1, true],
  ['metrics stopped, and objects with them', 12, 11, true],
  ['metrics stopped, objects a moment later', 12, 9, false],
  ['metrics stopped, and objects go on', 300, 40, false],
  ['metrics stopped, and objects much later', 300, 66, true],
  ['metrics go on while objects rest', 1, 300, false],
])('%s', (_, metrics, objects, isIt) => {
  const [metricsMs, objectsMs] = [ago(metrics), ago(objects)]
  const lastSeen = {
    ...(metricsMs === undefined ? {} : { metricsMs }),
    ...(objectsMs === undefined ? {} : { objectsMs }),
  }
  expect(isSilent(lastSeen, NOW_MS)).toBe(isIt)
})

test('who waits for an approval does not upgrade yet, and whose machines follow no longer does', () => {
  const statesWith = (script: RecordScript): readonly ClusterState[] => {
    const record = recordOf(script)
    const verdict = { upgradeId: record.upgrade.id, isStuck: false, causes: [] }
    return statesOf(emptyRecord('a', { hcoVersion: '1.16.0' }), [{ record, verdict }], false, NOW_MS)
  }
  const waits = [phase('approval', 0)]
  expect(statesWith({ phases: waits })).toEqual(['steady'])
  expect(statesWith({ startMinute: 5, phases: waits })).toEqual(['upgrading'])
  expect(statesWith({ startMinute: 5, phases: [phase('olm', 5)] })).toEqual(['upgrading'])
  expect(statesWith({ startMinute: 0, endMinute: 9, state: 'succeeded' })).toEqual(['steady'])
})
