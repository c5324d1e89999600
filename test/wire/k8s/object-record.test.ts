import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KINDS, SKIPPED_KEYS } from '../../../src/wire/k8s/kinds.ts'
import { isWatchedRecord, readObjectRecord, type RecordReading } from '../../../src/wire/k8s/object-record.ts'
import { decodeLogsJson } from '../../../src/wire/otlp/logs-json.ts'
import { decodeLogsProtobuf } from '../../../src/wire/otlp/logs-protobuf.ts'
import type { LogsRequest, OtlpLogRecord } from '../../../src/wire/otlp/logs.ts'
import {
  encodeLogsJson,
  encodeLogsProtobuf,
  logsOf,
  objectRecord,
  otlpValueOf,
  plainRecord,
} from '../../support/otlp-logs.ts'
import { OBJECTS } from './objects.ts'
import { atOnce } from '../../support/at-once.ts'

const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')
const OBSERVED_MS = 1_787_220_000_250
const LIMITS = {
  recordsMax: 100,
  attributesMax: 100_000,
  skippedKeys: (attributes: OtlpLogRecord['attributes']) => (isWatchedRecord(attributes) ? SKIPPED_KEYS : undefined),
}

const read = ({ attributes, body, observedNs }: OtlpLogRecord): RecordReading =>
  readObjectRecord({ attributes, body, observedMs: Number(observedNs / 1_000_000n) })
const readOne = (resource: string, object: unknown, type?: string): RecordReading =>
  read(objectRecord(resource, object, OBSERVED_MS, type))
const factsOf = (resource: string, object: unknown): unknown => {
  const reading = readOne(resource, object)
  return reading.kind === 'object' ? reading.observation.facts : reading
}
const recordsOf = (request: LogsRequest): readonly OtlpLogRecord[] =>
  request.resources.flatMap(({ scopes }) => scopes.flatMap(({ records }) => records))

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

test('every kind has an example', () => {
  expect([...new Set(OBJECTS.map(({ resource }) => resource))].sort()).toEqual(Object.keys(KINDS).sort())
})

describe.each(OBJECTS.map((one) => [`${one.resource} ${JSON.stringify(one.object['apiVersion'])}`, one] as const))(
  '%s',
  (_name, { resource, object, facts }) => {
    test('keeps what facts are derived from, whatever way it came', () => {
      const metadata = object['metadata'] as Record<string, unknown>
      const request = {
        resources: [
          logsOf([
            objectRecord(resource, object, OBSERVED_MS),
            objectRecord(resource, object, OBSERVED_MS, 'MODIFIED'),
          ]),
        ],
      }
      for (const decoded of [
        atOnce(decodeLogsProtobuf(encodeLogsProtobuf(request), LIMITS)),
        atOnce(decodeLogsJson(Buffer.from(encodeLogsJson(request)), LIMITS)),
      ]) {
        const readings = recordsOf(decoded).map(read)
        for (const [i, change] of ['listed', 'modified'].entries()) {
          expect(readings[i]).toStrictEqual({
            kind: 'object',
            observation: {
              uid: metadata['uid'],
              name: metadata['name'],
              namespace: metadata['namespace'],
              resourceVersion: '1001',
              change,
              observedMs: OBSERVED_MS,
              facts,
              manager: { name: 'olm', operation: 'Update', subresource: 'status' },
            },
          })
        }
      }
    })

    test('an object of nothing but its name has facts too', () => {
      const metadata = { name: object['metadata'] === undefined ? '' : 'virt-handler', uid: 'u', resourceVersion: '1' }
      const reading = readOne(resource, { kind: object['kind'], metadata, type: 'Warning' })
      // An event of no kind in particular is a warning here, and so of interest.
      expect(reading.kind).toBe('object')
    })

    test('a broken field loses that field and no other', () => {
      const junk = fc.constantFrom<unknown>(
        null,
        7,
        -1,
        1.5,
        'x',
        true,
        [],
        {},
        [7],
        ['x'],
        [{}],
        { a: 1 },
        [[]],
        '2026-99-99T',
      )
      const top = fc.constantFrom(
        ...Object.keys(object).filter((key) => key !== 'kind' && key !== 'metadata'),
        'status',
      )
      fc.assert(
        fc.property(top, fc.array(fc.nat(20), { maxLength: 4 }), junk, (key, path, value) => {
          const broken = structuredClone(object) as Record<string, unknown>
          breakAt(broken, key, path, value)
          const reading = readOne(resource, broken)
          // What an event is about may be what broke, and then it is of no interest.
          if (reading.kind === 'left_out') return
          expect(reading.kind).toBe('object')
          const got = factsOf(resource, broken) as Record<string, unknown>
          const without = factsOf(resource, Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)))
          // What is not read of the broken part is as it was.
          for (const [field, was] of Object.entries(facts)) {
            const isReadElsewhere = isDeepStrictEqual((without as Record<string, unknown>)[field], was)
            if (isReadElsewhere) expect([field, got[field]]).toEqual([field, was])
          }
        }),
        { seed: 3, numRuns: 60 },
      )
    })
  },
)

