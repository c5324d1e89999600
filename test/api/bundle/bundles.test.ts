import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BUNDLES_MAX } from '../../../src/api/bundle/bundles.ts'
import { panelQueries, ruleQueries } from '../../../src/api/bundle/panel-queries.ts'
import { upgradeWindow } from '../../../src/api/bundle/upgrade-subject.ts'
import { checkBundle, sha256 } from '../../../src/bundle/archive/checksums.ts'
import { unzip } from '../../../src/bundle/archive/unzip.ts'
import { makeBundle, type BundleWish } from '../../../src/bundle/make-bundle.ts'
import { buildCatalog } from '../../../src/catalog/catalog.ts'
import { PROJECT_ROOT } from '../../../src/config/project-root.ts'
import { DEFAULT_REDACTION, type RedactionPolicy } from '../../../src/model/redaction.ts'
import { Labels } from '../../../src/model/labels.ts'
import { fingerprintOf, type RuleAlert } from '../../../src/model/alert.ts'
import type { Principal } from '../../../src/model/token.ts'
import { STABLE_LANGUAGE } from '../../../src/promql/parse-options.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PORTS } from '../../bundle/contents.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { fleetFactsOver } from '../../support/fleet-facts.ts'
import { memoryPeople, type MemoryPeople } from '../../support/people.ts'
import { putFacts } from '../../support/put-facts.ts'
import { plantedRollout } from '../../support/rollout-fleet.ts'
import { CLUSTER_UID, T0_MS, UPGRADE } from '../../support/upgrade-record.ts'
import { ruleAlert } from '../rule-alert.ts'
import { makeServer, NOW_MS, TEST_CATALOG, type TestServer } from '../test-server.ts'

const MINUTE_MS = 60_000
const TOKENS: Readonly<Record<string, Principal>> = {
  a: { role: 'viewer', name: 'ada' },
  b: { role: 'viewer', name: 'bob' },
  c: { role: 'viewer', name: 'cyd' },
}

let alerts: RuleAlert[]
let memory: MemoryPeople
let clock: FakeClock
let server: TestServer
let wishes: BundleWish[]
let policy: RedactionPolicy
/** Holds bundles back until it resolves. */
let gate: Promise<void>

beforeEach(async () => {
  gate = Promise.resolve()
  policy = DEFAULT_REDACTION
  wishes = []
  alerts = [
    ruleAlert('KubeVirtCRModified', CLUSTER_UID),
    ruleAlert('Elsewhere', 'other'),
    ruleAlert('Pending', CLUSTER_UID, 'pending'),
  ]
  clock = new FakeClock(NOW_MS)
  memory = await memoryPeople({ clock, ruleAlerts: () => alerts })
  await putFacts(memory.facts.fleet, [
    {
      cluster: emptyRecord(CLUSTER_UID, { firstSeenMs: T0_MS, lastSeenMs: NOW_MS, aliases: ['lab-east-1'] }),
      ...{ intervals: [], modifications: [], upgrades: [UPGRADE] },
    },
  ])
  await memory.people.cycle(NOW_MS)
  const { fleet } = await fleetFactsOver(memory.facts.fleet)
  server = await makeServer({
    ...{ clock, fleet, people: memory.people },
    redaction: () => policy,
    authenticate: (token) => Promise.resolve(TOKENS[token]),
    rules: {
      groups: () => Promise.resolve([]),
      alerts: () => alerts,
    },
    bundles: async (wish, signal) => {
      wishes.push(wish)
      await gate
      return makeBundle(wish, PORTS, signal)
    },
  })
})
afterEach(() => server.app.close())

function ask(path: string, token = 'a') {
  return server.app.inject({ url: `/api/fleet/v1/bundles/${path}`, headers: { authorization: `Bearer ${token}` } })
}

const count = async (outcome: string, kind = 'upgrade'): Promise<number | undefined> =>
  (await server.deps.metrics.bundles.get()).values.find(
    ({ labels }) => labels.kind === kind && labels.outcome === outcome,
  )?.value

