import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createOtlpLogsIngest, type OtlpLogsOutcome } from '../../../src/ingest/otlp/logs.ts'
import { Intake } from '../../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../../src/ingest/options.ts'
import { OTLP_DEFAULTS } from '../../../src/ingest/otlp/options.ts'
import type { ObjectListing } from '../../../src/model/fleet-facts.ts'
import type { ClusterClaim } from '../../../src/model/cluster-claim.ts'
import type { LogRecord } from '../../../src/model/log-record.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import type { ResourceLogs } from '../../../src/wire/otlp/logs.ts'
import { MemoryAppender } from '../../support/memory-appender.ts'
import { encodeLogsProtobuf, logsOf, objectRecord, otlpValueOf, plainRecord } from '../../support/otlp-logs.ts'
import { atOnce } from '../../support/at-once.ts'

const NOW_MS = 1_787_220_000_000
const DAY_MS = 86_400_000
const UID = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')

/** An ingest that notes what it put. */
class Noting {
  readonly objects: ObjectObservation[] = []
  readonly listings: ObjectListing[] = []
  readonly claims: ClusterClaim[] = []
  readonly records: LogRecord[] = []
  readonly nowMs: number
  /** Objects that the cluster has no room for, by uid. */
  readonly fullFor = new Set<string>()
  readonly intake = new Intake(
    new MemoryAppender(),
    { ...INGEST_DEFAULTS, logRecordsPerRequestMax: 10 },
    {
      sink: {
        putClaims: (claims) => this.claims.push(...claims),
        removeClaims: () => undefined,
        putJoins: () => undefined,
      },
    },
  )
  readonly #ingest = createOtlpLogsIngest({
    intake: this.intake,
    otlp: OTLP_DEFAULTS,
    observations: {
      admits: ({ uid }) => !this.fullFor.has(uid),
      putObjects: (objects) => this.objects.push(...objects),
      putListings: (listings) => this.listings.push(...listings),
    },
    logs: { putLogs: (records) => this.records.push(...records) },
    limits: { objectRetentionMs: 400 * DAY_MS, logRetentionMs: 30 * DAY_MS },
  })

  constructor(nowMs = NOW_MS) {
    this.nowMs = nowMs
  }

  write(resources: readonly ResourceLogs[], cluster?: string): OtlpLogsOutcome {
    return this.writeBytes(encodeLogsProtobuf({ resources }), cluster)
  }

  /** `cluster = name` of accepted claims, sorted. */
  names(): readonly string[] {
    const accepted = this.claims.filter(({ cluster, name, refusal }) => cluster !== name && refusal === undefined)
    return accepted.map(({ cluster, name }) => `${cluster} = ${name}`).sort()
  }

  writeBytes(body: Uint8Array, cluster?: string): OtlpLogsOutcome {
    const bound = cluster === undefined ? {} : { cluster }
    return atOnce(this.#ingest.write(body, 'protobuf', { nowMs: this.nowMs, ...bound }))
  }
}

const object = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  kind: 'CDI',
  metadata: { name, namespace: 'cnv', uid: `uid-of-${name}`, resourceVersion: '7' },
  ...more,
})
const record = (name = 'cdi', type?: string, observedMs = NOW_MS) =>
  objectRecord('cdis', object(name), observedMs, type)
const identified = { 'k8s.cluster.uid': UID, 'k8s.cluster.name': 'prague' }

describe('whose an object is', () => {
  test.each<[string, Record<string, string>, string | undefined, string, readonly string[]]>([
    ['the uid first, and the name is another name', identified, undefined, UID, [`prague = ${UID}`]],
    ['the name alone', { 'k8s.cluster.name': 'prague' }, undefined, 'prague', []],
    ['the token says, and all others are other names', identified, 'prague', 'prague', [`prague = ${UID}`]],
    ['the token alone', {}, 'prague', 'prague', []],
    ['a cluster attribute over all', { ...identified, cluster: 'p1' }, undefined, 'p1', [`p1 = ${UID}`, 'p1 = prague']],
  ])('%s', (_name, resource, bound, cluster, names) => {
    const noting = new Noting()
    expect(noting.write([logsOf([record()], resource)], bound)).toMatchObject({
      status: 200,
      message: '',
      itemsTaken: 1,
    })
    expect(noting.objects.map((one) => one.cluster)).toEqual([cluster])
    expect(noting.names()).toEqual(names)
  })

  test('nobody says: refused, with what to do', () => {
    const noting = new Noting()
    const outcome = noting.write([logsOf([record(), plainRecord({ body: 'a line' })])])
    expect(outcome).toMatchObject({
      status: 200,
      itemsIn: 2,
      itemsTaken: 1,
      refusals: [{ reason: 'no_cluster', count: 1 }],
    })
    expect(outcome.message).toContain(
      'refused 1 of 2 log records: no_cluster (1): got a Kubernetes object of no cluster, want k8s.cluster.uid',
    )
    expect(noting.objects).toEqual([])
    expect(noting.records).toHaveLength(1)
  })

  test('a bound sender may not speak for another cluster', () => {
    const noting = new Noting()
    const outcome = noting.write([logsOf([record(), plainRecord({})], { 'k8s.cluster.name': 'berlin' })], 'prague')
    expect(outcome).toMatchObject({ itemsTaken: 0, refusals: [{ reason: 'cluster_mismatch', count: 2 }] })
    expect(noting.objects).toEqual([])
    expect(noting.records).toEqual([])
  })
})

