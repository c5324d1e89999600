import { Value } from 'typebox/value'
import { afterEach, describe, expect, test } from 'vitest'
import { GateAnswer, RolloutAnswer, RolloutItems } from '../../../src/contract/fleet-rollouts.ts'
import { DEFAULT_ROLLOUT_POLICY } from '../../../src/model/rollout-verdict.ts'
import { plantedRollout, type PlantedRollout } from '../../support/rollout-fleet.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const PATH = '/api/fleet/v1/rollouts'

let server: TestServer | undefined
afterEach(async () => {
  await server?.app.close()
  server = undefined
})

const GOOD = { nowMs: NOW_MS, canaries: 80, baselines: 160 } as const

async function started(planted: Omit<PlantedRollout, 'nowMs'>): Promise<TestServer> {
  server = await makeServer(await plantedRollout({ ...planted, nowMs: NOW_MS }))
  return server
}

async function rolloutOf(search = '', version = '1.17.0') {
  const reply = await server!.app.inject(`${PATH}/${version}${search}`)
  expect(reply.statusCode, reply.body).toBe(200)
  const answer = reply.json<RolloutAnswer>()
  expect([...Value.Errors(RolloutAnswer, answer)]).toEqual([])
  return answer
}

describe('the verdict on one version', () => {
  test('proceed, with each number and its denominator', async () => {
    await started(GOOD)
    const { rollout, policy } = await rolloutOf()
    expect(rollout).toMatchObject({
      ...{ decision: 'proceed', operator: 'kubevirt-hyperconverged', version: '1.17.0', clusters: 80, leftOut: 0 },
      canary: { count: 0, of: 80 },
      baseline: { count: 0, of: 160 },
      ...{ canariesNeeded: null, daysNeeded: null },
    })
    expect(rollout.canary.high).toBeLessThanOrEqual(rollout.accepted)
    expect(rollout.signals.map(({ signal }) => signal)).toEqual(DEFAULT_ROLLOUT_POLICY.signals)
    const [failures] = rollout.signals
    expect(failures).toMatchObject({
      ...{ state: 'open', needed: 100, since: null, counted: [] },
      strata: [{ stratum: 'openshift / 4 to 10 nodes', canary: { count: 0, of: 80 }, baseline: { count: 0, of: 160 } }],
    })
    expect(policy).toMatchObject({ alpha: 0.05, horizonSeconds: 21_600, windowSeconds: 86_400, slowdownMin: 1.1 })
  })

  test('hold: the failed upgrades are named, and lead to their clusters', async () => {
    await started({ ...GOOD, failing: 20 })
    const { rollout } = await rolloutOf()
    expect(rollout).toMatchObject({ decision: 'hold', canary: { count: 20, of: 80 } })
    expect(rollout.reason).toContain('failures')
    const failures = rollout.signals.find(({ signal }) => signal === 'failures')!
    expect(failures).toMatchObject({ state: 'worse', canary: { count: 20, of: 80 } })
    expect(failures.counted).toHaveLength(20)
    expect(failures.counted[0]).toMatchObject({ upgrade: expect.stringMatching(/^upgrade-of-canary-/) as string })
    expect(Date.parse(failures.since!)).toBeLessThan(NOW_MS)
  })

  test('insufficient: how many more upgrades, and how many days that takes', async () => {
    await started({ ...GOOD, canaries: 20 })
    const { rollout } = await rolloutOf()
    expect(rollout.decision).toBe('insufficient')
    const { canariesNeeded, daysNeeded } = rollout
    expect(canariesNeeded).toBeGreaterThan(10)
    // One a day, of the days 25 to 6 before: nine in the last two weeks.
    expect(daysNeeded! / canariesNeeded!).toBeCloseTo(14 / 9, 6)
  })

  test('not comparable: a version without upgrades, and nothing beside', async () => {
    await started({ ...GOOD, baselines: 0 })
    expect((await rolloutOf('', '1.99.0')).rollout).toMatchObject({
      ...{ decision: 'not_comparable', clusters: 0, firstAt: null },
      reason: 'No cluster of the canary has upgraded to this version.',
    })
    expect((await rolloutOf()).rollout).toMatchObject({ decision: 'not_comparable', clusters: 80 })
  })

  test('which phase became slower, by how much, with an interval; the others did not', async () => {
    await started({ ...GOOD, slowdown: 2 })
    const { rollout } = await rolloutOf()
    expect(rollout.reason).toContain('duration')
    const [upgrade, olm, operands] = rollout.phases
    expect(operands).toMatchObject({
      phase: 'operands',
      change: 'slower',
      canary: { runs: 80 },
      baseline: { runs: 160 },
      strata: 1,
    })
    expect(operands!.ratio!.low).toBeGreaterThan(1.5)
    expect(operands!.ratio!.high).toBeLessThan(2.5)
    expect(operands!.canary.medianSeconds).toBe(2 * operands!.baseline.medianSeconds!)
    expect(upgrade).toMatchObject({ phase: 'upgrade', change: 'slower' })
    expect(olm).toMatchObject({ phase: 'olm', change: 'similar' })
  })

  test('an alert that is new with the version', async () => {
    await started({ ...GOOD, newAlert: 'VirtHandlerDown' })
    const { rollout } = await rolloutOf()
    expect(rollout).toMatchObject({ decision: 'hold', reason: 'Worse: alerts.' })
    expect(rollout.alertChanges).toMatchObject([
      {
        alertname: 'VirtHandlerDown',
        isNew: true,
        canary: { count: 80, of: 80 },
        others: { count: 0 },
        ratio: { value: null, high: null },
      },
    ])
    expect(rollout.alertChanges[0]!.ratio.low).toBeGreaterThan(10)
  })

  test.each([
    ['?first=10', 10],
    ['?region=eu', 40],
    ['?region=eu&first=10', 10],
    ['?environment=staging', 16],
    ['?channel=stable', 80],
    ['?channel=candidate', 0],
    ['?platform=openshift%204.20', 80],
    ['?text=canary-1', 11],
    ['?cluster=canary-3&cluster=canary-4-uid&cluster=other-1', 2],
  ])('the canary is chosen by %s', async (search, clusters) => {
    await started(GOOD)
    expect((await rolloutOf(search)).rollout.clusters).toBe(clusters)
  })

  test('a past moment knows only what was known then', async () => {
    await started({ ...GOOD, failing: 20 })
    const reply = await server!.app.inject(`${PATH}/1.17.0?at=2026-01-01T00:00:00Z`)
    expect(reply.json<RolloutAnswer>().rollout).toMatchObject({ decision: 'not_comparable', clusters: 0 })
  })
})

