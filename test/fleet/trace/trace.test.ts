import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { traceOf } from '../../../src/fleet/trace/trace.ts'
import { textAttribute, type Attributes, type AttributeValue } from '../../../src/model/attribute.ts'
import { SPAN_KINDS, SPAN_STATUSES, type Span } from '../../../src/model/span.ts'
import type { UpgradePhase, UpgradeRecord, UpgradeState } from '../../../src/model/upgrade.ts'
import { upgradeSpanFault } from '../../../src/model/validate-upgrade-span.ts'
import { CLUSTER, CLUSTER_UID, T0_MS, UPGRADE, asKnownAt, phase } from '../../support/upgrade-record.ts'

const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden/otlp/traces-upgrade.json')

/** `name from-to [status]`, seconds since the upgrade began; `…` where the end is provisional. */
function lines(spans: readonly Span[]): string[] {
  const secondsOf = (timeNs: bigint): number => Number(timeNs / 1_000_000n - BigInt(T0_MS)) / 1000
  return spans.map((span) => {
    const isOpen = span.attributes.some(({ key }) => key === 'upgrade.provisional')
    const status = span.status.code === 'unset' ? '' : ` ${span.status.code}`
    return `${span.name} ${secondsOf(span.startNs)}-${secondsOf(span.endNs)}${isOpen ? '…' : ''}${status}`
  })
}

const traceAt = (seconds: number): readonly Span[] => traceOf(asKnownAt(seconds), CLUSTER)

const withUpgrade = (changed: Partial<UpgradeRecord['upgrade']>, detail: Partial<UpgradeRecord['detail']> = {}) => ({
  upgrade: { ...UPGRADE.upgrade, ...changed },
  detail: { ...UPGRADE.detail, ...detail },
})

