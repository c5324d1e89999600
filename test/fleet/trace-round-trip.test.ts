import { describe, expect, test } from 'vitest'
import { deriveCluster } from '../../src/fleet/derive/derive-cluster.ts'
import { spanEvidenceOf } from '../../src/fleet/trace/span-evidence.ts'
import { traceOf } from '../../src/fleet/trace/trace.ts'
import type { Span } from '../../src/model/span.ts'
import type { UpgradeRecord } from '../../src/model/upgrade.ts'
import { CLUSTER, CLUSTER_UID, T0_MS, UPGRADE, asKnownAt, phase } from '../support/upgrade-record.ts'

// What is told as a trace is understood as a trace: an operator that sends what the deriver would make is read as the same
// upgrade.

/** As the operator would send them. */
function native(record: UpgradeRecord): readonly Span[] {
  const scope = { name: 'hco/upgrade', version: '1.17.0', attributes: [] }
  return traceOf(record, CLUSTER).map((span) => ({ ...span, scope }))
}

function derived(spans: readonly Span[]): UpgradeRecord {
  const { upgrades } = deriveCluster({
    cluster: CLUSTER_UID,
    objects: [],
    absences: [],
    metrics: [],
    spans: spanEvidenceOf(spans).get(CLUSTER_UID)!,
  })
  expect(upgrades).toHaveLength(1)
  return upgrades[0]!
}

const timesOf = ({ upgrade }: UpgradeRecord) =>
  Object.fromEntries(
    upgrade.phases.flatMap(({ name, startedMs, endedMs }) =>
      startedMs === undefined ? [] : [[name, [startedMs, endedMs]]],
    ),
  )

describe('an upgrade told by its operator', () => {
  test('has the versions, times and phases that the trace says', () => {
    const { upgrade, detail } = derived(native({ ...UPGRADE, upgrade: { ...UPGRADE.upgrade, nodes: 40 } }))
    const { from, to, operator, startedMs, endedMs } = UPGRADE.upgrade
    expect(upgrade).toMatchObject({ from, to, operator, startedMs, endedMs, nodes: 40, state: 'succeeded' })
    expect(timesOf({ upgrade, detail })).toMatchObject({
      ...timesOf(UPGRADE),
      operands: [expect.any(Number), expect.any(Number)],
    })
    expect(detail).toMatchObject({ csvUid: UPGRADE.detail.csvUid, csvName: UPGRADE.detail.csvName })
    expect(detail.components.map(({ name }) => name).sort()).toEqual(['cdi', 'kubevirt'])
  })

  test('starts with its CSV, although its root starts with the approval', () => {
    const phases = [phase('approval', -6000, 0), ...UPGRADE.upgrade.phases]
    const spans = native({ ...UPGRADE, upgrade: { ...UPGRADE.upgrade, approval: 'Manual', phases } })
    const approval = spans.find(({ name }) => name === 'olm.approval')
    expect(spans[0]!.startNs).toBe(approval!.startNs)
    const { upgrade } = derived(spans)
    expect(upgrade.startedMs).toBe(UPGRADE.upgrade.startedMs)
    expect(upgrade.phases.find(({ name }) => name === 'approval')).toMatchObject({ startedMs: T0_MS - 6_000_000 })
  })

  test('is in progress while OLM retries a CSV that failed', () => {
    const running = asKnownAt(60)
    const csvSteps = [
      { phase: 'Installing', reason: 'InstallWaiting', startedMs: T0_MS + 20_000, endedMs: T0_MS + 60_000 },
      { phase: 'Failed', reason: 'InstallCheckFailed', startedMs: T0_MS + 60_000 },
    ]
    const { upgrade } = derived(native({ ...running, detail: { ...running.detail, csvSteps } }))
    expect(upgrade.state).toBe('in_progress')
    expect(upgrade.phases.find(({ name }) => name === 'olm.installing')).toMatchObject({ state: 'in_progress' })
  })

  test('is under way while its spans are', () => {
    const { upgrade } = derived(native(asKnownAt(200)))
    expect(upgrade).toMatchObject({ state: 'in_progress', to: '1.17.0' })
    expect(upgrade.endedMs).toBeUndefined()
  })

  test('is one although the operator was restarted and went on in a trace of its own', () => {
    const spans = native(UPGRADE).map((span) => {
      const isLater = span.name === 'component.upgrade' || span.name === 'kubevirt.workload_update'
      return isLater ? { ...span, traceId: 'ab'.repeat(16) } : span
    })
    expect(timesOf(derived(spans))).toEqual(timesOf(derived(native(UPGRADE))))
    expect(derived(spans).detail.components).toHaveLength(2)
  })

  test('is one that is known by the name of its CSV alone', () => {
    const spans = native(UPGRADE).map((span) => ({
      ...span,
      traceId: span.name.startsWith('upgrade') ? span.traceId : 'ab'.repeat(16),
      attributes: span.attributes.filter(({ key }) => key !== 'deployment.id'),
    }))
    const { csvUid } = derived(spans).detail
    expect(csvUid).toBeUndefined()
    expect(timesOf(derived(spans))).toEqual(timesOf(derived(native(UPGRADE))))
  })

  test('has the same trace when it is derived again', () => {
    const spans = native(UPGRADE)
    const again = traceOf(derived(spans), CLUSTER)
    const idsOf = (of: readonly Span[]): string[] =>
      of.map(({ traceId, spanId, name }) => `${traceId} ${spanId} ${name}`).sort()
    expect(idsOf(again)).toEqual(idsOf(spans))
  })
})
