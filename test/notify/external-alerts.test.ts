import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintOf, type Alert } from '../../src/model/alert.ts'
import type { ExternalAlertRecord } from '../../src/model/external-alert.ts'
import { Labels } from '../../src/model/labels.ts'
import { externalAlertOf, mergeExternal, readPosted, type ExternalAlert } from '../../src/notify/external-alert.ts'
import { DuplicateAlerts } from '../../src/notify/duplicate-alerts.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { memoryPeople } from '../support/people.ts'

const NOW_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const RULES = { nowMs: NOW_MS, resolveTimeoutMs: 5 * MINUTE_MS, clusterAliases: ['cluster_id', '_id'] }

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
  ])('is refused: %#', (alert, fault) => {
    expect(readPosted(alert, RULES)).toEqual({ fault })
  })
})

describe('an alert that is said again', () => {
  const record = (startsAtMs: number, endsAtMs: number, updatedAtMs: number, isTimeout = true): ExternalAlertRecord => {
    const labels = Labels.of({ alertname: 'A' })
    const common = { fingerprint: fingerprintOf(labels), labels, annotations: {}, generatorUrl: '' }
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
    return externalAlertOf({ ...said, fingerprint: `posted${serial++}`, generatorUrl: '' }, NOW_MS)
  }
  const pairs = (alerts: readonly (Alert | ExternalAlert)[], aliases: Readonly<Record<string, string>> = {}) =>
    [...new DuplicateAlerts((name) => aliases[name] ?? name).update(alerts)].map(([second, first]) => {
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
    expect(await post()).toEqual({ taken: 1, faults: [], refused: 0 })
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