describe('an upgrade as a trace', () => {
  test('has a span for each step, under the root, components under the reconcile', () => {
    const spans = traceOf(UPGRADE, CLUSTER)
    expect(lines(spans)).toEqual([
      'upgrade kubevirt-hyperconverged 0-1500 ok',
      'olm.csv.pending 0-20',
      'olm.csv.install_ready 20-21',
      'olm.csv.installing 21-95',
      'hco.reconcile 95-840',
      'component.upgrade 110-700 error',
      'component.upgrade 110-300',
      'kubevirt.workload_update 840-1500',
    ])
    const [root, , , , reconcile] = spans
    expect(spans.map((span) => span.parentSpanId)).toEqual([
      undefined,
      ...[root, root, root, root, reconcile, reconcile, root].map((span) => span!.spanId),
    ])
  })

  test('while it runs, what has not ended ends where it was last seen, and says so', () => {
    expect(lines(traceAt(0))).toEqual(['upgrade kubevirt-hyperconverged 0-0…', 'olm.csv.pending 0-0…'])
    expect(lines(traceAt(200))).toEqual([
      'upgrade kubevirt-hyperconverged 0-200…',
      'olm.csv.pending 0-20',
      'olm.csv.install_ready 20-21',
      'olm.csv.installing 21-95',
      'hco.reconcile 95-200…',
      'component.upgrade 110-200… error',
      'component.upgrade 110-200…',
    ])
  })

  test('a success with virtual machines still to move is ok, and open', () => {
    expect(lines(traceAt(1000))).toContain('upgrade kubevirt-hyperconverged 0-1000… ok')
    expect(lines(traceAt(1000))).toContain('kubevirt.workload_update 840-1000…')
  })

  test.each<[UpgradeState, string, string | undefined, string | undefined]>([
    ['succeeded', 'ok', 'succeeded', 'success'],
    ['failed', 'error', 'failed', 'failure'],
    ['superseded', 'unset', undefined, 'cancellation'],
    ['rolled_back', 'error', 'failed', 'failure'],
    ['in_progress', 'unset', undefined, undefined],
    ['unknown', 'unset', undefined, undefined],
  ])('%s: status %s, deployment %s, pipeline %s', (state, code, status, result) => {
    const [root] = traceOf(withUpgrade({ state }), CLUSTER)
    expect(root!.status.code).toBe(code)
    expect(textAttribute(root!.attributes, 'deployment.status')).toBe(status)
    expect(textAttribute(root!.attributes, 'cicd.pipeline.result')).toBe(result)
  })

  test('what an upgrade that was superseded left open ended with it', () => {
    const running = asKnownAt(200)
    const upgrade = { ...running.upgrade, state: 'superseded' as const, endedMs: T0_MS + 250_000 }
    const spans = traceOf({ ...running, upgrade }, CLUSTER)
    expect(lines(spans)).toContain('hco.reconcile 95-250')
    expect(lines(spans)[0]).toBe('upgrade kubevirt-hyperconverged 0-250')
  })

  test('a CSV that fails and tries again: the span before the failure is an error, the new try one of its own', () => {
    const seconds = (from: number, to: number): { startedMs: number; endedMs: number } => ({
      startedMs: T0_MS + from * 1000,
      endedMs: T0_MS + to * 1000,
    })
    const csvSteps = [
      { phase: 'Installing', reason: 'InstallWaiting', ...seconds(20, 60) },
      { phase: 'Failed', reason: 'InstallCheckFailed', ...seconds(60, 70) },
      { phase: 'Installing', reason: 'InstallWaiting', ...seconds(70, 95) },
      { phase: 'Succeeded', reason: 'InstallSucceeded', startedMs: T0_MS + 95_000 },
    ]
    const spans = traceOf(withUpgrade({}, { csvSteps }), CLUSTER).filter((span) => span.name.startsWith('olm.csv'))
    expect(lines(spans)).toEqual(['olm.csv.installing 20-60 error', 'olm.csv.installing 70-95'])
    expect(spans[0]!.status.message).toBe('InstallCheckFailed')
    expect(new Set(spans.map((span) => span.spanId)).size).toBe(2)
  })

  test('approval, virt-handler and pools have spans where their phases are known', () => {
    const phases = [
      phase('approval', -600, 0),
      phase('operands', 95, 840),
      phase('virt_handler.canary', 120, 180),
      phase('virt_handler.waves', 180, 600),
      phase('platform'),
      phase('platform.worker', 900, 1100),
      phase('platform.master'),
    ]
    const virtHandler = { desired: 40, updated: 40, ready: 40, waves: 11 }
    const spans = traceOf(withUpgrade({ approval: 'Manual', phases }, { virtHandler }), CLUSTER)
    const told = lines(spans)
    expect(told).toContain('olm.approval -600-0')
    expect(told).toContain('virt_handler.canary 120-180')
    expect(told).toContain('virt_handler.waves 180-600')
    expect(told).toContain('platform.pool 900-1100')
    const kubevirt = spans.find((span) => textAttribute(span.attributes, 'component.name') === 'kubevirt')
    const waves = spans.find((span) => span.name === 'virt_handler.waves')!
    expect(waves.parentSpanId).toBe(kubevirt!.spanId)
    expect(waves.attributes).toContainEqual({ key: 'virt_handler.waves', value: 11 })
  })

  test('the root starts with the offer or the approval; alerts are those since the upgrade started', () => {
    const alerts = [-800, -300, 30].map((second) => {
      return { alertname: `At${second}`, severity: 'info', firedAtMs: T0_MS + second * 1000 }
    })
    const root = (phases: readonly UpgradePhase[]) => {
      const [first] = traceOf(withUpgrade({ approval: 'Manual', phases }), CLUSTER, alerts)
      const fired = first!.events.map(({ attributes }) => textAttribute(attributes, 'alertname'))
      return [Number(first!.startNs / 1_000_000n) - T0_MS, ...fired.filter((name) => name !== undefined)]
    }
    expect(root([])).toEqual([0, 'At30'])
    expect(root([phase('approval', -600, 0)])).toEqual([-600_000, 'At30'])
    expect(root([phase('offered', -900, -600), phase('approval', -600, 0)])).toEqual([-900_000, 'At30'])
  })

  test('conditions stand on their component, feature gates and alerts in its time on the root', () => {
    const spans = traceOf(
      withUpgrade(
        {},
        {
          conditionChanges: [
            { atMs: T0_MS + 96_000, component: 'hco', type: 'Progressing', status: 'True', reason: 'HCOUpgrading' },
            { atMs: T0_MS + 120_000, component: 'cdi', type: 'Available', status: 'False', reason: 'X' },
          ],
          featureGateChanges: [{ atMs: T0_MS + 100_000, gate: 'deployKubeSecondaryDNS', isOn: true }],
        },
      ),
      CLUSTER,
      [
        { alertname: 'HCOOperatorConditionsUnhealthy', severity: 'warning', firedAtMs: T0_MS + 99_000 },
        { alertname: 'Before', severity: 'info', firedAtMs: T0_MS - 1000 },
        { alertname: 'After', severity: 'info', firedAtMs: T0_MS + 1_500_001 },
      ],
    )
    const eventsOf = (name: string, component?: string): string[] =>
      spans
        .filter((span) => span.name === name && textAttribute(span.attributes, 'component.name') === component)
        .flatMap((span) =>
          span.events.map((event) => [event.name, ...event.attributes.map(({ value }) => JSON.stringify(value))]),
        )
        .map((words) => words.join(' '))
    expect(eventsOf('upgrade kubevirt-hyperconverged')).toEqual([
      'alert.firing "HCOOperatorConditionsUnhealthy" "warning"',
      'feature_flag.evaluation "deployKubeSecondaryDNS" "on"',
    ])
    expect(eventsOf('hco.reconcile')).toEqual(['condition.changed "Progressing" "True" "HCOUpgrading"'])
    expect(eventsOf('component.upgrade', 'cdi')).toEqual(['condition.changed "Available" "False" "X"'])
  })

  test('what metrics alone tell has the phases that are known, and says that it is from metrics', () => {
    const { csvUid, namespace, hco, ...detail } = UPGRADE.detail
    const spans = traceOf(
      {
        upgrade: {
          ...UPGRADE.upgrade,
          evidence: [{ source: 'metrics', atMs: T0_MS, text: 'csv_succeeded', ref: 'csv_succeeded' }],
        },
        detail: { ...detail, csvSteps: [], components: [] },
      },
      CLUSTER,
    )
    expect([csvUid, namespace, hco].every((part) => part !== undefined)).toBe(true)
    expect(lines(spans)).toContain('olm.csv.installing 21-95')
    expect(textAttribute(spans[0]!.attributes, 'upgrade.source')).toBe('metrics')
    expect(spans[0]!.traceId).toBe(sha256(`upgrade|${CLUSTER_UID}|${UPGRADE.upgrade.id}`).slice(0, 32))
  })

  test('nothing is drawn when nobody knows when it began', () => {
    const { startedMs, ...upgrade } = UPGRADE.upgrade
    const detail = { ...UPGRADE.detail, csvSteps: [], components: [], hco: {} }
    const { workloads, ...rest } = detail
    expect([startedMs, workloads].every((part) => part !== undefined)).toBe(true)
    expect(traceOf({ upgrade: { ...upgrade, phases: [] }, detail: rest }, CLUSTER)).toEqual([])
  })

  test('a cluster that is known by its name keeps it', () => {
    const record = withUpgrade({ cluster: 'prague' })
    const [root] = traceOf(record, { cluster: 'prague', aliases: [CLUSTER_UID] })
    expect(root!.resource).toMatchObject({ cluster: 'prague', service: 'hyperconverged-cluster-operator' })
    expect(textAttribute(root!.resource.attributes, 'k8s.cluster.name')).toBe('prague')
    expect(textAttribute(root!.resource.attributes, 'k8s.cluster.uid')).toBeUndefined()
  })
})

