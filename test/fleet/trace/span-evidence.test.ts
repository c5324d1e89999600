import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSpanEvidence, spanEvidenceOf } from '../../../src/fleet/trace/span-evidence.ts'
import { traceOf } from '../../../src/fleet/trace/trace.ts'
import type { Span } from '../../../src/model/span.ts'
import { CLUSTER, CLUSTER_UID, T0_MS, UPGRADE } from '../../support/upgrade-record.ts'

/** As an operator would send them: what is derived here, under a scope of its own. */
const native: readonly Span[] = traceOf(UPGRADE, CLUSTER).map((span) => ({
  ...span,
  scope: { name: 'hco/upgrade', version: '1.17.0', attributes: [] },
}))

test('spans of an operator are evidence, with the texts of their attributes', () => {
  const [evidence] = spanEvidenceOf(native)
    .get(CLUSTER_UID)!
    .filter((span) => span.name === 'component.upgrade')
  expect(evidence).toMatchObject({
    cluster: CLUSTER_UID,
    startMs: T0_MS + 110_000,
    isError: false,
    attributes: {
      'component.name': 'cdi',
      'service.version': '1.17.0',
      'k8s.namespace.name': 'kubevirt-hyperconverged',
    },
  })
  const workloads = spanEvidenceOf(native).get(CLUSTER_UID)!.at(-1)!
  expect(workloads.attributes['kubevirt.outdated_vmi.start']).toBe('41')
  expect(workloads.endMs).toBe(T0_MS + 1_500_000)
})

test('an error comes with its message', () => {
  const failed = spanEvidenceOf(native)
    .get(CLUSTER_UID)!
    .filter((span) => span.isError)
  expect(failed.map((span) => span.errorMessage)).toEqual(['virt-handler rollout exceeded 5m'])
})

test('what was derived here is no evidence, nor a span of another kind or of no cluster', () => {
  const [span] = native as [Span]
  expect(isSpanEvidence(span)).toBe(true)
  expect(isSpanEvidence({ ...span, name: 'GET /' })).toBe(false)
  expect(isSpanEvidence({ ...span, resource: { ...span.resource, cluster: '' } })).toBe(false)
  expect(spanEvidenceOf(traceOf(UPGRADE, CLUSTER)).size).toBe(0)
})

test('lists, maps and bytes are left out; of repeated keys the last counts, and the span says more than its resource', () => {
  const [span] = native as [Span]
  const evidence = spanEvidenceOf([
    {
      ...span,
      attributes: [
        { key: 'a', value: '1' },
        { key: 'list', value: ['x'] },
        { key: 'map', value: { entries: [] } },
        { key: 'bytes', value: new Uint8Array(1) },
        { key: 'none', value: undefined },
        { key: 'service.version', value: '9' },
        { key: 'a', value: true },
      ],
    },
  ]).get(CLUSTER_UID)!
  expect(evidence[0]!.attributes).toEqual({
    a: 'true',
    'k8s.namespace.name': 'kubevirt-hyperconverged',
    'service.name': 'hyperconverged-cluster-operator',
    'service.version': '9',
  })
})

test('any order of arrival and any repeat is the same evidence', () => {
  const other = native.map((span) => ({ ...span, resource: { ...span.resource, cluster: 'berlin' } }))
  const all = [...native, ...other.map((span) => ({ ...span, traceId: 'f'.repeat(32) }))]
  const wanted = spanEvidenceOf(all)
  fc.assert(
    fc.property(fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }), (shuffled) => {
      const got = spanEvidenceOf(shuffled)
      expect([...got].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([...wanted].sort(([a], [b]) => (a < b ? -1 : 1)))
    }),
    { numRuns: 30 },
  )
})
