import type { ObjectChange, ObjectObservation } from '../../src/model/observation.ts'
import type { SentLogRecord, SentResourceLogs } from '../../src/wire/otlp/logs-encode.ts'
import type { ClusterProfile } from '../cluster-profile.ts'
import { managerOf } from './managers.ts'
import { manifestOf } from './manifests/manifest.ts'
import { writtenMs } from './watch.ts'

/**
 * What a stock Collector makes of objects (receiver `k8sobjects`): a record each, in watch mode with the type of the
 * event, and resource attributes that its resource processor put on. No time but when it was seen, no severity.
 */
const SCOPE = {
  name: 'github.com/open-telemetry/opentelemetry-collector-contrib/receiver/k8sobjectsreceiver',
  version: '0.161.0',
}

const WATCH_TYPES: Readonly<Record<Exclude<ObjectChange, 'listed'>, string>> = {
  added: 'ADDED',
  modified: 'MODIFIED',
  deleted: 'DELETED',
}

/** One resource for each namespace, in the order given. */
export function collectorRecords(
  profile: Pick<ClusterProfile, 'id' | 'name'>,
  observations: readonly ObjectObservation[],
): readonly SentResourceLogs[] {
  const byNamespace = new Map<string, SentLogRecord[]>()
  for (const observation of observations) {
    const records = byNamespace.get(observation.namespace) ?? []
    byNamespace.set(observation.namespace, records)
    records.push(collectorRecord(observation))
  }
  return [...byNamespace].map(([namespace, records]) => ({
    attributes: {
      cluster: profile.name,
      'k8s.cluster.uid': profile.id,
      'k8s.cluster.name': profile.name,
      ...(namespace === '' ? {} : { 'k8s.namespace.name': namespace }),
    },
    scope: SCOPE,
    records,
  }))
}

function collectorRecord(observation: ObjectObservation): SentLogRecord {
  const { change, facts, name, observedMs, resourceVersion } = observation
  const written = { manager: managerOf(facts.kind), writtenMs: writtenMs(resourceVersion) }
  const object = manifestOf({ ...written, ...observation }, facts)
  if (change === 'listed') return { observedMs, attributes: { 'k8s.resource.name': facts.kind }, body: object }
  return {
    observedMs,
    attributes: { 'k8s.resource.name': facts.kind, 'event.domain': 'k8s', 'event.name': name },
    body: { type: WATCH_TYPES[change], object },
  }
}
