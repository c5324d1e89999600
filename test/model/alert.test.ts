import { describe, expect, test } from 'vitest'
import { fingerprintOf, healthImpactOf, severityOf } from '../../src/model/alert.ts'
import { CLUSTER_ALIASES, clusterOf } from '../../src/model/cluster-identity.ts'
import { Labels } from '../../src/model/labels.ts'
import { isAllowed } from '../../src/model/token.ts'

describe('alert', () => {
  test('the fingerprint is Alertmanager’s', () => {
    // A value known from Alertmanager's own client library.
    expect(BigInt(`0x${fingerprintOf(Labels.of({ name: 'garland, briggs', fear: 'love is not enough' }))}`)).toBe(
      5799056148416392346n,
    )
  })

  test('severity and health impact are read apart, and unknown words are none', () => {
    const labels = Labels.of({ severity: 'info', operator_health_impact: 'critical' })
    expect([severityOf(labels), healthImpactOf(labels)]).toEqual(['info', 'critical'])
    expect(severityOf(Labels.of({ severity: 'page' }))).toBe('none')
  })
})

describe('clusterOf', () => {
  test.each([
    [{ cluster: 'a', cluster_id: 'b' }, 'a'],
    [{ cluster_id: 'b', _id: 'c' }, 'b'],
    [{ clusterID: 'd' }, 'd'],
    [{ job: 'x' }, ''],
  ])('%j speaks of %j', (labels, want) => {
    expect(clusterOf(Labels.of(labels))).toBe(want)
  })

  test('each alias alone names the cluster', () => {
    for (const alias of CLUSTER_ALIASES) expect(clusterOf(Labels.of({ [alias]: 'x' }))).toBe('x')
  })
})

describe('isAllowed', () => {
  test.each([
    [undefined, 'public', true],
    [undefined, 'viewer', false],
    ['viewer', 'viewer', true],
    ['viewer', 'responder', false],
    ['responder', 'viewer', true],
    ['admin', 'responder', true],
    ['admin', 'ingest', true],
    ['responder', 'ingest', false],
    ['ingest', 'ingest', true],
    ['ingest', 'viewer', false],
  ] as const)('%s at a door for %s: %s', (role, access, want) => {
    expect(isAllowed(role, access)).toBe(want)
  })
})