/** Puts a value somewhere below `object[key]`, or in its place. */
function breakAt(object: Record<string, unknown>, key: string, path: readonly number[], value: unknown): void {
  let here: unknown = object
  let last: string | number = key
  for (const step of path) {
    const next: unknown = (here as Record<string | number, unknown>)[last]
    if (!isObject(next) || Object.keys(next).length === 0) break
    here = next
    const keys: string[] = Object.keys(next)
    last = keys[step % keys.length]!
  }
  ;(here as Record<string | number, unknown>)[last] = value
}

test.each<[string, string, unknown, string | undefined, string]>([
  ['no uid', 'cdis', { kind: 'CDI', metadata: { name: 'a', resourceVersion: '1' } }, undefined, 'with uid ""'],
  [
    'a long uid',
    'cdis',
    { kind: 'CDI', metadata: { name: 'a', uid: 'x'.repeat(65), resourceVersion: '1' } },
    undefined,
    'with uid',
  ],
  ['no kind', 'cdis', { metadata: { uid: 'u', resourceVersion: '1' } }, undefined, 'with kind "", want CDI'],
  [
    'another kind',
    'cdis',
    { kind: 'Secret', metadata: { uid: 'u', resourceVersion: '1' } },
    'ADDED',
    'with kind "Secret"',
  ],
  ['no version', 'cdis', { kind: 'CDI', metadata: { uid: 'u' } }, undefined, 'with resourceVersion ""'],
  [
    'a version that is no number',
    'cdis',
    { kind: 'CDI', metadata: { uid: 'u', resourceVersion: '1e3' } },
    undefined,
    'want a decimal number',
  ],
  [
    'a version no number holds',
    'cdis',
    { kind: 'CDI', metadata: { uid: 'u', resourceVersion: '9007199254740993' } },
    undefined,
    'want a decimal number',
  ],
  [
    'an unknown event',
    'cdis',
    { kind: 'CDI', metadata: { uid: 'u', resourceVersion: '1' } },
    'PAINTED',
    'a watch event of type "PAINTED"',
  ],
  [
    'an event of a name that every object has',
    'cdis',
    { kind: 'CDI', metadata: { uid: 'u', resourceVersion: '1' } },
    'constructor',
    'a watch event of type "constructor"',
  ],
])('refused: %s', (_name, resource, object, type, example) => {
  const reading = readOne(resource, object, type)
  expect(reading).toMatchObject({ kind: 'refused', reason: 'bad_object' })
  expect(reading.kind === 'refused' && reading.example).toContain(example)
})

test('a kind that nobody knows is refused by name, with those that are known', () => {
  const reading = readOne('secrets', { kind: 'Secret', metadata: { uid: 'u', resourceVersion: '1' }, data: { a: 'b' } })
  expect(reading).toMatchObject({ kind: 'refused', reason: 'unknown_kind' })
  expect(reading.kind === 'refused' && reading.example).toMatch(
    /got an object of "secrets", want one of clusterserviceversions, /,
  )
  expect(readOne('toString', {}).kind).toBe('refused')
})

