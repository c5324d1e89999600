import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../../src/model/alert.ts'
import type { AuditedAction } from '../../../src/model/audit.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { SharedFacts } from '../../../src/store/facts/facts.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

/** Everything that facts can hold about a cluster, under its name or with it in a text. */
async function fill(facts: SharedFacts, cluster: string): Promise<void> {
  const labels = Labels.of({ alertname: 'A', cluster })
  const fingerprint = fingerprintOf(labels)
  const deed = (action: AuditedAction['action'], subject: string, detail = ''): AuditedAction => {
    return { atMs: 1, by: 'ada', action, subject, detail }
  }
  const alert = { fingerprint, labels, annotations: {}, activeAtMs: 1 }
  const none = { put: [], removed: [] }
  const interval = { cluster, operator: 'o', version: '1', fromMs: 1, isStartKnown: true, resolutionSeconds: 1 }
  const record = emptyRecord(cluster)
  const change = { cluster, record, upgrades: none, modifications: none, intervals: { put: [interval], removed: [] } }
  await facts.fleet.write({ changes: [change], meta: [] })
  await facts.alertRuns.record([{ ...alert, firedAtMs: 2 }])
  const ack = { fingerprint, activeAtMs: 1, by: 'ada', atMs: 3, note: '' }
  await facts.acknowledgements.put(ack, deed('alert.acknowledge', fingerprint))
  await facts.runbookWork.add(
    {
      ...{ fingerprint, activeAtMs: 1, cluster, alertname: 'A', runbook: 'A', revision: 'r', atMs: 3, by: 'ada' },
      kind: 'note',
      text: 'n',
    },
    undefined,
    deed('runbook.note', fingerprint, JSON.stringify({ cluster })),
  )
  await facts.alertStates.replaceGroup(`g of ${cluster.length}`, [
    { ...alert, ruleKey: 'r', state: 'firing', lastHeldAtMs: 2, value: 1 },
  ])
  const times = { startsAtMs: 1, endsAtMs: 2, updatedAtMs: 1 }
  await facts.externalAlerts.write(
    [{ ...alert, ...times, receivedAtMs: 1, isTimeout: false, generatorUrl: '', sender: '' }],
    [],
  )
  const matchers = [{ name: 'cluster', op: '=' as const, value: cluster }]
  await facts.silences.write([
    {
      value: { id: `s ${cluster}`, matchers, ...times, createdBy: 'ada', comment: '', untilResolved: false },
      audited: deed('silence.create', 's', `of ${cluster}, for a while`),
    },
  ])
  const token = { role: 'ingest', name: 't', cluster, hash: cluster, createdAtMs: 1 } as const
  await facts.tokens.add(token, deed('token.add', ''))
  const key = JSON.stringify([`{cluster="${cluster}"}`, 'hook', 'webhook', 0])
  await facts.notificationLog.put([{ key, atMs: 1, firing: [], resolved: [], expiresAtMs: 9 }])
  const texts = {
    receiver: 'hook',
    integration: 'webhook',
    target: 't',
    reason: 'first',
    outcome: 'delivered',
  } as const
  await facts.deliveries.add([
    { ...texts, atMs: 1, groupKey: key, alertnames: [], fingerprints: [], attempt: 1, latencyMs: 1, payload: '' },
  ])
  const leases = facts.leasesOf({ name: 'p', instance: 'i', version: '1', roles: [], startedMs: 1 })
  await leases.register('cluster', [cluster])
  await facts.elections.exchange([{ cluster, group: '', delivered: 'r' }], 1)
}

describe.skipIf(POSTGRES === undefined)('the erasure of a cluster in PostgreSQL', () => {
  const postgres = sharedPostgres()

  test('leaves no row with its name, and every row of others', async () => {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    await fill(facts, 'prague')
    await fill(facts, 'vienna')
    await facts
      .leasesOf({ name: 'p', instance: 'i', version: '1', roles: [], startedMs: 1 })
      .register('rules', ['prague'])
    const client = new Client(options.url)
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'daytwo_schema' ORDER BY 1`,
    )
    /** Rows by table that mention a cluster by itself. */
    const mentions = async (cluster: string): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {}
      for (const { name } of rows) {
        const all = await client.query<object>(`SELECT * FROM ${name}`)
        const found = all.rows.filter((row) => new RegExp(`\\b${cluster}\\b`).test(JSON.stringify(row))).length
        if (found > 0) counts[name] = found
      }
      return counts
    }
    const others = await mentions('vienna')
    expect(Object.keys(others).length).toBeGreaterThan(11)
    const erased = { names: new Set(['prague']), labels: new Set(['cluster']) }
    expect(await facts.erase(erased)).toBeGreaterThan(10)
    // A group of rules of this name is no cluster.
    expect(await mentions('prague')).toEqual({ lease: 1 })
    expect(await mentions('vienna')).toEqual(others)
    expect(await facts.erase(erased)).toBe(0)
    expect((await facts.audit.verify()).fault).toBeUndefined()
    expect((await facts.audit.verify()).erased).toBeGreaterThan(0)
    await client.end()
  })
})
