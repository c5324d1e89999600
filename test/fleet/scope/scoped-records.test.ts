import { describe, expect, test } from 'vitest'
import {
  scopedAlertRuns,
  scopedAudit,
  scopedDeliveries,
  scopeMatcher,
  type AuditReader,
} from '../../../src/fleet/scope/scoped-records.ts'
import type { AlertRunReader, StoredAlertRun } from '../../../src/model/alert-run.ts'
import type { AuditEntry } from '../../../src/model/audit.ts'
import type { DeliveryReader, StoredDelivery } from '../../../src/model/delivery.ts'
import { Labels } from '../../../src/model/labels.ts'
import { compileMatcher } from '../../../src/model/matcher.ts'

const scope = {
  clusters: new Set(['a']),
  includes: (name: string) => name === 'a',
  names: () => ({ names: ['a'], revision: '' }),
}

/** Newest first; every third is of the scope. */
const RUNS: readonly StoredAlertRun[] = Array.from({ length: 1600 }, (_, i) => ({
  fingerprint: String(i),
  labels: Labels.of({ alertname: 'X', cluster: i % 3 === 0 ? 'a' : 'b' }),
  annotations: {},
  activeAtMs: 10_000 - i,
  firedAtMs: 10_000 - i,
}))

const runs: AlertRunReader = {
  one: ({ fingerprint }) => Promise.resolve(RUNS.find((run) => run.fingerprint === fingerprint)),
  page: ({ after, limit }) => {
    const from = after === undefined ? 0 : RUNS.findIndex(({ fingerprint }) => fingerprint === after.fingerprint) + 1
    return Promise.resolve(RUNS.slice(from, from + limit))
  },
  spans: (fingerprints) => Promise.resolve(fingerprints.map((fingerprint) => ({ fingerprint, firedAtMs: 0 }))),
  clustersOf: (fingerprints) =>
    Promise.resolve(
      new Map(
        RUNS.filter(({ fingerprint }) => fingerprints.includes(fingerprint)).map((run) => [
          run.fingerprint,
          run.labels.get('cluster'),
        ]),
      ),
    ),
  matching: (matchers) =>
    Promise.resolve([{ alertname: JSON.stringify(matchers.at(-1)), runs: 0, clusters: 0, lastFiredAtMs: 0 }]),
}

describe('the history of alerts', () => {
  const own = scopedAlertRuns(runs, scope)
  const read = async (limit: number, from?: StoredAlertRun) =>
    (await own.page({ fromMs: 0, toMs: 1, limit, ...(from && { after: from }) })).map(({ fingerprint }) =>
      Number(fingerprint),
    )

  test('pages are full, in order and without gaps, however many others lie in between', async () => {
    const all = RUNS.flatMap(({ fingerprint }, i) => (i % 3 === 0 ? [Number(fingerprint)] : []))
    expect(await read(1)).toEqual([0])
    expect(await read(400)).toEqual(all.slice(0, 400))
    expect(await read(5000)).toEqual(all)
    expect(await read(3, RUNS[600])).toEqual([603, 606, 609])
    expect(await read(3, RUNS[1599])).toEqual([])
  })

  test('occurrences are counted and drawn of alerts of the scope alone', async () => {
    expect(await own.spans(['0', '1', '3', 'none'], 0, 1)).toEqual([
      { fingerprint: '0', firedAtMs: 0 },
      { fingerprint: '3', firedAtMs: 0 },
    ])
    expect((await own.matching([], 0, 1))[0]!.alertname).toBe('{"name":"cluster","op":"=~","value":"a"}')
  })
})

test('the matcher of a scope matches its names as they are, and nothing when there are none', () => {
  const matcher = (names: readonly string[]) => {
    const test = compileMatcher(scopeMatcher({ names: () => ({ names, revision: '' }) }))
    return (text: string) => test(text)
  }
  expect(['a.b', 'axb', 'c|d', 'c', ''].map(matcher(['a.b', 'c|d']))).toEqual([true, false, true, false, false])
  expect(['', 'a', '\n', '\u{1F600}'].map(matcher([]))).toEqual([false, false, false, false])
})

test('a delivery is shown when all its alerts are of the scope, without the matchers of routes', async () => {
  const delivery = (id: number, ...fingerprints: string[]): StoredDelivery => ({
    ...{ id, atMs: 0, receiver: 'r', integration: 'webhook', target: 't', alertnames: ['X'], fingerprints },
    ...{ reason: 'first', outcome: 'delivered', attempt: 1, latencyMs: 1 },
    groupKey: '{}/{cluster=~"b"}:{}',
    payload: JSON.stringify({ groupKey: '{}/{cluster=~"b"}:{}', text: '{}/{cluster=~"b"}:{}' }),
  })
  const all = [delivery(5, '0'), delivery(4, '0', '1'), delivery(3), delivery(2, 'none'), delivery(1, '0', '3')]
  const deliveries: DeliveryReader = {
    list: ({ before = Infinity, limit }) => Promise.resolve(all.filter(({ id }) => id < before).slice(0, limit)),
    get: (id) => Promise.resolve(all.find((one) => one.id === id)),
  }
  const own = scopedDeliveries(deliveries, scopedAlertRuns(runs, scope), scope)
  expect((await own.list({ limit: 10 })).map(({ id }) => id)).toEqual([5, 1])
  expect((await own.list({ limit: 1 })).map(({ id }) => id)).toEqual([5])
  expect((await own.list({ limit: 10, before: 5 })).map(({ id }) => id)).toEqual([1])
  expect(await own.get(4)).toBeUndefined()
  expect(await own.get(9)).toBeUndefined()
  const shown = await own.get(5)
  expect([shown?.groupKey, shown?.payload]).toEqual(['', '{"groupKey":"","text":""}'])
})

test('the audit shows actions on clusters, alerts and silences of the scope', async () => {
  const silence = (value: string, op = '=') => JSON.stringify({ matchers: [{ name: 'cluster', op, value }] })
  const actions = [
    ['silence.create', 'id', silence('a'), true],
    ['silence.update', 'id', silence('b'), false],
    ['silence.expire', 'id', silence('a|b', '=~'), false],
    ['silence.create', 'id', JSON.stringify({ matchers: [{ name: 'alertname', op: '=', value: 'X' }] }), false],
    ['silence.create', 'id', '{}', false],
    ['alert.acknowledge', '0', '{}', true],
    ['alert.acknowledge', '1', '{}', false],
    ['alert.unacknowledge', 'none', '{}', false],
    ['alert.remove', '0', '{}', false],
    ['cluster.decommission', 'a', '{}', true],
    ['cluster.decommission.withdraw', 'b', '{}', false],
    ['cluster.return', 'a', '{}', true],
    ['cluster.erase', 'a', '{}', false],
    ['token.add', 'a', '{}', false],
    ['session.start', 'a', '{}', false],
    ['rules.reload', 'content', '{}', false],
  ] as const
  const entries = actions.map(([action, subject, detail], i): AuditEntry => {
    return { id: actions.length - i, atMs: 0, by: 'ada', action, subject, detail, hash: '' }
  })
  const audit: AuditReader = {
    list: (limit, before = Infinity) => Promise.resolve(entries.filter(({ id }) => id < before).slice(0, limit)),
  }
  const own = await scopedAudit(audit, scopedAlertRuns(runs, scope), scope).list(100)
  expect(own).toEqual(entries.filter((_, i) => actions[i]![3]))
})