test.each([null, 'text', 7, [], true])('a body %j is no object', (body) => {
  const record = { ...objectRecord('cdis', {}, OBSERVED_MS), body: otlpValueOf(body) }
  expect(read(record)).toMatchObject({ kind: 'refused', reason: 'bad_object' })
})

test.each<[string, OtlpLogRecord]>([
  ['BOOKMARK', objectRecord('cdis', { kind: 'CDI', metadata: { resourceVersion: '7' } }, OBSERVED_MS, 'BOOKMARK')],
  ['ERROR', objectRecord('cdis', { kind: 'Status', code: 410 }, OBSERVED_MS, 'ERROR')],
  ['PullEnd', plainRecord({ body: otlpValueOf({ type: 'PullEnd', object: { kind: 'cdis' } }) })],
])('%s says something of the stream, and of no object', (_name, record) => {
  expect(read(record)).toEqual({ kind: 'left_out', why: 'marker' })
})

test.each<[string, string, unknown]>([
  ['a CSV that OLM copied', 'clusterserviceversions', { metadata: { labels: { 'olm.copiedFrom': 'operators' } } }],
  ['a CSV that says it is a copy', 'clusterserviceversions', { metadata: {}, status: { reason: 'Copied' } }],
  ['another DaemonSet', 'daemonsets', { metadata: { name: 'bridge-marker' } }],
  ['a pod that was pulled', 'events', { metadata: {}, type: 'Normal', involvedObject: { kind: 'Pod' } }],
])('nothing is kept of %s', (_name, resource, object) => {
  const fields = object as { metadata: Record<string, unknown> }
  const kind = KINDS[resource as keyof typeof KINDS].kind
  const whole = { ...fields, kind, metadata: { ...fields.metadata, uid: 'u', resourceVersion: '1' } }
  expect(readOne(resource, whole)).toEqual({ kind: 'left_out', why: 'object' })
})

test.each([
  ['of the migration state', { migrationState: { failureReason: 'lost' }, failureReason: 'older' }, 'lost'],
  ['of the status, as older releases write it', { failureReason: 'no CPU model' }, 'no CPU model'],
  ['missing', {}, undefined],
])('the failure reason of a migration: %s', (_name, status, failureReason) => {
  const metadata = { name: 'm', uid: 'u', resourceVersion: '1' }
  const object = { kind: 'VirtualMachineInstanceMigration', metadata, spec: { vmiName: 'vm' }, status }
  expect((factsOf('virtualmachineinstancemigrations', object) as { failureReason?: string }).failureReason).toBe(
    failureReason,
  )
})

test('a warning about a pod is of interest', () => {
  const metadata = { uid: 'u', resourceVersion: '1' }
  expect(readOne('events', { kind: 'Event', metadata, type: 'Warning', involvedObject: { kind: 'Pod' } }).kind).toBe(
    'object',
  )
})

test('the namespace kube-system tells the uid of the cluster, others tell nothing', () => {
  const metadata = { name: 'kube-system', uid: '6f3c', resourceVersion: '1' }
  expect(readOne('namespaces', { kind: 'Namespace', metadata })).toEqual({ kind: 'cluster_uid', uid: '6f3c' })
  expect(readOne('namespaces', { kind: 'Namespace', metadata }, 'ADDED')).toEqual({ kind: 'cluster_uid', uid: '6f3c' })
  expect(readOne('namespaces', { kind: 'Namespace', metadata: { ...metadata, name: 'default' } }).kind).toBe('left_out')
  expect(readOne('namespaces', { kind: 'Namespace', metadata: { name: 'kube-system' } }).kind).toBe('left_out')
})

test('any other log record is left as it is', () => {
  expect(read(plainRecord({ body: 'reconcile failed' }))).toEqual({ kind: 'plain' })
  expect(read(plainRecord({ body: otlpValueOf({ type: 'PullEnd' }) }))).toEqual({ kind: 'plain' })
})

test.each([
  [{ 'kubevirt.io/evacuationMigration': 'node-1' }, '', 'evacuation'],
  [{}, 'kubevirt-evacuation-', 'evacuation'],
  [{}, 'kubevirt-workload-update-', 'workload_update'],
  [{}, 'mine-', 'other'],
])('a migration with annotations %j and generateName %j is of cause %s', (annotations, generateName, cause) => {
  const metadata = { uid: 'u', resourceVersion: '1', annotations, generateName }
  const object = { kind: 'VirtualMachineInstanceMigration', metadata }
  expect(factsOf('virtualmachineinstancemigrations', object)).toMatchObject({ cause })
})

