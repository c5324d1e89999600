import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintOf, type Alert } from '../../src/model/alert.ts'
import type { ExternalAlertRecord } from '../../src/model/external-alert.ts'
import { Labels } from '../../src/model/labels.ts'
import { externalAlertOf, mergeExternal, readPosted, type ExternalAlert } from '../../src/notify/external-alert.ts'
import { DuplicateAlerts } from '../../src/notify/duplicate-alerts.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { memoryPeople } from '../support/people.ts'
import { atOnce } from '../support/at-once.ts'

const NOW_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const RULES = {
  nowMs: NOW_MS,
  resolveTimeoutMs: 5 * MINUTE_MS,
  sender: 'token a',
  endsWithinMs: 60 * MINUTE_MS,
  clusterAliases: ['cluster_id', '_id'],
}

function posted(labels: Readonly<Record<string, string>>, more: object = {}) {
  return { labels, annotations: {}, generatorUrl: '', ...more }
}

describe('an alert that somebody posts', () => {
  test.each([
    ['says its cluster', { a: 'b', cluster: 'c1' }, {}, { a: 'b', cluster: 'c1' }],
    ['says it under another name', { _id: 'x', cluster_id: 'c1' }, {}, { _id: 'x', cluster_id: 'c1', cluster: 'c1' }],
    ['says none', { a: 'b' }, {}, { a: 'b' }],
    ['is stamped by its token', { a: 'b' }, { cluster: 'c9' }, { a: 'b', cluster: 'c9' }],
    ['may say what its token says', { cluster_id: 'c9' }, { cluster: 'c9' }, { cluster_id: 'c9', cluster: 'c9' }],
  ])('%s', (_, labels, bound, want) => {
    const said = readPosted(posted(labels), { ...RULES, ...bound })
    expect(said).toMatchObject({ fingerprint: fingerprintOf(Labels.of(want)) })
  })

  test('cannot speak for another cluster than its token', () => {
    expect(readPosted(posted({ cluster_id: 'c1' }), { ...RULES, cluster: 'c9' })).toEqual({
      fault: 'cluster "c1" is not the token\'s cluster "c9"',
    })
  })

  test.each([
    [{}, NOW_MS, NOW_MS + 5 * MINUTE_MS, true],
    [{ startsAtMs: 5 }, 5, NOW_MS + 5 * MINUTE_MS, true],
    [{ endsAtMs: NOW_MS + 9 }, NOW_MS + 9, NOW_MS + 9, false],
    [{ startsAtMs: 5, endsAtMs: 9 }, 5, 9, false],
    [{ startsAtMs: 5, endsAtMs: NOW_MS + 60 * MINUTE_MS }, 5, NOW_MS + 60 * MINUTE_MS, false],
    [{ startsAtMs: 5, endsAtMs: Date.UTC(9999, 0) }, 5, NOW_MS + 60 * MINUTE_MS, false],
    [
      { startsAtMs: Date.UTC(9999, 0) - 1, endsAtMs: Date.UTC(9999, 0) },
      NOW_MS + 60 * MINUTE_MS,
      NOW_MS + 60 * MINUTE_MS,
      false,
    ],
  ])('with times %j starts, ends, and ends by itself', (times, startsAtMs, endsAtMs, isTimeout) => {
    expect(readPosted(posted({ a: 'b' }, times), RULES)).toMatchObject({ startsAtMs, endsAtMs, isTimeout })
  })

  test.each([
    [posted({}), 'at least one label pair required'],
    [posted({ a: '' }), 'at least one label pair required'],
    [posted({ 'a-b': 'c' }), 'invalid label set: invalid name "a-b"'],
    [posted({ a: 'b' }, { annotations: { '1': 'c' } }), 'invalid annotations: invalid name "1"'],
    [posted({ a: 'x'.repeat(20_000) }), 'invalid label set: a has 20000 characters, want at most 16384'],
    [
      posted(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, 'x']))),
      'invalid label set: got 65 pairs, want at most 64',
    ],
    [posted({ a: 'b' }, { startsAtMs: 9, endsAtMs: 5 }), 'start time must be before end time'],
    [
      posted({ a: 'x'.repeat(16_384) }, { annotations: { b: 'x'.repeat(16_383) } }),
      'the alert has 32769 characters, want at most 32768',
    ],
  ])('is refused: %#', (alert, fault) => {
    expect(readPosted(alert, RULES)).toEqual({ fault })
  })
})

