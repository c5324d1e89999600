import { expect, test } from 'vitest'
import { isSilent } from '../../src/fleet/cluster-states.ts'

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
  const heard = { ...(metricsMs === undefined ? {} : { metricsMs }), ...(objectsMs === undefined ? {} : { objectsMs }) }
  expect(isSilent(heard, NOW_MS)).toBe(isIt)
})
