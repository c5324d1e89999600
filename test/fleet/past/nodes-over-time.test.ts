import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { historyAt } from '../../../src/fleet/derive/history-at.ts'
import { nodesOf } from '../../../src/fleet/derive/platform.ts'
import { NodesOverTime } from '../../../src/fleet/past/nodes-over-time.ts'
import type { NodeFacts } from '../../../src/model/object-facts.ts'
import { at, look, observed } from '../derive/observed.ts'

const node = (isReady: boolean, kubeletVersion: string): NodeFacts => ({
  ...{ kind: 'nodes', isReady, isSchedulable: true, roles: [], kubeletVersion },
})

test('at each moment they are those of the history until then', () => {
  const seen = fc.array(
    fc.record({
      isReady: fc.boolean(),
      kubelet: fc.constantFrom('', 'v1.30.1', '1.30.1', 'v1.31.2', 'v1.9.0'),
      name: fc.constantFrom('a', 'b', 'c'),
      change: fc.constantFrom('modified' as const, 'modified' as const, 'deleted' as const),
    }),
    { minLength: 1, maxLength: 25 },
  )
  fc.assert(
    fc.property(seen, (all) => {
      const observations = all.map(({ isReady, kubelet, name, change }, i) =>
        look(i * 10, node(isReady, kubelet), { name, change }),
      )
      const history = clusterHistory(observed(observations))
      const nodes = new NodesOverTime(history)
      for (let seconds = -10; seconds <= 260; seconds += 5) {
        expect(nodes.at(at(seconds))).toEqual(nodesOf(historyAt(history, at(seconds))))
      }
    }),
  )
})

test('of versions that are made up, the oldest fifty are listed', () => {
  const observations = Array.from({ length: 60 }, (_, i) => look(i, node(true, `v1.${i}.0`), { name: `n${i}` }))
  const history = clusterHistory(observed(observations))
  const found = new NodesOverTime(history).at(at(100))
  expect(found).toEqual(nodesOf(history))
  expect(found).toMatchObject({ count: 60, ready: 60 })
  expect(found!.kubeletVersions).toEqual(Array.from({ length: 50 }, (_, i) => `v1.${i}.0`))
})