describe('deriving again', () => {
  const moment = fc.integer({ min: 0, max: 1700 })

  test('rewrites the same spans, and a record that grew only makes them longer', () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [earlier, later] = [Math.min(a, b), Math.max(a, b)].map(traceAt) as [readonly Span[], readonly Span[]]
        const grown = new Map(later.map((span) => [span.spanId, span]))
        for (const span of earlier) {
          const now = grown.get(span.spanId)
          expect(now).toMatchObject({ traceId: span.traceId, name: span.name, startNs: span.startNs })
          expect(now!.parentSpanId).toBe(span.parentSpanId)
          expect(now!.endNs >= span.endNs).toBe(true)
          const isOpen = span.attributes.some(({ key }) => key === 'upgrade.provisional')
          if (!isOpen) expect(now).toEqual(span)
        }
      }),
    )
  })

  test('each span of each moment keeps the conventions', () => {
    fc.assert(
      fc.property(moment, (seconds) => {
        expect(traceAt(seconds).flatMap((span) => upgradeSpanFault(span) ?? [])).toEqual([])
      }),
    )
  })
})

describe.skipIf(!existsSync(GOLDEN))('the stored trace (skipped when it is not beside the project)', () => {
  test('is what the deriver makes: ids, times, attributes, events, status', () => {
    // Its spans of the two components are those of two objects: what they say is in the record above.
    const spans = traceOf(UPGRADE, CLUSTER)
    const wanted = storedSpans()
    expect(spans.map(plain)).toEqual(wanted.map(plain))
  })

  test('keeps the conventions that are checked on the way in', () => {
    expect(storedSpans().flatMap((span) => upgradeSpanFault(span) ?? [])).toEqual([])
  })
})