test.each([
  ['http://prometheus/graph', 'http://prometheus/graph'],
  ['HTTPS://prometheus/graph', 'HTTPS://prometheus/graph'],
  ['javascript:alert(1)', ''],
  ['javascript:https://x', ''],
  ['data:text/html,x', ''],
  ['/graph', ''],
  ['', ''],
])('the source of an alert %j becomes %j: only what may be a link is passed on', (generatorUrl, want) => {
  expect(readPosted(posted({ a: 'b' }, { generatorUrl }), RULES)).toMatchObject({ generatorUrl: want })
})

test('an alert of exactly the maximum size is accepted', () => {
  const alert = posted({ a: 'x'.repeat(16_384) }, { annotations: { b: 'x'.repeat(16_382) } })
  expect(readPosted(alert, RULES)).not.toHaveProperty('fault')
})

describe('an alert that is said again', () => {
  const record = (startsAtMs: number, endsAtMs: number, updatedAtMs: number, isTimeout = true): ExternalAlertRecord => {
    const labels = Labels.of({ alertname: 'A' })
    const common = { fingerprint: fingerprintOf(labels), labels, annotations: {}, generatorUrl: '', sender: 'token a' }
    return { ...common, startsAtMs, endsAtMs, updatedAtMs, receivedAtMs: updatedAtMs, isTimeout }
  }

  test.each([
    ['goes on', record(10, 100, 20), record(10, 150, 50), { startsAtMs: 10, endsAtMs: 150, receivedAtMs: 20 }],
    [
      'keeps its earlier start',
      record(10, 100, 20),
      record(50, 150, 50),
      { startsAtMs: 10, endsAtMs: 150, receivedAtMs: 20 },
    ],
    ['resolves', record(10, 100, 20), record(10, 50, 50), { startsAtMs: 10, endsAtMs: 50 }],
    ['does not shorten an end that was named', record(10, 100, 20, false), record(10, 80, 50), { endsAtMs: 100 }],
    ['shortens an end that nobody named', record(10, 100, 20), record(10, 80, 50), { endsAtMs: 80 }],
    [
      'is a new run after a pause',
      record(10, 100, 20),
      record(200, 300, 200),
      { startsAtMs: 200, endsAtMs: 300, receivedAtMs: 200 },
    ],
  ])('%s', (_, known, said, want) => {
    expect(mergeExternal(known, said)).toMatchObject(want)
  })

  test('never starts later or becomes older, in any order', () => {
    const time = fc.integer({ min: 1, max: 100 })
    fc.assert(
      fc.property(fc.tuple(time, time, time, fc.boolean()), fc.tuple(time, time, fc.boolean()), (one, two) => {
        const known = record(one[0], one[0] + one[1], one[2], one[3])
        const said = record(two[0], two[0] + two[1], one[2] + 1, two[2])
        const merged = mergeExternal(known, said)
        expect(merged.startsAtMs).toBeLessThanOrEqual(said.startsAtMs)
        expect(merged.endsAtMs).toBeGreaterThanOrEqual(merged.startsAtMs)
        expect(merged.updatedAtMs).toBe(said.updatedAtMs)
      }),
    )
  })
})