describe('an upgrade', () => {
  test('is one archive, with its checksum in a header and in the audit', async () => {
    clock.set(T0_MS + 86_400_000)
    const answer = await ask(`upgrades/${UPGRADE.upgrade.id}?redact=strict`)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="daytwo-upgrade-20260820T093000Z.zip"',
      'cache-control': 'no-store',
    })
    const bytes = answer.rawPayload
    expect(checkBundle(bytes)).toMatchObject({ problems: [], redaction: 'strict' })
    const digest = sha256(bytes)
    expect(answer.headers['repr-digest']).toBe(`sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`)
    const [entry] = await memory.people.audit(1)
    expect(entry).toMatchObject({ by: 'ada', action: 'bundle.make', subject: CLUSTER_UID })
    expect(JSON.parse(entry!.detail)).toEqual({
      kind: 'upgrade',
      id: 'a1b2c3',
      redaction: 'strict',
      bytes: bytes.length,
      sha256: digest,
    })
    expect(await count('made')).toBe(1)
  })

  test('is read by all names of its cluster, in its window, and is the same later', async () => {
    clock.set(T0_MS + 86_400_000)
    const first = (await ask(`upgrades/${UPGRADE.upgrade.id}`)).rawPayload
    const { subject, redaction } = wishes[0]!
    expect(subject.clusters).toEqual([CLUSTER_UID, 'lab-east-1'])
    expect(subject.window).toEqual({ fromMs: T0_MS - 30 * MINUTE_MS, toMs: T0_MS + 1500_000 + 30 * MINUTE_MS })
    expect(subject.phases.map(({ name, state }) => `${name} ${state}`)).toContain('olm succeeded')
    expect(subject.traceIds).toHaveLength(1)
    expect(redaction.name).toBe('default')
    clock.set(T0_MS + 2 * 86_400_000)
    expect((await ask(`upgrades/${UPGRADE.upgrade.id}`)).rawPayload.equals(first)).toBe(true)
  })

  test('that is open reaches to now', () => {
    expect(upgradeWindow(UPGRADE, true, T0_MS + 86_400_000).toMs).toBe(T0_MS + 86_400_000)
    expect(upgradeWindow(UPGRADE, false, T0_MS + 1500_000 + MINUTE_MS).toMs).toBe(T0_MS + 1500_000 + MINUTE_MS)
    const upgrade = { ...UPGRADE.upgrade, phases: [] }
    const detail = { ...UPGRADE.detail, observedUntilMs: T0_MS }
    delete (upgrade as Partial<typeof upgrade>).startedMs
    delete (upgrade as Partial<typeof upgrade>).endedMs
    delete (detail as Partial<typeof detail>).workloads
    expect(upgradeWindow({ upgrade, detail }, false, T0_MS + 1)).toEqual({
      fromMs: T0_MS - 30 * MINUTE_MS,
      toMs: T0_MS + 1,
    })
  })

  test('that is unknown is not found, and is in no audit', async () => {
    const answer = await ask('upgrades/none')
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([404, 'no upgrade has the id "none"'])
    expect(await memory.people.audit(10)).toEqual([])
    expect(await count('failed')).toBe(1)
  })
})

