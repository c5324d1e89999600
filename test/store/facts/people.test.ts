import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../../src/model/alert.ts'
import type { AlertRunPlace, AlertRunRecord, StoredAlertRun } from '../../../src/model/alert-run.ts'
import type { AuditedAction } from '../../../src/model/audit.ts'
import type { ExternalAlertRecord } from '../../../src/model/external-alert.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { Silence } from '../../../src/model/silence.ts'
import { NOW_MS } from '../temp-store.ts'
import { describeInBoth } from './in-both.ts'

const DEED: AuditedAction = { atMs: NOW_MS, by: 'ada', action: 'silence.create', subject: 's1', detail: '{"a":1}' }

function silenceOf(id: string, more: Partial<Silence> = {}): Silence {
  return {
    id,
    matchers: [{ name: 'alertname', op: '=~', value: 'A"\n|ü' }],
    startsAtMs: NOW_MS,
    endsAtMs: Date.parse('3000-01-01T00:00:00Z'),
    updatedAtMs: NOW_MS,
    createdBy: 'ada',
    comment: '',
    untilResolved: true,
    ...more,
  }
}

function runOf(
  name: string,
  firedAtMs: number,
  more: Partial<AlertRunRecord> & { cluster?: string } = {},
): AlertRunRecord {
  const { cluster = 'c1', ...rest } = more
  const labels = Labels.of({ alertname: name, cluster, severity: 'warning' })
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: { summary: `${name} "fires"` },
    activeAtMs: firedAtMs - 60_000,
    firedAtMs,
    ...rest,
  }
}

