import { expect, test } from 'vitest'
import { textAttribute } from '../../../src/model/attribute.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import { collectorRecords } from '../../../sim/history/collector-records.ts'
import { observationsOf } from '../../../sim/history/cluster-observations.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { readObjectRecord } from '../../../src/wire/k8s/object-record.ts'
import { encodeLogsRequest, logsRequestJson } from '../../../src/wire/otlp/logs-encode.ts'
import { decodeLogsJson } from '../../../src/wire/otlp/logs-json.ts'
import { decodeLogsProtobuf } from '../../../src/wire/otlp/logs-protobuf.ts'
import type { LogsRequest } from '../../../src/wire/otlp/logs.ts'
import { atOnce } from '../../support/at-once.ts'

const LIMITS = { recordsMax: 1_000_000, attributesMax: 100_000_000 }
const YEAR = { fromMs: Date.UTC(2025, 8, 1), untilMs: Date.UTC(2026, 8, 1), seed: 'wire', mode: 'objects' } as const
const HISTORIES = [0, 1].map((index) => planHistory({ ...YEAR, index, stallShare: 0.6 }))

/** What the product's own decoders read of a request. */
function read(request: LogsRequest, cluster: string): readonly ObjectObservation[] {
  return request.resources.flatMap(({ scopes }) =>
    scopes.flatMap(({ records }) =>
      records.map(({ attributes, body, observedNs }) => {
        const reading = readObjectRecord({ attributes, body, observedMs: Number(observedNs / 1_000_000n) })
        if (reading.kind !== 'object') throw new Error(`${reading.kind} ${JSON.stringify(reading)}`)
        return { cluster, ...reading.observation }
      }),
    ),
  )
}

/** Few enough of the migrations, which are all alike. */
function sampled(observations: readonly ObjectObservation[]): readonly ObjectObservation[] {
  let migrations = 0
  return observations.filter(({ facts }) => facts.kind !== 'virtualmachineinstancemigrations' || migrations++ < 40)
}

test('every object of a year is read back as the facts it was made of, in both encodings', () => {
  const kinds = new Set<string>()
  for (const history of HISTORIES) {
    const { name } = history.profile
    const observations = sampled(observationsOf(history).objects).toSorted((a, b) =>
      a.namespace < b.namespace ? -1 : 1,
    )
    const resources = collectorRecords(history.profile, observations)
    const fromProtobuf = atOnce(decodeLogsProtobuf(encodeLogsRequest(resources), LIMITS))
    const fromJson = atOnce(decodeLogsJson(Buffer.from(logsRequestJson(resources)), LIMITS))
    const byNamespace = resources.flatMap(({ attributes }) =>
      observations.filter(({ namespace }) => namespace === (attributes['k8s.namespace.name'] ?? '')),
    )
    expect(read(fromProtobuf, name)).toEqual(byNamespace)
    expect(read(fromJson, name)).toEqual(byNamespace)
    for (const { facts } of observations) kinds.add(facts.kind)
  }
  expect(kinds.size).toBe(19)
})

test('a watch record has its type and the name of the object, a pulled one is the object alone', () => {
  const [history] = HISTORIES
  const objects = observationsOf(history!).objects
  const watched = objects.find(({ change }) => change === 'modified')!
  const listed = objects.find(({ change }) => change === 'listed')!
  const [fromWatch] = collectorRecords(history!.profile, [watched])
  const [fromPull] = collectorRecords(history!.profile, [listed])
  expect(fromWatch!.records[0]!.attributes).toEqual({
    'k8s.resource.name': watched.facts.kind,
    'event.domain': 'k8s',
    'event.name': watched.name,
  })
  expect(fromWatch!.records[0]!.body).toMatchObject({ type: 'MODIFIED', object: { metadata: { uid: watched.uid } } })
  expect(fromPull!.records[0]!.attributes).toEqual({ 'k8s.resource.name': listed.facts.kind })
  expect(fromPull!.records[0]!.body).toMatchObject({ metadata: { uid: listed.uid } })
  const request = atOnce(decodeLogsProtobuf(encodeLogsRequest([fromWatch!]), LIMITS))
  expect(textAttribute(request.resources[0]!.resource.attributes, 'k8s.cluster.uid')).toBe(history!.profile.id)
})
