import { expect, test } from 'vitest'
import type { Audited } from '../../../src/model/audit.ts'
import type { AcceptedRisk } from '../../../src/model/readiness.ts'
import { NOW_MS } from '../temp-store.ts'
import { describeInBoth } from './in-both.ts'

const DAY_MS = 86_400_000

function risk(cluster: string, more: Partial<AcceptedRisk> = {}): AcceptedRisk {
  return {
    id: 'r1',
    cluster,
    hazard: 'json_patch',
    reason: 'CHG-1 "ü"\n',
    by: 'ada',
    acceptedMs: NOW_MS,
    expiresMs: NOW_MS + DAY_MS,
    ...more,
  }
}

function audited(...risks: readonly AcceptedRisk[]): readonly Audited<AcceptedRisk>[] {
  const action = { atMs: NOW_MS, by: 'ada', action: 'risk.accept', detail: '{}' } as const
  return risks.map((value) => ({ value, audited: { ...action, subject: value.cluster } }))
}

describeInBoth('accepted risks', (open) => {
  test('come back as they were, one row for each cluster of an acceptance, after a restart too', async () => {
    const facts = await open()
    const all = [risk('brno'), risk('prague'), risk('prague', { id: 'r2', acceptedMs: NOW_MS + 1, hazard: 'nodes' })]
    await facts.acceptedRisks.write(audited(...all.toReversed()), 0)
    const again = await facts.reopened()
    expect(await again.acceptedRisks.list()).toEqual(all)
    expect(await again.audit.list(5)).toMatchObject([{ subject: 'brno' }, { subject: 'prague' }, { subject: 'prague' }])
  })

  test('are replaced by id and cluster, and removed when they ended long ago', async () => {
    const facts = await open()
    const withdrawn = risk('prague', { withdrawn: { atMs: NOW_MS + 5, by: 'bo' } })
    await facts.acceptedRisks.write(audited(risk('brno'), risk('prague')), 0)
    await facts.acceptedRisks.write(audited(withdrawn), NOW_MS + 5)
    expect(await facts.acceptedRisks.list()).toEqual([risk('brno'), withdrawn])
    await facts.acceptedRisks.write([], NOW_MS + 6)
    expect(await facts.acceptedRisks.list()).toEqual([risk('brno')])
    await facts.acceptedRisks.write([], NOW_MS + DAY_MS)
    expect(await facts.acceptedRisks.list()).toEqual([risk('brno')])
    await facts.acceptedRisks.write([], NOW_MS + DAY_MS + 1)
    expect(await facts.acceptedRisks.list()).toEqual([])
  })

  test('of a hazard of another version are left out, and stay stored', async () => {
    const facts = await open()
    await facts.acceptedRisks.write(audited(risk('brno'), risk('prague', { hazard: 'of tomorrow' as never })), 0)
    expect(await facts.acceptedRisks.list()).toEqual([risk('brno')])
  })
})
