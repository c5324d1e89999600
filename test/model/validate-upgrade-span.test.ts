import { describe, expect, test } from 'vitest'
import type { AttributeValue } from '../../src/model/attribute.ts'
import type { Span } from '../../src/model/span.ts'
import { claimsUpgradeConvention, upgradeSpanFault } from '../../src/model/validate-upgrade-span.ts'

type Entries = Readonly<Record<string, AttributeValue>>

const attributes = (entries: Entries): Span['attributes'] =>
  Object.entries(entries).map(([key, value]) => ({ key, value }))

function span(name: string, entries: Entries, changed: Partial<Span> = {}): Span {
  return {
    traceId: '945c777c1329507dc44b3d4f4893652b',
    spanId: '1a2b3c4d5e6f7081',
    traceState: '',
    name,
    kind: 'internal',
    startNs: 1_787_220_000_000_000_000n,
    endNs: 1_787_220_020_000_000_000n,
    attributes: attributes(entries),
    events: [],
    links: [],
    status: { code: 'unset', message: '' },
    flags: 0,
    resource: { service: 'hyperconverged-cluster-operator', cluster: 'prague', attributes: [] },
    scope: { name: 'hco/tracing', version: '1', attributes: [] },
    ...changed,
  }
}

const PENDING = { 'olm.csv.name': 'x.v1.17.0', 'olm.csv.phase': 'Pending' }
const event = (name: string, entries: Entries): Partial<Span> => ({
  events: [{ timeNs: 1n, name, attributes: attributes(entries) }],
})

describe('a span that claims the convention', () => {
  test.each<[string, Span]>([
    ['a step with what it must have', span('olm.csv.pending', PENDING)],
    ['attributes nobody knows', span('olm.csv.pending', { ...PENDING, 'our.own': 1, 'k8s.node.name': 'n1' })],
    ['a root with its version alone', span('upgrade kubevirt', { 'upgrade.to.version': 'v1.7.0' })],
    ['integers as numbers', span('kubevirt.workload_update', { 'kubevirt.outdated_vmi.start': 41 })],
    ['integers beyond a number', span('kubevirt.workload_update', { 'kubevirt.outdated_vmi.start': 2n ** 60n })],
    [
      'the last of repeated keys',
      span('olm.csv.pending', {}, { attributes: [{ key: 'olm.csv.name', value: 1 }, ...attributes(PENDING)] }),
    ],
    ['events nobody knows', span('hco.reconcile', {}, event('leader.elected', {}))],
    ['an end at its start', span('hco.reconcile', {}, { endNs: 1_787_220_000_000_000_000n })],
  ])('is taken: %s', (_, given) => {
    expect(claimsUpgradeConvention(given)).toBe(true)
    expect(upgradeSpanFault(given)).toBeUndefined()
  })

  test.each<[Span, string]>([
    [span('olm.csv.pending', { 'olm.csv.phase': 'Pending' }), 'olm.csv.name: got nothing, want a text'],
    [span('olm.csv.pending', { ...PENDING, 'olm.csv.name': '' }), 'olm.csv.name: got "", want a text'],
    [span('olm.csv.pending', { ...PENDING, 'olm.csv.name': 17 }), 'olm.csv.name: got 17, want a text'],
    [span('olm.csv.pending', { ...PENDING, 'olm.csv.name': ['a'] }), 'olm.csv.name: got a list, want a text'],
    [span('olm.csv.pending', { ...PENDING, 'olm.csv.name': { entries: [] } }), 'olm.csv.name: got a map, want a text'],
    [
      span('olm.csv.pending', { ...PENDING, 'olm.csv.name': new Uint8Array(2) }),
      'olm.csv.name: got bytes, want a text',
    ],
    [span('olm.csv.pending', { ...PENDING, 'olm.csv.phase': 'pending' }), 'olm.csv.phase: got "pending", want Pending'],
    [
      span('olm.approval', { 'olm.install_plan.approval': 'manual' }),
      'olm.install_plan.approval: got "manual", want one of Manual, Automatic',
    ],
    [span('upgrade openshift', {}), 'upgrade.to.version: got nothing, want a text'],
    [
      span('upgrade openshift', { 'upgrade.to.version': '4.20.1', 'deployment.status': 'done' }),
      'deployment.status: got "done", want one of succeeded, failed',
    ],
    [
      span('kubevirt.workload_update', { 'kubevirt.outdated_vmi.start': '41' }),
      'kubevirt.outdated_vmi.start: got "41", want an integer',
    ],
    [
      span('kubevirt.workload_update', { 'kubevirt.outdated_vmi.start': 41.5 }),
      'kubevirt.outdated_vmi.start: got 41.5, want an integer',
    ],
    [span('hco.reconcile', { 'upgrade.provisional': 'true' }), 'upgrade.provisional: got "true", want a boolean'],
    [
      span('hco.reconcile', {}, event('condition.changed', { 'k8s.condition.type': 'Degraded' })),
      'event condition.changed: k8s.condition.status: got nothing, want one of True, False, Unknown',
    ],
    [span('hco.reconcile', {}, { startNs: 0n }), 'start time: got 0, want nanoseconds since 1970'],
    [
      span('hco.reconcile', {}, { endNs: 1_787_219_999_999_999_999n }),
      'end time: got 1 ns before the start, want the start or later',
    ],
  ])('is refused for one thing, which is named (%#): %s', (given, fault) => {
    expect(upgradeSpanFault(given)).toBe(`span 1a2b3c4d5e6f7081 \`${given.name}\`: ${fault}`)
  })

  test('by its scope: only with a name of the convention', () => {
    const scope = { name: 'upgrade-deriver', version: '0.1.0', attributes: [] }
    expect(upgradeSpanFault(span('hco.reconcile', {}, { scope }))).toBeUndefined()
    expect(upgradeSpanFault(span('reconcile', {}, { scope }))).toBe(
      'span 1a2b3c4d5e6f7081 `reconcile`: name: got "reconcile", want a span of the upgrade convention, because its scope is upgrade-deriver',
    )
  })

  test('a long value is shown by its beginning', () => {
    const fault = upgradeSpanFault(span('olm.csv.pending', { ...PENDING, 'olm.csv.phase': 'x'.repeat(5000) }))
    expect(fault).toBe(
      `span 1a2b3c4d5e6f7081 \`olm.csv.pending\`: olm.csv.phase: got "${'x'.repeat(60)}…", want Pending`,
    )
  })
})

test.each(['GET /', 'reconcile', 'olm.csv', 'upgrade', ''])(
  'a span `%s` claims nothing and passes untouched',
  (name) => {
    const given = span(name, { 'olm.csv.name': 17 }, { startNs: 0n, endNs: 0n })
    expect(claimsUpgradeConvention(given)).toBe(false)
    expect(upgradeSpanFault(given)).toBeUndefined()
  },
)