test('an object that its cluster has no room for is refused, and is in no listing', () => {
  const noting = new Noting()
  noting.fullFor.add('uid-of-b')
  const outcome = noting.write([logsOf([record('a'), record('b'), record('c')], { 'k8s.cluster.name': 'prague' })])
  expect(outcome).toMatchObject({
    status: 200,
    itemsTaken: 2,
    refusals: [
      {
        reason: 'cluster_object_limit',
        count: 1,
        example: 'cluster "prague": got one more object than store.cluster-object-states-max has room for: b of cdis',
      },
    ],
  })
  expect(noting.objects.map(({ name }) => name)).toEqual(['a', 'c'])
  expect(noting.listings.map(({ uids }) => uids)).toEqual([['uid-of-a', 'uid-of-c']])
})

test('the namespace kube-system and OpenShift tell other names', () => {
  const noting = new Noting()
  const system = { kind: 'Namespace', metadata: { name: 'kube-system', uid: UID, resourceVersion: '1' } }
  const version = {
    kind: 'ClusterVersion',
    metadata: { name: 'version', uid: 'v', resourceVersion: '2' },
    spec: { clusterID: 'id-1' },
  }
  noting.write(
    [logsOf([objectRecord('namespaces', system, NOW_MS), objectRecord('clusterversions', version, NOW_MS)])],
    'prague',
  )
  expect(noting.names()).toEqual([`prague = ${UID}`, 'prague = id-1'])
})

test('a pull is a listing by namespace and time', () => {
  const noting = new Noting()
  const elsewhere = {
    ...object('c'),
    metadata: { name: 'c', namespace: 'other', uid: 'uid-of-c', resourceVersion: '1' },
  }
  noting.write([
    logsOf([record('a'), record('b')], identified),
    logsOf(
      [objectRecord('cdis', elsewhere, NOW_MS), record('d', undefined, NOW_MS - 1000), record('w', 'ADDED')],
      identified,
    ),
  ])
  expect(noting.listings).toEqual([
    { cluster: UID, resource: 'cdis', namespace: 'cnv', observedMs: NOW_MS, uids: ['uid-of-a', 'uid-of-b'] },
    { cluster: UID, resource: 'cdis', namespace: 'other', observedMs: NOW_MS, uids: ['uid-of-c'] },
    { cluster: UID, resource: 'cdis', namespace: 'cnv', observedMs: NOW_MS - 1000, uids: ['uid-of-d'] },
  ])
})

test('what is refused is told by reason, what is left out is counted, the rest is taken', () => {
  const noting = new Noting()
  const outcome = noting.write(
    [
      logsOf([
        record('good', 'MODIFIED'),
        objectRecord('secrets', { kind: 'Secret' }, NOW_MS),
        objectRecord('cdis', { kind: 'CDI', metadata: {} }, NOW_MS),
        record('ahead', 'MODIFIED', NOW_MS + 11 * 60_000),
        record('old', 'MODIFIED', NOW_MS - 401 * DAY_MS),
        objectRecord('cdis', { kind: 'CDI', metadata: {} }, NOW_MS, 'BOOKMARK'),
        objectRecord('events', { kind: 'Event', metadata: { uid: 'e', resourceVersion: '1' }, type: 'Normal' }, NOW_MS),
      ]),
    ],
    'prague',
  )
  expect(outcome).toMatchObject({ itemsIn: 7, itemsTaken: 3, leftOut: { marker: 1, object: 1 } })
  expect(outcome.refusals.map(({ reason, count }) => [reason, count])).toEqual([
    ['unknown_kind', 1],
    ['bad_object', 1],
    ['too_old', 1],
    ['too_far_ahead', 1],
  ])
  expect(noting.objects.map(({ name }) => name)).toEqual(['good'])
  const report = noting.intake.report(NOW_MS, 10)
  expect(report.refusals.map(({ reason }) => reason)).toContain('unknown_kind')
  expect(report.clusters.bySamples).toMatchObject([{ cluster: 'prague', taken: 3, refused: 4 }])
})