describe('an alert', () => {
  const fingerprintOfAlert = (name: string, cluster = CLUSTER_UID): string =>
    fingerprintOf(Labels.of({ alertname: name, cluster, severity: 'warning' }))

  test('has its occurrence, phases, rule expression, runbook with values, and other alerts of the cluster', async () => {
    const fingerprint = fingerprintOfAlert('KubeVirtCRModified')
    const answer = await ask(`alerts/${fingerprint}`)
    expect(answer.statusCode).toBe(200)
    const { subject } = wishes[0]!
    expect(subject.window).toEqual({ fromMs: NOW_MS - 70 * MINUTE_MS, toMs: NOW_MS })
    expect(subject.phases).toEqual([
      { name: 'pending', state: 'succeeded', fromMs: NOW_MS - 10 * MINUTE_MS, toMs: NOW_MS - 9 * MINUTE_MS },
      { name: 'firing', state: 'in_progress', fromMs: NOW_MS - 9 * MINUTE_MS },
    ])
    expect(subject.queries.slice(0, 2)).toEqual([
      { title: 'Rule KubeVirtCRModified', expr: `up{cluster=~"${CLUSTER_UID}|lab-east-1"} > 0` },
      { title: 'Series of the rule KubeVirtCRModified', expr: `up{cluster=~"${CLUSTER_UID}|lab-east-1"}` },
    ])
    expect(subject.alerts.map(({ alertname }) => alertname)).toEqual(['KubeVirtCRModified'])
    const [runbook] = subject.runbooks
    expect(runbook).toMatchObject({ name: 'KubeVirtCRModified', values: [{ name: 'cluster', value: CLUSTER_UID }] })
    expect(runbook!.markdown).toContain("kubectl get hco -n '<namespace>'")
    expect(runbook!.revision).toBe(sha256(TEST_CATALOG.pages.get('KubeVirtCRModified')!.text))
    const page = unzip(answer.rawPayload).find(({ name }) => name === 'index.html')!
    expect(Buffer.from(page.bytes).toString()).toContain('Somebody changed an operand by hand')
    expect((await memory.people.audit(1))[0]).toMatchObject({ action: 'bundle.make', subject: CLUSTER_UID })
  })

  test('a pending one has no firing phase, and is listed although it is no stored occurrence', async () => {
    await ask(`alerts/${fingerprintOfAlert('Pending')}`)
    const { subject } = wishes[0]!
    expect(subject.phases).toEqual([{ name: 'pending', state: 'in_progress', fromMs: NOW_MS - 10 * MINUTE_MS }])
    expect(subject.alerts[0]!.alertname).toBe('Pending')
  })

  test('a past occurrence is found by its start, or it is the last one; others are not found', async () => {
    const fingerprint = fingerprintOfAlert('KubeVirtCRModified')
    alerts = alerts.map((alert) =>
      alert.fingerprint === fingerprint ? { ...alert, state: 'resolved', resolvedAtMs: NOW_MS } : alert,
    )
    await memory.people.cycle(NOW_MS)
    alerts = []
    clock.set(NOW_MS + 5 * 3_600_000)
    const activeAtMs = NOW_MS - 10 * MINUTE_MS
    expect((await ask(`alerts/${fingerprint}`)).statusCode).toBe(200)
    expect((await ask(`alerts/${fingerprint}?activeAtMs=${activeAtMs}`)).statusCode).toBe(200)
    expect(wishes[1]!.subject).toEqual(wishes[0]!.subject)
    expect(wishes[0]!.subject.window.toMs).toBe(NOW_MS + 30 * MINUTE_MS)
    expect((await ask(`alerts/${fingerprint}?activeAtMs=${activeAtMs + 1}`)).statusCode).toBe(404)
    expect((await ask('alerts/0000000000000000')).statusCode).toBe(404)
  })
})

describe('requests', () => {
  const id = UPGRADE.upgrade.id

  test('one at a time of each user, and a few in all', async () => {
    let open: () => void = () => undefined
    gate = new Promise((resolve) => {
      open = resolve
    })
    const first = ask(`upgrades/${id}`, 'a')
    const until = async (started: number): Promise<void> => {
      while (wishes.length < started) await new Promise((resolve) => setImmediate(resolve))
    }
    void first.then(() => undefined)
    await until(1)
    const again = await ask(`upgrades/${id}`, 'a')
    expect([again.statusCode, again.json<{ error: string }>().error]).toEqual([
      429,
      'another bundle of yours is being made; one at a time',
    ])
    const second = ask(`upgrades/${id}`, 'b')
    void second.then(() => undefined)
    await until(BUNDLES_MAX)
    const third = await ask(`upgrades/${id}`, 'c')
    expect([third.statusCode, third.json<{ error: string }>().error]).toEqual([
      503,
      '2 bundles are being made; at most 2 at a time',
    ])
    expect(await count('refused')).toBe(2)
    open()
    expect([(await first).statusCode, (await second).statusCode]).toEqual([200, 200])
    expect((await ask(`upgrades/${id}`, 'a')).statusCode).toBe(200)
  })

  test('only what the policy allows, with its profile and key', async () => {
    policy = { ...DEFAULT_REDACTION, allowed: ['strict'], pseudonymKey: '0123456789abcdef' }
    const refused = await ask(`upgrades/${id}?redact=none`)
    expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([
      403,
      'got redaction none, want strict: bundle.redaction allows no other',
    ])
    expect((await ask(`upgrades/${id}`)).statusCode).toBe(403)
    expect((await ask(`upgrades/${id}?redact=strict`)).statusCode).toBe(200)
    expect(wishes[0]!.redaction).toEqual({ name: 'strict', profile: policy.profiles.strict, key: '0123456789abcdef' })
  })

  test('unknown profiles and parameters are refused', async () => {
    expect((await ask(`upgrades/${id}?redact=some`)).statusCode).toBe(400)
    expect((await ask(`upgrades/${id}?activeAtMs=1`)).statusCode).toBe(400)
    expect((await ask('alerts/x?activeAtMs=-1')).statusCode).toBe(400)
  })
})