/** Only what the stored trace says; the order of attributes is not a part of it. */
function plain(span: Span): unknown {
  const sorted = (attributes: Attributes): Attributes => [...attributes].sort((a, b) => (a.key < b.key ? -1 : 1))
  return {
    ...span,
    attributes: sorted(span.attributes),
    resource: { ...span.resource, attributes: sorted(span.resource.attributes) },
  }
}

interface StoredAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string }
}

interface StoredTrace {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly StoredAttribute[] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string }
      readonly spans: readonly {
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly name: string
        readonly kind: number
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
        readonly attributes: readonly StoredAttribute[]
        readonly events?: readonly {
          readonly timeUnixNano: string
          readonly name: string
          readonly attributes: readonly StoredAttribute[]
        }[]
        readonly status: { readonly code?: number; readonly message?: string }
      }[]
    }[]
  }[]
}

function storedSpans(): Span[] {
  const stored = JSON.parse(readFileSync(GOLDEN, 'utf8')) as StoredTrace
  const valueOf = ({ stringValue, intValue }: StoredAttribute['value']): AttributeValue =>
    stringValue ?? (intValue === undefined ? undefined : Number(intValue))
  const attributesOf = (list: readonly StoredAttribute[]): Attributes =>
    list.map(({ key, value }) => ({ key, value: valueOf(value) }))
  return stored.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
        traceState: '',
        name: span.name,
        kind: SPAN_KINDS[span.kind]!,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        events: (span.events ?? []).map((event) => ({
          timeNs: BigInt(event.timeUnixNano),
          name: event.name,
          attributes: attributesOf(event.attributes),
        })),
        links: [],
        status: { code: SPAN_STATUSES[span.status.code ?? 0]!, message: span.status.message ?? '' },
        flags: 0,
        resource: {
          service: 'hyperconverged-cluster-operator',
          cluster: CLUSTER_UID,
          attributes: attributesOf(resource.attributes),
        },
        scope: { ...scope, attributes: [] },
      })),
    ),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
