/** The nodes of a cluster at rising moments, from one pass over the states of all: as `nodesOf` of the history at each moment. */
import { firstIndexWhere } from '../../base/first-index.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { NodeFacts } from '../../model/object-facts.ts'
import type { ClusterHistory, ObjectHistory } from '../derive/cluster-history.ts'
import { compareKubeletVersions, KUBELET_VERSIONS_MAX } from '../derive/platform.ts'

type Nodes = NonNullable<ClusterRecord['nodes']>
type Node = ObjectHistory<NodeFacts>

interface NodeEvent {
  readonly atMs: number
  readonly node: Node
  /** The number of its state; Infinity: it is gone. */
  readonly state: number
}

export class NodesOverTime {
  readonly #events: readonly NodeEvent[]
  #next = 0
  readonly #stateOf = new Map<Node, number>()
  #count = 0
  #ready = 0
  readonly #byVersion = new Map<string, number>()
  /** Of at least one node; in order. */
  readonly #versions: string[] = []

  constructor(history: ClusterHistory) {
    this.#events = history
      .of('nodes')
      .flatMap((node): readonly NodeEvent[] => [
        ...node.states.map(({ atMs }, state) => ({ atMs, node, state })),
        ...(node.gone === undefined ? [] : [{ atMs: node.gone.atMs, node, state: Infinity }]),
      ])
      .sort((a, b) => a.atMs - b.atMs)
  }

  /** Undefined: there are none. @param atMs not before that of the last call */
  at(atMs: number): Nodes | undefined {
    for (let event; (event = this.#events[this.#next]) !== undefined && event.atMs <= atMs; this.#next++) {
      const { node, state } = event
      const last = this.#stateOf.get(node) ?? -1
      // States are in the order of versions; their times may not be.
      if (state <= last) continue
      this.#tally(node.states[last]?.facts, -1)
      this.#tally(node.states[state]?.facts, 1)
      this.#stateOf.set(node, state)
    }
    if (this.#count === 0) return undefined
    return { count: this.#count, ready: this.#ready, kubeletVersions: this.#versions.slice(0, KUBELET_VERSIONS_MAX) }
  }

  #tally(facts: NodeFacts | undefined, by: 1 | -1): void {
    if (facts === undefined) return
    const { isReady, kubeletVersion } = facts
    this.#count += by
    if (isReady) this.#ready += by
    if (kubeletVersion === '') return
    const before = this.#byVersion.get(kubeletVersion) ?? 0
    this.#byVersion.set(kubeletVersion, before + by)
    if (before === 0) this.#versions.splice(this.#placeOf(kubeletVersion), 0, kubeletVersion)
    else if (before + by === 0) this.#versions.splice(this.#placeOf(kubeletVersion), 1)
  }

  #placeOf(version: string): number {
    return firstIndexWhere(this.#versions, (other) => compareKubeletVersions(other, version) >= 0)
  }
}