test('the list has every version of the last 30 days, the newest first', async () => {
  await started(GOOD)
  const answer = (await server!.app.inject(PATH)).json<RolloutItems>()
  expect([...Value.Errors(RolloutItems, answer)]).toEqual([])
  expect(answer.rollouts.map(({ version }) => version)).toEqual(['1.17.0', '1.16.0'])
  expect((await server!.app.inject(`${PATH}?operator=openshift`)).json<RolloutItems>().rollouts).toEqual([])
})

test('the policy decides which signals there are, and what is large enough to hold', async () => {
  const policy = { ...DEFAULT_ROLLOUT_POLICY, signals: ['duration'] as const, slowdownMin: 3 }
  await started({ ...GOOD, failing: 20, slowdown: 2, policy })
  const { rollout } = await rolloutOf()
  expect(rollout.signals).toMatchObject([
    { signal: 'duration', state: 'open', reason: expect.stringContaining('by less') as string },
  ])
  expect(rollout.decision).not.toBe('hold')
})

test('the update graph has the verdict of each version that is rolled out', async () => {
  await started({ ...GOOD, failing: 20 })
  const graph = (await server!.app.inject('/api/fleet/v1/update-graph')).json<{
    versions: { version: string; verdict: string | null }[]
  }>()
  const verdicts = new Map(graph.versions.map(({ version, verdict }) => [version, verdict]))
  expect(verdicts.get('1.17.0')).toBe('hold')
  expect(graph.versions.filter(({ verdict }) => verdict !== null)).toHaveLength(2)
})

describe('the gate', () => {
  const gate = (body: object) => server!.app.inject({ method: 'POST', url: `${PATH}/1.17.0/gate`, payload: body })
  const FLAGGER = { name: 'podinfo', namespace: 'test', phase: 'Progressing', checksum: '85d557f47b', metadata: {} }

  test('200 for proceed', async () => {
    await started(GOOD)
    const reply = await gate(FLAGGER)
    expect(reply.statusCode).toBe(200)
    const answer = reply.json<unknown>()
    expect([...Value.Errors(GateAnswer, answer)]).toEqual([])
    expect(answer).toMatchObject({ isAccepted: true, decision: 'proceed', version: '1.17.0' })
  })

  test('409 for all else, with the verdict; what is accepted and the canary are the metadata', async () => {
    await started({ ...GOOD, failing: 20 })
    const reply = await gate(FLAGGER)
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toMatchObject({ isAccepted: false, decision: 'hold' })
    expect((await gate({ metadata: { accept: 'hold, proceed' } })).statusCode).toBe(200)
    const few = await gate({ metadata: { accept: 'insufficient', first: '3', operator: 'kubevirt-hyperconverged' } })
    expect(few.json()).toMatchObject({ isAccepted: true, decision: 'insufficient' })
  })

  test.each([
    [{ accept: 'maybe' }, 'metadata.accept: got \\"maybe\\", want some of proceed, hold, insufficient, not_comparable'],
    [{ operator: 'cdi' }, 'metadata.operator: got \\"cdi\\", want one of kubevirt-hyperconverged, kubevirt, openshift'],
    [{ first: '0' }, 'metadata.first: got \\"0\\", want a whole number, 1 or more'],
  ])('%j is refused', async (metadata, message) => {
    await started({ ...GOOD, canaries: 1 })
    const reply = await gate({ metadata })
    expect(reply.statusCode).toBe(400)
    expect(reply.body).toContain(message)
  })
})