test('events.k8s.io/v1 says the same under other names', () => {
  const object = {
    kind: 'Event',
    metadata: { uid: 'u', resourceVersion: '1' },
    reason: 'UpgradeHCO',
    type: 'Normal',
    note: 'Successfully upgraded to version 1.17.0',
    eventTime: '2026-08-20T10:00:00.123456Z',
    series: { count: 4, lastObservedTime: '2026-08-20T10:05:00.000000Z' },
    regarding: { kind: 'HyperConverged', name: 'a', namespace: 'b' },
  }
  expect(factsOf('events', object)).toMatchObject({
    message: 'Successfully upgraded to version 1.17.0',
    count: 4,
    firstMs: 1_787_220_000_123,
    lastMs: 1_787_220_300_000,
    objectKind: 'HyperConverged',
  })
})

test('long texts are cut, and not through a character', () => {
  const message = `${'x'.repeat(999)}😀${'y'.repeat(500)}`
  const object = {
    kind: 'CDI',
    metadata: { uid: 'u', resourceVersion: '1' },
    status: { conditions: [{ type: 'A', message }] },
  }
  expect(factsOf('cdis', object)).toMatchObject({ conditions: [{ message: `${'x'.repeat(999)}…` }] })
})

// It lives beside the project, and only there.
test.skipIf(!existsSync(GOLDEN))('the golden watch is one upgrade told in eight states', () => {
  const request = atOnce(decodeLogsProtobuf(readFileSync(`${GOLDEN}/otlp/logs-k8s-watch.pb`), LIMITS))
  const seen = recordsOf(request).map((record) => {
    const reading = read(record)
    if (reading.kind !== 'object') return reading.kind
    const { name, resourceVersion, change, facts } = reading.observation
    const state = facts.kind === 'hyperconvergeds' ? facts.operatorVersion : 'phase' in facts ? facts.phase : ''
    return [name, resourceVersion, change, state]
  })
  const csv = 'kubevirt-hyperconverged-operator.v1.17.0'
  expect(seen).toEqual([
    [csv, '1001', 'added', ''],
    [csv, '1002', 'modified', 'Pending'],
    [csv, '1003', 'modified', 'InstallReady'],
    [csv, '1004', 'modified', 'Installing'],
    [csv, '1005', 'modified', 'Succeeded'],
    ['kubevirt-hyperconverged', '2001', 'modified', '1.16.0'],
    ['kubevirt-hyperconverged', '2002', 'modified', '1.17.0'],
    ['kubevirt-hyperconverged-operator.v1.16.0', '1010', 'deleted', 'Deleting'],
  ])
})

// A Uint8Array has a method of the name by which a map is known.
test.each([
  ['a body', plainRecord({ body: Uint8Array.of(1) }), 'plain'],
  ['the body of an object', { ...objectRecord('nodes', {}, OBSERVED_MS), body: Uint8Array.of(1) }, 'refused'],
  [
    'a part of an object',
    {
      ...objectRecord('nodes', {}, OBSERVED_MS),
      body: { entries: [{ key: 'metadata', value: Uint8Array.of(1) }] },
    },
    'refused',
  ],
] as const)('bytes as %s are no map', (_name, record, kind) => {
  expect(read(record).kind).toBe(kind)
})

test.each([
  ['virtualmachines.v1alpha3.kubevirt.io', {}, 'object'],
  ['flowschemas.v1beta3.flowcontrol.apiserver.k8s.io', { removedInRelease: '1.32' }, 'object'],
  ['pods.v1', {}, 'left_out'],
  ['xkubevirt.io', {}, 'left_out'],
])('the count of requests to %s with status %j: %s', (name, status, kind) => {
  const metadata = { name, uid: 'u', resourceVersion: '1' }
  expect(readOne('apirequestcounts', { kind: 'APIRequestCount', metadata, status }).kind).toBe(kind)
})
