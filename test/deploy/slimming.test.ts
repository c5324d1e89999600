import { describe, expect, test } from 'vitest'
import { readObjectRecord, type RecordReading } from '../../src/wire/k8s/object-record.ts'
import { objectRecord, otlpValueOf } from '../support/otlp-logs.ts'
import { OBJECTS } from '../wire/k8s/objects.ts'
import { collectorConfig } from './edge-kit.ts'
import { transformed } from './ottl.ts'

// What the Collector cuts off before it sends is nothing that is read: facts are the same with it and without it.

const OBSERVED_MS = 1_787_220_000_250
const { statements } = collectorConfig().processors['transform/slim']!.log_statements![0]!

function read(resource: string, body: unknown): RecordReading {
  const { attributes } = objectRecord(resource, {}, OBSERVED_MS)
  return readObjectRecord({ attributes, body: otlpValueOf(body), observedMs: OBSERVED_MS })
}

/** Much of what a real object holds and nobody reads. */
function heavy(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const [metadata, spec, status] = [object['metadata'], object['spec'], object['status']] as Record<string, unknown>[]
  const text = 'x'.repeat(20_000)
  return {
    ...object,
    metadata: {
      ...metadata,
      managedFields: ['2026-08-20T10:00:00Z', '2026-08-20T10:05:00Z', '2026-08-20T10:02:00Z'].map((time, i) => ({
        ...{ manager: `writer-${i}`, operation: 'Update', apiVersion: 'v1', time, subresource: 'status' },
        ...{ fieldsType: 'FieldsV1', fieldsV1: { 'f:status': { 'f:text': text } } },
      })),
      annotations: {
        ...(metadata!['annotations'] as object | undefined),
        'kubectl.kubernetes.io/last-applied-configuration': text,
        'alm-examples': text,
      },
    },
    ...(object['kind'] === 'ClusterServiceVersion' && {
      spec: { ...spec, install: { spec: text }, icon: [text], description: text },
      status: { ...status, requirementStatus: [{ message: text }] },
    }),
    ...(object['kind'] === 'InstallPlan' && { status: { ...status, plan: [text], bundleLookups: [text] } }),
    ...(object['kind'] === 'Node' && { status: { ...status, images: [{ names: [text] }] } }),
    ...(object['kind'] === 'DaemonSet' && { spec: { ...spec, template: { spec: text } } }),
    ...(object['kind'] === 'HyperConverged' && { status: { ...status, relatedObjects: [text] } }),
  }
}

describe.each(OBJECTS.map((one) => [`${one.resource} ${JSON.stringify(one.object['apiVersion'])}`, one] as const))(
  '%s',
  (_name, { resource, object }) => {
    const whole = heavy(object)

    test('says the same after it, listed or watched', () => {
      const wanted = read(resource, whole)
      expect(wanted).toMatchObject({ observation: { manager: { name: 'writer-1' } } })
      expect(read(resource, transformed(whole, statements))).toEqual(wanted)
      const watched = { type: 'MODIFIED', object: whole }
      expect(read(resource, transformed(watched, statements))).toEqual(read(resource, watched))
    })

    test('is small after it', () => {
      for (const body of [whole, { type: 'ADDED', object: whole }]) {
        expect(JSON.stringify(body).length).toBeGreaterThan(60_000)
        expect(JSON.stringify(transformed(body, statements)).length).toBeLessThan(15_000)
      }
    })
  },
)

test('a deletion marker without an object, and an object without anything, pass through', () => {
  for (const body of [{ type: 'BOOKMARK' }, {}, { kind: 'ClusterServiceVersion' }, { type: 'ADDED', object: {} }]) {
    expect(transformed(body, statements)).toEqual(body)
  }
})
