/**
 * A cluster as its operators write its objects: the JSON of Kubernetes, read by the decoder of the Collector's records. By
 * a watch each state arrives as it is written; by lists only the states that are present when a list is made, and no events.
 */
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { ObjectAbsence, ObjectObservation } from '../../../src/model/observation.ts'
import { readObjectRecord } from '../../../src/wire/k8s/object-record.ts'
import { otlpValueOf } from '../../support/otlp-logs.ts'

/** 2026-09-14T06:00:00Z. */
const T0 = Date.UTC(2026, 8, 14, 6)
const CLUSTER = '0b6c2d0e-55f1-4d3a-9f7d-5c1d0f4b9a01'
export const NAMESPACE = 'openshift-cnv'

/** RFC 3339 of a second after the start of the story. */
export const iso = (second: number): string => new Date(T0 + second * 1000).toISOString().replace('.000Z', 'Z')

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

/** A condition that holds since a second. */
export function cond(type: string, status: string, second: number, reason = '', message = ''): Condition {
  return { type, status, lastTransitionTime: iso(second), ...(reason && { reason }), ...(message && { message }) }
}

type Json = Readonly<Record<string, unknown>>

interface State {
  readonly second: number
  readonly resource: string
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: Json & { readonly metadata: Json }
}

const KINDS: Readonly<Record<string, string>> = {
  clusterserviceversions: 'ClusterServiceVersion',
  subscriptions: 'Subscription',
  installplans: 'InstallPlan',
  operatorconditions: 'OperatorCondition',
  hyperconvergeds: 'HyperConverged',
  kubevirts: 'KubeVirt',
  cdis: 'CDI',
  ssps: 'SSP',
  networkaddonsconfigs: 'NetworkAddonsConfig',
  daemonsets: 'DaemonSet',
  nodes: 'Node',
  virtualmachineinstancemigrations: 'VirtualMachineInstanceMigration',
  clusterversions: 'ClusterVersion',
  clusteroperators: 'ClusterOperator',
  machineconfigpools: 'MachineConfigPool',
  events: 'Event',
}

export class RawCluster {
  readonly #states: State[] = []
  readonly #newest = new Map<string, State>()

  /** Writes an object. Parts that are absent stay as they were. */
  put(
    second: number,
    resource: string,
    name: string,
    parts: { metadata?: Json; spec?: Json; status?: Json } & Json,
  ): void {
    const key = `${resource}/${name}`
    const before = this.#newest.get(key)
    const { metadata, ...rest } = parts
    const object = {
      ...before?.object,
      kind: KINDS[resource],
      ...rest,
      metadata: {
        uid: `${resource}-${this.#states.length}`,
        creationTimestamp: iso(second),
        namespace: NAMESPACE,
        ...before?.object.metadata,
        ...metadata,
        name,
      },
    }
    this.#add({ second, resource, type: before === undefined ? 'ADDED' : 'MODIFIED', object }, key)
  }

  delete(second: number, resource: string, name: string): void {
    const key = `${resource}/${name}`
    const { object } = this.#newest.get(key)!
    this.#add({ second, resource, type: 'DELETED', object }, key)
    this.#newest.delete(key)
  }

  #add(state: State, key: string): void {
    this.#newest.set(key, state)
    this.#states.push(state)
  }

  watched(untilSecond: number): readonly ObjectObservation[] {
    return this.#until(untilSecond).map((state) => observationOf(state, state.second, state.type))
  }

  listed(untilSecond: number, everySeconds: number): Listed {
    const objects: ObjectObservation[] = []
    const absences: ObjectAbsence[] = []
    let before = new Map<string, ObjectObservation>()
    for (let at = untilSecond % everySeconds; at <= untilSecond; at += everySeconds) {
      const present = new Map<string, State>()
      for (const state of this.#until(at)) {
        if (state.type === 'DELETED') present.delete(keyOf(state))
        else if (state.resource !== 'events') present.set(keyOf(state), state)
      }
      const list = new Map([...present].map(([key, state]) => [key, observationOf(state, at, undefined)]))
      objects.push(...list.values())
      for (const [key, { cluster, uid, facts, observedMs }] of before) {
        const absentMs = observedMs + everySeconds * 1000
        if (!list.has(key)) absences.push({ cluster, kind: facts.kind, uid, lastSeenMs: observedMs, absentMs })
      }
      before = list
    }
    return { objects, absences }
  }

  /** In order of time, as etcd numbers them. */
  #until(second: number): readonly State[] {
    const inOrder = this.#states.toSorted((a, b) => a.second - b.second)
    return inOrder
      .map((state, i) => {
        const metadata = { ...state.object.metadata, resourceVersion: String(40_000 + i) }
        return { ...state, object: { ...state.object, metadata } }
      })
      .filter((state) => state.second <= second)
  }
}

interface Listed {
  readonly objects: readonly ObjectObservation[]
  readonly absences: readonly ObjectAbsence[]
}

const keyOf = ({ resource, object }: State): string => `${resource}/${String(object.metadata['name'])}`

function observationOf({ resource, object }: State, second: number, type: string | undefined): ObjectObservation {
  const attributes = [{ key: 'k8s.resource.name', value: resource }]
  const body = otlpValueOf(type === undefined ? object : { type, object })
  const read = readObjectRecord({ attributes, body, observedMs: T0 + second * 1000 + 180 })
  if (read.kind !== 'object') throw new Error(`${resource} ${JSON.stringify(read)}`)
  return { cluster: CLUSTER, ...read.observation }
}

/** What the product reports of a cluster at a second. */
export interface Report {
  /** `operator from>to state`, oldest first. */
  readonly upgrades: readonly string[]
  readonly states: readonly string[]
  /** Of each stuck upgrade: its operator, its phase and its causes, the most likely first. */
  readonly stuck: readonly {
    readonly operator: string
    readonly phase: string | undefined
    readonly causes: readonly string[]
  }[]
  /** All that is reported of the causes and of the problems of the cluster. */
  readonly text: string
}

export function reportOf({ objects, absences }: Listed, second: number): Report {
  const facts: ClusterFacts = deriveCluster({ cluster: CLUSTER, objects, absences, metrics: [], spans: [] })
  const nowMs = T0 + second * 1000
  const index = createFleetIndex()
  index.put(facts)
  index.markSeen(CLUSTER, { objectsMs: nowMs })
  const stuck = index.open(nowMs).filter(({ verdict }) => verdict.isStuck)
  const causes = stuck.flatMap(({ verdict }) => verdict.causes)
  const reported = [...causes, ...(facts.cluster.problems ?? [])]
  return {
    upgrades: facts.upgrades.map(
      ({ upgrade: { operator, from, to, state } }) => `${operator} ${from ?? '?'}>${to} ${state}`,
    ),
    states: index.cluster(CLUSTER, nowMs)!.states,
    stuck: stuck.map(({ record, verdict }) => ({
      operator: record.upgrade.operator,
      phase: verdict.phase,
      causes: verdict.causes.map(({ cause }) => cause),
    })),
    text: reported.flatMap(({ text, evidence }) => [text, ...evidence.map((one) => one.text)]).join('\n'),
  }
}