describe('two reports of one thing', () => {
  let serial = 0
  const ofRule = (labels: Readonly<Record<string, string>>, firedAtMs = NOW_MS): Alert => {
    const set = Labels.of({ alertname: 'A', cluster: 'c1', severity: 'warning', ...labels })
    return {
      fingerprint: `rule${serial++}`,
      labels: set,
      annotations: {},
      state: 'firing',
      activeAtMs: firedAtMs - 1,
      firedAtMs,
      lastHeldAtMs: firedAtMs,
      value: 1,
    }
  }
  const posted = (labels: Readonly<Record<string, string>>, receivedAtMs = NOW_MS): ExternalAlert => {
    const alert = ofRule(labels, receivedAtMs)
    const said = { ...alert, startsAtMs: 1, endsAtMs: NOW_MS * 2, updatedAtMs: NOW_MS, receivedAtMs, isTimeout: true }
    return externalAlertOf({ ...said, fingerprint: `posted${serial++}`, generatorUrl: '', sender: '' }, NOW_MS)
  }
  const pairs = (alerts: readonly (Alert | ExternalAlert)[], aliases: Readonly<Record<string, string>> = {}) =>
    [...atOnce(new DuplicateAlerts((name) => aliases[name] ?? name).update(alerts))].map(([second, first]) => {
      return [second, first].map((fingerprint) => alerts.findIndex((alert) => alert.fingerprint === fingerprint))
    })

  test.each([
    ['the rule speaks when both came at once', [ofRule({}), posted({})], [[1, 0]]],
    ['the rule speaks when it came first', [ofRule({}, NOW_MS - 1), posted({})], [[1, 0]]],
    ['the other speaks when it came first', [ofRule({}), posted({}, NOW_MS - 1)], [[0, 1]]],
    ['labels that only one has tell nothing', [ofRule({ vm: 'x' }), posted({ namespace: 'n', pod: 'p' })], [[1, 0]]],
    [
      'who scraped it tells nothing',
      [ofRule({ prometheus: 'a' }), posted({ prometheus: 'b', cluster_id: 'u' })],
      [[1, 0]],
    ],
    ['another machine is another thing', [ofRule({ vm: 'x' }), posted({ vm: 'y' })], []],
    ['another severity is another alert', [ofRule({}), posted({ severity: 'critical' })], []],
    ['another cluster is another thing', [ofRule({}), posted({ cluster: 'c2' })], []],
    [
      'two replicas of one Prometheus are one',
      [posted({ prometheus_replica: 'a' }), posted({ prometheus_replica: 'b' }, NOW_MS + 1)],
      [[1, 0]],
    ],
    ['two rules are never one', [ofRule({}), ofRule({ vm: 'x' })], []],
    [
      'a vague one speaks for one exact one',
      [posted({}, NOW_MS - 9), ofRule({ vm: 'x' }), ofRule({ vm: 'y' }, NOW_MS + 1)],
      [[1, 0]],
    ],
    [
      'an exact one speaks for all vague ones',
      [ofRule({ vm: 'x' }, NOW_MS - 9), posted({}), posted({ namespace: 'n' })],
      [
        [1, 0],
        [2, 0],
      ],
    ],
    ['what is over speaks for nobody', [{ ...ofRule({}), state: 'resolved' as const }, posted({})], []],
  ])('%s', (_, alerts, want) => {
    expect(pairs(alerts)).toEqual(want)
  })

  test('have old names of an alert in common', () => {
    const alerts = [ofRule({}), posted({ alertname: 'OldA' })]
    expect(pairs(alerts)).toEqual([])
    expect(pairs(alerts, { OldA: 'A' })).toEqual([[1, 0]])
  })
})

describe('alerts of others', () => {
  test('survive a restart, resolve by themselves, and are forgotten a quarter of an hour later', async () => {
    const clock = new FakeClock(NOW_MS)
    const memory = await memoryPeople({ clock })
    const post = () => memory.people.external.post([posted({ alertname: 'A' })], { ...RULES, nowMs: clock.nowMs() })
    expect(await post()).toMatchObject({ taken: 1, faults: [], evicted: 0 })
    const after = await memory.restart()
    expect(after.alerts()).toMatchObject([{ state: 'firing', activeAtMs: NOW_MS }])
    clock.advance(5 * MINUTE_MS)
    expect(after.alerts()).toMatchObject([{ state: 'resolved', resolvedAtMs: NOW_MS + 5 * MINUTE_MS }])
    await after.cycle(clock.nowMs())
    expect(await after.runs.page({ fromMs: 0, toMs: NOW_MS * 2, limit: 9 })).toMatchObject([
      { firedAtMs: NOW_MS, resolvedAtMs: NOW_MS + 5 * MINUTE_MS },
    ])
    clock.advance(16 * MINUTE_MS)
    expect(after.alerts()).toEqual([])
    await after.cycle(clock.nowMs())
    expect(await memory.facts.externalAlerts.list()).toEqual([])
  })
})

