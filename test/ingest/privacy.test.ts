import { describe, expect, test } from 'vitest'
import { privacyRulesOf } from '../../src/config/privacy-file.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import { createOtlpLogsIngest } from '../../src/ingest/otlp/logs.ts'
import { OTLP_DEFAULTS } from '../../src/ingest/otlp/options.ts'
import { createOtlpTracesIngest } from '../../src/ingest/otlp/traces.ts'
import { createRemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import type { LogRecord } from '../../src/model/log-record.ts'
import type { ObjectObservation } from '../../src/model/observation.ts'
import type { Span } from '../../src/model/span.ts'
import { MemoryAppender } from '../support/memory-appender.ts'
import { writeBody } from '../support/remote-write.ts'
import { atOnce } from '../support/at-once.ts'

// What rules drop is never given to the store, is counted by rule, and is no fault of the sender.

const T0_MS = 1_787_220_000_000
type Texts = Readonly<Record<string, string>>

function rig(rules: unknown) {
  const appender = new MemoryAppender()
  const intake = new Intake(appender, INGEST_DEFAULTS)
  intake.usePrivacy(privacyRulesOf(rules))
  const remote = createRemoteWriteIngest({ intake })
  return {
    intake,
    appender,
    write: (labels: Texts, atMs = 0, value = 1) =>
      remote.write(writeBody([{ labels, samples: [{ timeMs: T0_MS + atMs, value }] }]), { nowMs: T0_MS + atMs }),
    series: () => appender.dump().map(({ labels }) => labels),
    counts: () => intake.privacy.counts().map(({ rule, dropped }) => `${rule}: ${dropped}`),
  }
}

describe('metrics', () => {
  test('of a drop list are not stored, and counted as delivered', () => {
    const { write, series, counts } = rig({ metrics: { drop: ['go_.*', 'secret'] } })
    expect(write({ __name__: 'go_goroutines', cluster: 'a' })).toMatchObject({
      status: 204,
      samplesTaken: 0,
      samplesDuplicate: 1,
    })
    expect(write({ __name__: 'up', cluster: 'a' })).toMatchObject({ status: 204, samplesTaken: 1 })
    expect(write({ __name__: 'cargo_total', cluster: 'a' })).toMatchObject({ samplesTaken: 1 })
    // Known by its bytes the second time: refused again, and not counted as another label set.
    expect(write({ __name__: 'go_goroutines', cluster: 'a' }, 1000)).toMatchObject({
      status: 204,
      refusals: [
        { reason: 'privacy_dropped', count: 1, example: expect.stringContaining('metrics.drop go_.*') as string },
      ],
    })
    expect(series().map(({ __name__: name }) => name)).toEqual(['up', 'cargo_total'])
    expect(counts()).toEqual(['metrics.drop go_.*: 1'])
  })

  test('without a keep list are all stored, with one only those, and drop wins', () => {
    const { write, appender } = rig({ metrics: { keep: ['kubevirt_.*'], drop: ['.*_secret'] } })
    for (const name of ['up', 'kubevirt_vmis', 'kubevirt_secret']) write({ __name__: name, cluster: 'a' })
    expect(appender.dump().map(({ labels }) => labels['__name__'])).toEqual(['kubevirt_vmis'])
  })

  test('are decided again when the rules change', () => {
    const { write, intake, appender } = rig({ metrics: { drop: ['m'] } })
    write({ __name__: 'm', cluster: 'a' })
    expect(appender.dump()).toHaveLength(0)
    intake.usePrivacy(privacyRulesOf({}))
    expect(write({ __name__: 'm', cluster: 'a' }, 1)).toMatchObject({ samplesTaken: 1 })
    intake.usePrivacy(privacyRulesOf({ metrics: { drop: ['m'] } }))
    expect(write({ __name__: 'm', cluster: 'a' }, 2)).toMatchObject({ samplesTaken: 0 })
  })
})

describe('labels', () => {
  test('are dropped from new series, but never the name and the cluster', () => {
    const { write, series } = rig({ labels: { keep: ['node'], drop: ['cluster', '__name__'] } })
    write({ __name__: 'm', cluster_name: 'prague', node: 'n1', pod_ip: '10.0.0.1' })
    expect(series()).toEqual([{ __name__: 'm', cluster: 'prague', node: 'n1' }])
  })

  test('that made two series differ: the second is refused while the first sends, and follows when it does not', () => {
    const { write, appender, series } = rig({ labels: { drop: ['pod_ip'] } })
    const one = { __name__: 'm', cluster: 'a', pod_ip: '10.0.0.1' }
    const other = { __name__: 'm', cluster: 'a', pod_ip: '10.0.0.2' }
    expect(write(one)).toMatchObject({ samplesTaken: 1 })
    expect(write(other, 1000, 7)).toMatchObject({
      status: 400,
      samplesTaken: 0,
      refusals: [
        { reason: 'merged_series', count: 1, example: expect.stringContaining('without its dropped labels') as string },
      ],
    })
    expect(write({ __name__: 'm', cluster: 'a' }, 1500)).toMatchObject({ status: 400, samplesTaken: 0 })
    expect(write(one, 2000)).toMatchObject({ samplesTaken: 1 })
    expect(write(other, 2000 + 5 * 60_000, 7)).toMatchObject({ samplesTaken: 1 })
    // The first comes back: known series are admitted again within five minutes.
    write({ __name__: 'x', cluster: 'a' }, 11 * 60_000)
    expect(write(other, 11 * 60_000, 7)).toMatchObject({ samplesTaken: 1 })
    expect(write(one, 11 * 60_000 + 1)).toMatchObject({ status: 400, samplesTaken: 0 })
    expect(series()).toHaveLength(2)
    expect(appender.dump()[0]?.samples.map(({ value }) => value)).toEqual([1, 1, 7, 7])
  })
})

const attribute = (key: string, value: unknown) => ({ key, value: { stringValue: value } })

describe('attributes', () => {
  const rules = { attributes: { drop: ['http\\.request\\..*', 'secret'] } }

  test('of spans, their events and links, scopes and resources', () => {
    const { intake, counts } = rig(rules)
    const stored: Span[] = []
    const traces = createOtlpTracesIngest({
      intake,
      otlp: OTLP_DEFAULTS,
      spans: { putSpans: (spans) => (stored.push(...spans), []) },
      limits: { retentionMs: 30 * 86_400_000, spansPerTraceMax: 100, bytesPerTraceMax: 1e6 },
    })
    const attributes = [attribute('secret', 'x'), attribute('open', 'y')]
    const [traceId, spanId] = ['1'.repeat(32), '2'.repeat(16)]
    const times = { startTimeUnixNano: `${T0_MS}000000`, endTimeUnixNano: `${T0_MS}000001` }
    const links = [{ traceId, spanId, attributes }]
    const sent = {
      traceId,
      spanId,
      name: 's',
      ...times,
      attributes,
      links,
      events: [{ ...times, name: 'e', attributes }],
    }
    const body = {
      resourceSpans: [
        {
          resource: { attributes: [...attributes, attribute('service.name', 'hco')] },
          scopeSpans: [{ scope: { attributes }, spans: [sent] }],
        },
      ],
    }
    atOnce(traces.write(Buffer.from(JSON.stringify(body)), 'json', { nowMs: T0_MS }))
    expect(stored).toHaveLength(1)
    const [span] = stored
    const keys = [
      span?.attributes,
      span?.scope.attributes,
      span?.resource.attributes,
      span?.events[0]?.attributes,
      span?.links[0]?.attributes,
    ]
    expect(keys.map((list) => list?.map(({ key }) => key).join())).toEqual([
      'open',
      'open',
      'open,service.name',
      'open',
      'open',
    ])
    expect(span?.resource.service).toBe('hco')
    expect(counts()).toEqual(['attributes.drop secret: 5'])
  })
})

describe('fields of objects', () => {
  function observed(rules: unknown, resource: string, object: object) {
    const { intake, counts } = rig(rules)
    const objects: ObjectObservation[] = []
    const records: LogRecord[] = []
    const logs = createOtlpLogsIngest({
      intake,
      otlp: OTLP_DEFAULTS,
      observations: {
        admits: () => true,
        putObjects: (all) => {
          objects.push(...all)
        },
        putListings: () => undefined,
      },
      logs: {
        putLogs: (all) => {
          records.push(...all)
        },
      },
      limits: { objectRetentionMs: 86_400_000, logRetentionMs: 86_400_000 },
    })
    const record = {
      observedTimeUnixNano: `${T0_MS}000000`,
      attributes: [attribute('k8s.resource.name', resource)],
      body: valueOf(object),
    }
    const body = {
      resourceLogs: [
        { resource: { attributes: [attribute('k8s.cluster.name', 'prague')] }, scopeLogs: [{ logRecords: [record] }] },
      ],
    }
    const outcome = atOnce(logs.write(Buffer.from(JSON.stringify(body)), 'json', { nowMs: T0_MS }))
    return { outcome, objects, counts: counts() }
  }

  const csv = {
    kind: 'ClusterServiceVersion',
    metadata: { name: 'v1', namespace: 'n', uid: 'u', resourceVersion: '1' },
    spec: { version: '1.2.3', replaces: 'v0', skips: ['a'] },
    status: {
      phase: 'Succeeded',
      message: 'at 10.0.0.1',
      conditions: [
        { phase: 'Pending', message: 'by ada' },
        { phase: 'Succeeded', message: 'by bob' },
      ],
    },
  }

  test('are not read, by path, in all items of a list, in a watch event too', () => {
    const rules = {
      objects: {
        drop: [
          { kind: 'clusterserviceversions', paths: ['status.message', 'status.conditions[*].message', 'spec.skips'] },
        ],
      },
    }
    for (const sent of [csv, { type: 'MODIFIED', object: csv }]) {
      const { objects, counts, outcome } = observed(rules, 'clusterserviceversions', sent)
      expect(outcome).toMatchObject({ itemsTaken: 1 })
      expect(objects[0]?.facts).toMatchObject({ version: '1.2.3', message: '', skips: [] })
      expect(JSON.stringify(objects[0])).not.toMatch(/10\.0\.0\.1|ada|bob/)
      expect(counts).toEqual([
        'objects.drop clusterserviceversions spec.skips: 1',
        'objects.drop clusterserviceversions status.message: 1',
        'objects.drop clusterserviceversions status.conditions[*].message: 2',
      ])
    }
  })

  test('of other kinds are read', () => {
    const { objects } = observed(
      { objects: { drop: [{ kind: 'nodes', paths: ['status'] }] } },
      'clusterserviceversions',
      csv,
    )
    expect(objects[0]?.facts).toMatchObject({ message: 'at 10.0.0.1' })
  })

  test('with a keep list are read alone, with what an object needs to be one', () => {
    const rules = {
      objects: { keep: [{ kind: 'clusterserviceversions', paths: ['spec.version', 'status.conditions[*].phase'] }] },
    }
    const { objects } = observed(rules, 'clusterserviceversions', csv)
    expect(objects[0]).toMatchObject({ name: 'v1', facts: { version: '1.2.3', phase: '', message: '' } })
    expect(JSON.stringify(objects[0]?.facts)).not.toContain('ada')
  })
})

/** JSON of OTLP's AnyValue. */
function valueOf(value: unknown): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(valueOf) } }
  if (typeof value === 'object' && value !== null) {
    return { kvlistValue: { values: Object.entries(value).map(([key, item]) => ({ key, value: valueOf(item) })) } }
  }
  return typeof value === 'number' ? { intValue: value } : { stringValue: String(value) }
}