describe('log records', () => {
  const timeNs = BigInt(NOW_MS) * 1_000_000n + 1n

  test('their time is the event’s, else the observer’s, else that of receipt', () => {
    const noting = new Noting()
    noting.write([
      logsOf([plainRecord({ timeNs, observedNs: 5n }), plainRecord({ observedNs: timeNs }), plainRecord({})], {
        'service.name': 'hco',
      }),
    ])
    expect(noting.records.map((one) => one.timeNs)).toEqual([timeNs, timeNs, timeNs - 1n])
    expect(noting.records[0]).toMatchObject({ service: 'hco', cluster: '' })
  })

  test('ids that are none are left out, severities that are none are unspecified', () => {
    const noting = new Noting()
    const traceId = '5b8efff798038103d269b633813fc60c'
    noting.write([
      logsOf([
        plainRecord({
          timeNs,
          traceId,
          spanId: 'eee19b7ec3c1b174',
          severity: 17,
          severityText: 'ERROR',
          eventName: 'e',
        }),
        plainRecord({ timeNs, traceId, spanId: 'ee', severity: 99 }),
        plainRecord({ timeNs, traceId: '00', spanId: 'eee19b7ec3c1b174' }),
      ]),
    ])
    expect(noting.records.map((one) => [one.traceId, one.spanId, one.severity])).toEqual([
      [traceId, 'eee19b7ec3c1b174', 17],
      [traceId, '', 0],
      ['', '', 0],
    ])
  })

  test.each([
    [plainRecord({ timeNs: timeNs + 11n * 60_000_000_000n }), 'too_far_ahead'],
    [plainRecord({ timeNs: timeNs - 31n * 86_400_000_000_000n }), 'too_old'],
    [plainRecord({ timeNs, body: 'x'.repeat(70_000) }), 'log_record_too_large'],
  ])('%#: refused', (one, reason) => {
    const noting = new Noting()
    expect(noting.write([logsOf([one])])).toMatchObject({ itemsTaken: 0, refusals: [{ reason, count: 1 }] })
    expect(noting.records).toEqual([])
  })
})

test('a body that cannot be read, or holds too much, leaves nothing behind', () => {
  const noting = new Noting()
  expect(noting.writeBytes(Uint8Array.of(0x0a, 0x7f))).toMatchObject({
    status: 400,
    refusals: [{ reason: 'bad_encoding' }],
  })
  const many = Array.from({ length: 11 }, () => plainRecord({ body: otlpValueOf('x') }))
  const outcome = noting.write([logsOf(many)])
  expect(outcome).toMatchObject({ status: 400, refusals: [{ reason: 'request_too_large' }] })
  expect(outcome.message).toContain('ingest.request-log-records-max')
  expect(noting.records).toEqual([])
})

// They live beside the project, and only there.
describe.skipIf(!existsSync(GOLDEN))('golden bodies', () => {
  test.each([
    ['logs-k8s-watch', 8, 0, 8],
    ['logs-k8s-pull', 2, 2, 2],
    ['logs-k8s-watch-one', 1, 0, 1],
  ])('%s', (name, objects, listings, taken) => {
    const noting = new Noting(NOW_MS + DAY_MS)
    const outcome = noting.writeBytes(readFileSync(`${GOLDEN}/otlp/${name}.pb`), UID)
    expect(outcome).toMatchObject({ status: 200, message: '', itemsTaken: taken })
    expect(noting.objects).toHaveLength(objects)
    expect(noting.listings).toHaveLength(listings)
  })

  test('logs-basic', () => {
    const noting = new Noting(NOW_MS + DAY_MS)
    expect(noting.writeBytes(readFileSync(`${GOLDEN}/otlp/logs-basic.pb`))).toMatchObject({
      itemsTaken: 4,
      message: '',
    })
    expect(noting.records.map(({ cluster, service, severity }) => [cluster, service, severity])).toEqual([
      [UID, 'hyperconverged-cluster-operator', 17],
      [UID, 'hyperconverged-cluster-operator', 9],
      [UID, 'hyperconverged-cluster-operator', 0],
      [UID, 'hyperconverged-cluster-operator', 0],
    ])
  })
})