const NO_LIMIT = { total_limit: 0, sender_limit: 0, cluster_limit: 0 }

describe('the room for alerts of others', () => {
  const OPTIONS = {
    'alerts.external-max': '10',
    'alerts.external-sender-max': '6',
    'alerts.external-cluster-max': '4',
    'alerts.external-ends-within': '1h',
  }
  const start = async (options: Readonly<Record<string, string>> = OPTIONS) => {
    const clock = new FakeClock(NOW_MS)
    const memory = await memoryPeople({ clock, options })
    let serial = 0
    const post = (sender: string, cluster: string, count: number, more: object = {}, people = memory.people) => {
      const alerts = Array.from({ length: count }, () => posted({ alertname: `A${serial++}`, cluster }, more))
      return people.external.post(alerts, { nowMs: clock.nowMs(), resolveTimeoutMs: 60 * MINUTE_MS, sender })
    }
    return { clock, memory, post, external: memory.people.external }
  }
  const sizes = (people: Awaited<ReturnType<typeof start>>['external']) =>
    Object.fromEntries(people.shares().map(({ sender, alerts, clusters }) => {
      return [sender, [alerts, ...clusters.map((one) => `${one.cluster} ${one.alerts}`)]]
    })) // prettier-ignore

  test('one sender fills its own share, and every other sender is still heard', async () => {
    const { post, external } = await start({})
    for (let i = 0; i < 10; i++) await post('token loud', `c${i}`, 1000, { endsAtMs: Date.UTC(9999, 0) })
    expect(sizes(external)['token loud']![0]).toBe(5000)
    expect(await post('token quiet', 'c1', 1)).toMatchObject({ taken: 1, refused: NO_LIMIT })
  })

  test('a sender has a limit for one cluster', async () => {
    const { post, external } = await start()
    expect(await post('a', 'c1', 3)).toMatchObject({ taken: 3, refused: NO_LIMIT, evicted: 0 })
    expect(await post('a', 'c1', 3)).toMatchObject({ taken: 1, refused: { ...NO_LIMIT, cluster_limit: 2 }, evicted: 0 })
    expect(await post('b', 'c1', 1)).toMatchObject({ taken: 1 })
    expect(sizes(external)).toEqual({ a: [4, 'c1 4'], b: [1, 'c1 1'] })
  })

  test('a sender has a limit, at which its largest cluster makes room for a smaller one', async () => {
    const { post, external } = await start()
    await post('a', 'c1', 4)
    await post('a', 'c2', 2)
    expect(await post('a', 'c3', 1)).toMatchObject({ taken: 1, evicted: 1 })
    expect(sizes(external)).toEqual({ a: [6, 'c1 3', 'c2 2', 'c3 1'] })
    expect(await post('a', 'c2', 1)).toMatchObject({ taken: 0, refused: { ...NO_LIMIT, sender_limit: 1 } })
    expect(await post('a', 'c3', 1)).toMatchObject({ taken: 1, evicted: 1 })
    expect(sizes(external)).toEqual({ a: [6, 'c1 2', 'c2 2', 'c3 2'] })
  })

  test('all senders have a limit, at which the largest makes room for a smaller one, by age', async () => {
    const { clock, post, external } = await start()
    await post('a', 'c1', 1)
    clock.advance(MINUTE_MS)
    await post('a', 'c1', 3)
    await post('a', 'c2', 2)
    await post('b', 'c3', 4)
    expect(await post('c', 'c4', 2)).toMatchObject({ taken: 2, evicted: 2 })
    expect(sizes(external)).toEqual({ a: [4, 'c1 2', 'c2 2'], b: [4, 'c3 4'], c: [2, 'c4 2'] })
    // The first one was posted a minute before all others.
    expect(external.alerts(clock.nowMs()).map(({ labels }) => labels.get('alertname'))).not.toContain('A0')
    expect(await post('c', 'c5', 1)).toMatchObject({ taken: 1, evicted: 1 })
    expect(sizes(external)).toMatchObject({ a: [3, 'c2 2', 'c1 1'], b: [4, 'c3 4'], c: [3, 'c4 2', 'c5 1'] })
    expect(await post('b', 'c6', 1)).toMatchObject({ taken: 1, evicted: 1 })
    expect(await post('c', 'c4', 1)).toMatchObject({ taken: 0, refused: { ...NO_LIMIT, total_limit: 1 } })
  })

  test('a stored alert goes on when all is full, also when another sender repeats it', async () => {
    const { clock, memory, external } = await start()
    const alerts = Array.from({ length: 4 }, (_, i) => posted({ alertname: `A${i}`, cluster: 'c1' }))
    const rules = { nowMs: clock.nowMs(), resolveTimeoutMs: 60 * MINUTE_MS }
    const post = (sender: string) => memory.people.external.post(alerts, { ...rules, sender })
    expect(await post('a')).toMatchObject({ taken: 4 })
    expect(await post('a')).toMatchObject({ taken: 4, refused: NO_LIMIT })
    expect(await post('b')).toMatchObject({ taken: 4, refused: NO_LIMIT })
    expect(sizes(external)).toEqual({ a: [4, 'c1 4'] })
  })

  test.each([
    ['is resolved', { endsAtMs: NOW_MS + MINUTE_MS }, MINUTE_MS, true],
    ['is firing', { endsAtMs: NOW_MS + MINUTE_MS }, MINUTE_MS - 1, false],
    ['was not posted for an hour', { endsAtMs: Date.UTC(9999, 0) }, 60 * MINUTE_MS, true],
    ['was posted within the hour', { endsAtMs: Date.UTC(9999, 0) }, 60 * MINUTE_MS - 1, false],
  ])('an alert of a full share that %s makes room or not', async (_, times, afterMs, isEvicted) => {
    const { clock, post } = await start({ ...OPTIONS, 'alerts.external-ends-within': '2h' })
    await post('a', 'c1', 1, times)
    await post('a', 'c1', 3)
    clock.advance(afterMs)
    expect(await post('a', 'c1', 1)).toMatchObject({ taken: isEvicted ? 1 : 0, evicted: isEvicted ? 1 : 0 })
  })

  test('holds after a restart, with the senders, and with limits that were lowered', async () => {
    const { memory, post } = await start()
    await post('a', 'c1', 4)
    const after = await memory.restart()
    expect(await post('a', 'c1', 1, {}, after)).toMatchObject({ taken: 0, refused: { ...NO_LIMIT, cluster_limit: 1 } })
    const lowered = await memory.restart({ ...OPTIONS, 'alerts.external-cluster-max': '1' })
    expect(sizes(lowered.external)).toEqual({ a: [1, 'c1 1'] })
    expect(lowered.external.alerts(NOW_MS)).toHaveLength(1)
    // With the next write the others leave the store too.
    await lowered.external.prune(NOW_MS)
    expect(await memory.facts.externalAlerts.list()).toHaveLength(1)
  })

  test('an alert stored with an end in the year 9999 is removed when it is over', async () => {
    const { clock, memory } = await start()
    const labels = Labels.of({ alertname: 'A' })
    const times = { startsAtMs: NOW_MS, endsAtMs: Date.UTC(9999, 0), updatedAtMs: NOW_MS, receivedAtMs: NOW_MS }
    const record = { fingerprint: fingerprintOf(labels), labels, annotations: {}, isTimeout: false, ...times }
    await memory.facts.externalAlerts.write([{ ...record, generatorUrl: 'javascript:x', sender: '' }], [])
    const { external } = await memory.restart()
    expect(external.alerts(NOW_MS)).toMatchObject([{ state: 'firing', external: { generatorUrl: '' } }])
    clock.advance(60 * MINUTE_MS)
    expect(external.alerts(clock.nowMs())).toMatchObject([{ state: 'resolved' }])
    clock.advance(16 * MINUTE_MS)
    await external.prune(clock.nowMs())
    expect([external.alerts(clock.nowMs()), external.shares()]).toEqual([[], []])
    expect(await memory.facts.externalAlerts.list()).toEqual([])
  })

  test('a write that fails changes nothing, and takes no room', async () => {
    let isFull = false
    const clock = new FakeClock(NOW_MS)
    const { people } = await memoryPeople({
      clock,
      options: OPTIONS,
      wrap: (facts) => {
        const { externalAlerts } = facts
        const write: typeof externalAlerts.write = (alerts, removed) =>
          isFull ? Promise.reject(new Error('disk full')) : externalAlerts.write(alerts, removed)
        const list = () => externalAlerts.list()
        const remove: typeof externalAlerts.remove = (...removal) => externalAlerts.remove(...removal)
        return { ...facts, externalAlerts: { list, write, remove } }
      },
    })
    const post = (name: string) =>
      people.external.post([posted({ alertname: name, cluster: 'c1' })], { ...RULES, nowMs: NOW_MS })
    isFull = true
    for (const name of ['A', 'B', 'C', 'D']) await expect(post(name)).rejects.toThrow('disk full')
    expect([people.external.alerts(NOW_MS), people.external.shares()]).toEqual([[], []])
    isFull = false
    expect(await post('E')).toMatchObject({ taken: 1 })
  })

  test.each([
    ['of a sender', { sender: 'a' }, 3],
    ['of a cluster', { cluster: 'c1' }, 3],
    ['of both', { sender: 'a', cluster: 'c1' }, 2],
    ['of nobody', { sender: 'nobody' }, 0],
  ])('alerts %s are removed, and it is in the audit', async (_, filter, count) => {
    const { memory, post, external } = await start()
    await post('a', 'c1', 2)
    await post('a', 'c2', 1)
    await post('b', 'c1', 1)
    expect(await external.remove(filter, 'root', NOW_MS)).toBe(count)
    expect(external.alerts(NOW_MS)).toHaveLength(4 - count)
    expect(external.shares().reduce((sum, { alerts }) => sum + alerts, 0)).toBe(4 - count)
    expect(await memory.facts.externalAlerts.list()).toHaveLength(4 - count)
    const audited = (await memory.people.audit(9)).map(({ by, action, detail }) => [
      by,
      action,
      JSON.parse(detail) as unknown,
    ])
    expect(audited).toEqual(count === 0 ? [] : [['root', 'alert.remove', { ...filter, alerts: count }]])
  })

  test('an alert that another process has just stored is removed', async () => {
    const { memory, post, external } = await start()
    await post('a', 'c1', 1)
    const [own] = await memory.facts.externalAlerts.list()
    await memory.facts.externalAlerts.write([{ ...own!, fingerprint: 'of another process' }], [])
    expect(await external.remove({ fingerprint: 'of another process' }, 'root', NOW_MS)).toBe(1)
    expect((await memory.facts.externalAlerts.list()).map(({ fingerprint }) => fingerprint)).toEqual([own!.fingerprint])
  })

  test('many alerts in one request do not block: other work runs between parts of one request', async () => {
    const { clock, external } = await start({
      'alerts.external-max': '100000',
      'alerts.external-sender-max': '100000',
      'alerts.external-cluster-max': '100000',
    })
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const alerts = Array.from({ length: 20_000 }, (_, i) => posted({ alertname: 'A', vm: `v${i}`, cluster: 'c1' }))
    await external.post(alerts, { nowMs: clock.nowMs(), resolveTimeoutMs: 60 * MINUTE_MS, sender: 'a' })
    isDone = true
    expect(turns).toBeGreaterThanOrEqual(39)
    expect(external.alerts(clock.nowMs())).toHaveLength(20_000)
  })
})