describe('queries of panels', () => {
  const files = ['workload-updates', 'fleet-upgrade-health', 'golden-images'].map((name) => {
    const path = join(PROJECT_ROOT, 'dashboards', `${name}.yaml`)
    return { path, text: readFileSync(path, 'utf8') }
  })
  const catalog = buildCatalog({ ruleFiles: [], pageFiles: [], dashboardFiles: files })
  const window = { fromMs: NOW_MS - 3_600_000, toMs: NOW_MS }

  test('are those about upgrades and workloads, each limited to the clusters', () => {
    const queries = panelQueries(catalog, ['a.b', 'c'], window, STABLE_LANGUAGE)
    expect(queries.length).toBeGreaterThan(15)
    for (const { expr } of queries) expect(expr).toContain('cluster=~"a\\\\.b|c"')
    expect(new Set(queries.map(({ expr }) => expr)).size).toBe(queries.length)
    expect(queries.map(({ title }) => title.split(':')[0])).not.toContain('Golden images')
    expect(queries.map(({ expr }) => expr).join(' ')).not.toContain('$')
    expect(panelQueries(catalog, [], window, STABLE_LANGUAGE)).toEqual([])
  })

  test('a rule without a cluster is not limited, and one that does not parse has no query', () => {
    expect(ruleQueries('A', 'sum(up) > 1', [], STABLE_LANGUAGE)).toEqual([
      { title: 'Rule A', expr: 'sum(up) > 1' },
      { title: 'Series of the rule A', expr: 'up' },
    ])
    expect(ruleQueries('A', 'sum(', ['a'], STABLE_LANGUAGE)).toEqual([])
  })
})

describe('of a rollout', () => {
  test('the bundle has the verdict with its policy and the clusters of the canary; without an upgrade there is none', async () => {
    const { fleet } = await plantedRollout({ nowMs: NOW_MS, canaries: 30, failing: 20, baselines: 60 })
    await server.app.close()
    server = await makeServer({
      ...{ clock, fleet, people: memory.people, redaction: () => policy },
      authenticate: (token) => Promise.resolve(TOKENS[token]),
      rules: { groups: () => Promise.resolve([]), alerts: () => [] },
      bundles: (wish, signal) => {
        wishes.push(wish)
        return makeBundle(wish, PORTS, signal)
      },
    })
    const { statusCode, rawPayload, headers } = await ask('rollouts/1.17.0')
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('application/zip')
    expect(checkBundle(rawPayload).problems).toEqual([])
    const files = new Map(unzip(rawPayload).map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]))
    const { rollout, policy: used } = JSON.parse(files.get('record.json')!) as {
      readonly rollout: { readonly decision: string }
      readonly policy: { readonly alpha: number }
    }
    expect([rollout.decision, used.alpha]).toEqual(['hold', 0.05])
    expect(files.get('index.html')).toContain('worse: canary 20 of 30')
    const { subject } = wishes.at(-1)!
    expect(subject.clusters.length).toBeGreaterThan(20)
    expect(subject.clusters.every((cluster) => cluster.startsWith('canary-'))).toBe(true)
    expect((await memory.facts.audit.list(1))[0]).toMatchObject({ action: 'bundle.make', by: 'ada' })
    expect((await ask('rollouts/9.9.9')).statusCode).toBe(404)
  })
})