describeInBoth('facts of people', (open) => {
  describe('silences', () => {
    test('come back as they were, after a restart too, with what was done', async () => {
      const facts = await open()
      const silences = [silenceOf('s1'), silenceOf('s2', { untilResolved: false, comment: 'c', endsAtMs: NOW_MS + 5 })]
      await facts.silences.write(silences.map((value) => ({ value, audited: { ...DEED, subject: value.id } })))
      const changed = { ...silences[0]!, comment: 'changed' }
      await facts.silences.write([{ value: changed, audited: { ...DEED, action: 'silence.update' } }])
      const reopened = await facts.reopened()
      expect(await reopened.silences.list()).toEqual([changed, silences[1]])
      expect((await reopened.audit.list(10)).map(({ id, action, subject }) => [id, action, subject])).toEqual([
        [3, 'silence.update', 's1'],
        [2, 'silence.create', 's2'],
        [1, 'silence.create', 's1'],
      ])
      expect(await reopened.audit.list(1, 3)).toMatchObject([{ ...DEED, id: 2, subject: 's2' }])
    })

    test('and the entry of the audit are written both or neither', async () => {
      const facts = await open()
      const broken = { ...DEED, atMs: 0.5 }
      await expect(facts.silences.write([{ value: silenceOf('s1'), audited: broken }])).rejects.toMatchObject({
        code: 'storage_failed',
      })
      await expect(
        facts.silences.write([{ value: silenceOf('s1', { endsAtMs: 0.5 }), audited: DEED }]),
      ).rejects.toThrow()
      expect([await facts.silences.list(), await facts.audit.list(10)]).toEqual([[], []])
    })

    test('that ended long ago go', async () => {
      const facts = await open()
      const all = [silenceOf('old', { endsAtMs: NOW_MS - 1 }), silenceOf('new', { endsAtMs: NOW_MS })]
      await facts.silences.write(all.map((value) => ({ value, audited: DEED })))
      await facts.silences.prune(NOW_MS)
      expect((await facts.silences.list()).map(({ id }) => id)).toEqual(['new'])
    })
  })

  describe('occurrences of alerts', () => {
    test('written again are the same run, and only their end changes', async () => {
      const facts = await open()
      const { alertRuns } = facts
      const run = runOf('A', NOW_MS)
      await alertRuns.record([run, runOf('B', NOW_MS)])
      await alertRuns.record([{ ...run, annotations: { summary: 'later' }, resolvedAtMs: NOW_MS + 5 }])
      const reopened = await facts.reopened()
      expect(await reopened.alertRuns.listOpen()).toEqual([runOf('B', NOW_MS)])
      const all = await reopened.alertRuns.page({ fromMs: 0, toMs: NOW_MS + 1, limit: 10, alertname: 'A' })
      expect(all).toEqual([{ ...run, resolvedAtMs: NOW_MS + 5 }])
    })

    test('are read newest first, page by page, each once', async () => {
      const facts = await open()
      const runs = Array.from({ length: 25 }, (_, i) => runOf('A', NOW_MS + (i % 5), { cluster: `c${i}` }))
      await facts.alertRuns.record(runs)
      const reader = await facts.besides()
      const seen: StoredAlertRun[] = []
      let after: AlertRunPlace | undefined
      for (;;) {
        const query = { fromMs: 0, toMs: NOW_MS + 10, limit: 4, ...(after === undefined ? {} : { after }) }
        const page = await reader.alertRuns.page(query)
        if (page.length === 0) break
        seen.push(...page)
        after = page.at(-1)
      }
      expect(seen).toHaveLength(25)
      expect(new Set(seen.map(({ fingerprint }) => fingerprint)).size).toBe(25)
      const times = seen.map(({ firedAtMs }) => firedAtMs)
      expect(times).toEqual([...times].sort((a, b) => b - a))
    })

    test.each([
      ['fired and resolved before', 0, 100, false],
      ['resolved at the first moment', 0, 200, true],
      ['still fires', 0, undefined, true],
      ['fired inside', 250, 260, true],
      ['fired at the end, which is not inside', 300, undefined, false],
    ])('a run that %s: in [200, 300)?', async (_, firedAtMs, resolvedAtMs, isIn) => {
      const { alertRuns } = await open()
      const run = runOf('A', firedAtMs, resolvedAtMs === undefined ? {} : { resolvedAtMs })
      await alertRuns.record([run])
      expect(await alertRuns.page({ fromMs: 200, toMs: 300, limit: 9 })).toHaveLength(isIn ? 1 : 0)
      expect(await alertRuns.spans([run.fingerprint], 200, 300)).toHaveLength(isIn ? 1 : 0)
      expect(await alertRuns.matching([], 200, 300)).toHaveLength(isIn ? 1 : 0)
    })

    test('that matchers match are counted, however many there are', async () => {
      const { alertRuns } = await open()
      const many = Array.from({ length: 4500 }, (_, i) =>
        runOf(i % 3 === 0 ? 'A' : 'B', NOW_MS + i, { cluster: `c${i % 10}` }),
      )
      await alertRuns.record(many)
      const matching = (op: '=' | '!=' | '=~' | '!~', value: string) =>
        alertRuns.matching([{ name: 'cluster', op, value }], 0, NOW_MS * 2)
      expect(await matching('=~', 'c[0-4]')).toEqual(
        [
          { alertname: 'B', runs: 1500, clusters: 5, lastFiredAtMs: NOW_MS + 4494 },
          { alertname: 'A', runs: 750, clusters: 5, lastFiredAtMs: NOW_MS + 4492 },
        ].map((expected) => ({ ...expected, lastFiredAtMs: expect.any(Number) as number })),
      )
      expect((await matching('=', 'c3')).map(({ runs }) => runs)).toEqual([300, 150])
      expect(await matching('!~', 'c.')).toEqual([])
      const named = await alertRuns.matching([{ name: 'alertname', op: '=', value: 'A' }], 0, NOW_MS * 2)
      expect(named).toEqual([{ alertname: 'A', runs: 1500, clusters: 10, lastFiredAtMs: NOW_MS + 4497 }])
    })

    test('name the clusters they are new on, and what fired there, each once', async () => {
      const { alertRuns } = await open()
      expect(await alertRuns.firedSince(0)).toEqual({ clusters: [], position: 0 })
      const [one, other] = [runOf('A', 10), runOf('B', 20, { cluster: 'c2' })]
      await alertRuns.record([one, other, runOf('NoCluster', 5, { cluster: '' })])
      const first = await alertRuns.firedSince(0)
      expect(first.clusters).toEqual(['c1', 'c2'])
      expect(await alertRuns.firedSince(first.position)).toEqual({ clusters: [], position: first.position })
      // An end is nothing new; a run that fired and ended between two looks is.
      await alertRuns.record([{ ...one, resolvedAtMs: 30 }, runOf('C', 25, { cluster: 'c2', resolvedAtMs: 30 })])
      const second = await alertRuns.firedSince(first.position)
      expect(second.clusters).toEqual(['c2'])
      expect((await alertRuns.firedSince(0)).clusters).toEqual(['c1', 'c2'])

      const many = Array.from({ length: 6 }, (_, i) => {
        const labels = Labels.of({ alertname: 'A', cluster: 'c1', severity: 'warning', vm: `vm-${i}` })
        return { ...runOf('A', 40 + (i % 2)), labels, fingerprint: fingerprintOf(labels) }
      })
      await alertRuns.record(many)
      const alert = { alertname: 'A', severity: 'warning' }
      const fired = [10, 40, 41].map((firedAtMs) => ({ ...alert, firedAtMs }))
      expect(await alertRuns.firedOn('c1', { fromMs: 10, toMs: 41 }, 9)).toEqual(fired)
      expect(await alertRuns.firedOn('c1', { fromMs: 10, toMs: 40 }, 9)).toEqual(fired.slice(0, 2))
      expect(await alertRuns.firedOn('c1', { fromMs: 10, toMs: 41 }, 2)).toEqual(fired.slice(0, 2))
    })

    test('go with their acknowledgements when they are old; open ones stay', async () => {
      const facts = await open()
      const [old, young, lasting] = [
        runOf('Old', 10, { resolvedAtMs: 20 }),
        runOf('Young', 10, { resolvedAtMs: 40 }),
        runOf('Open', 10),
      ]
      await facts.alertRuns.record([old, young, lasting])
      for (const { fingerprint, activeAtMs } of [old, young, lasting, { fingerprint: 'never', activeAtMs: 1 }]) {
        await facts.acknowledgements.put({ fingerprint, activeAtMs, by: 'ada', atMs: 15, note: '' }, DEED)
      }
      await facts.alertRuns.prune(30)
      const runs = await facts.alertRuns.page({ fromMs: 0, toMs: 100, limit: 9 })
      expect(runs.map(({ labels, acknowledgedBy }) => [labels.get('alertname'), acknowledgedBy]).sort()).toEqual([
        ['Open', 'ada'],
        ['Young', 'ada'],
      ])
      expect((await facts.acknowledgements.listOpen()).map(({ fingerprint }) => fingerprint)).toEqual([
        lasting.fingerprint,
      ])
    })
  })

  describe('acknowledgements', () => {
    test('are of one run, replaced, and taken back', async () => {
      const facts = await open()
      const ack = { fingerprint: 'f', activeAtMs: 5, by: 'ada', atMs: 6, note: 'ü' }
      await facts.acknowledgements.put(ack, DEED)
      await facts.acknowledgements.put({ ...ack, by: 'bob' }, DEED)
      await facts.acknowledgements.put({ ...ack, activeAtMs: 9 }, DEED)
      const reopened = await facts.reopened()
      expect(await reopened.acknowledgements.listOpen()).toEqual([
        { ...ack, by: 'bob' },
        { ...ack, activeAtMs: 9 },
      ])
      await reopened.acknowledgements.remove(
        { fingerprint: 'f', activeAtMs: 5 },
        { ...DEED, action: 'alert.unacknowledge' },
      )
      expect(await reopened.acknowledgements.listOpen()).toEqual([{ ...ack, activeAtMs: 9 }])
      expect((await reopened.audit.list(9)).map(({ action }) => action)[0]).toBe('alert.unacknowledge')
    })
  })

  describe('external alerts', () => {
    const alertOf = (name: string, more: Partial<ExternalAlertRecord> = {}): ExternalAlertRecord => {
      const labels = Labels.of({ alertname: name })
      return {
        fingerprint: fingerprintOf(labels),
        labels,
        annotations: { a: 'b' },
        startsAtMs: 1,
        endsAtMs: NOW_MS,
        updatedAtMs: 3,
        receivedAtMs: 4,
        isTimeout: true,
        generatorUrl: 'http://x/',
        sender: 'token brno',
        ...more,
      }
    }

    test('come back after a restart, replaced by fingerprint, until they are removed', async () => {
      const facts = await open()
      const all = Array.from({ length: 1200 }, (_, i) => alertOf(`A${i}`))
      await facts.externalAlerts.write(all, [])
      const [a7, a8] = [alertOf('A7', { endsAtMs: NOW_MS + 9, isTimeout: false }), alertOf('A8')]
      await facts.externalAlerts.write([a7], [alertOf('A9').fingerprint])
      const { externalAlerts, audit } = await facts.reopened()
      expect(await externalAlerts.list()).toHaveLength(1199)
      const kept = new Set([a7.fingerprint, a8.fingerprint])
      await externalAlerts.write(
        [],
        all.map(({ fingerprint }) => fingerprint).filter((one) => !kept.has(one)),
      )
      const fingerprints = [a8.fingerprint, a8.fingerprint, 'of nobody']
      expect(await externalAlerts.remove(fingerprints, { cluster: 'c1' }, { ...DEED, action: 'alert.remove' })).toBe(1)
      expect(await externalAlerts.remove(fingerprints, {}, { ...DEED, action: 'alert.remove' })).toBe(0)
      expect(await externalAlerts.list()).toEqual([a7])
      expect((await audit.list(9)).map(({ action, detail }) => [action, JSON.parse(detail) as unknown])).toEqual([
        ['alert.remove', { cluster: 'c1', alerts: 1 }],
      ])
    })
  })
})
