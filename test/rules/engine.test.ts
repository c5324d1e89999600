import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../src/model/alert.ts'
import type { DerivedSample } from '../../src/model/appender.ts'
import { Labels } from '../../src/model/labels.ts'
import type { QueryResult } from '../../src/promql/query-engine.ts'
import { histogramOf } from '../support/histograms.ts'
import { Harness, MINUTE_MS, T0, groupsOf, transitionsOf } from './harness.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS

const DOWN = `
groups:
- name: g
  interval: 1m
  rules:
  - alert: Down
    expr: up == 0
    for: 2m
    labels: {severity: critical, cluster: '{{ $labels.cluster }}', job: ''}
    annotations:
      summary: '{{ $labels.cluster }} is down ({{ $value }})'
      link: '{{ externalURL }}/rb/Down'
`

async function started(rules: string, over?: ConstructorParameters<typeof Harness>[1]): Promise<Harness> {
  const harness = new Harness(rules, over)
  await harness.rules.restore(T0)
  return harness
}

describe('an alert', () => {
  test('waits, fires, resolves, and each step is told once', async () => {
    const harness = await started(DOWN)
    const steps: string[][] = []
    for (const [minute, up] of [0, 0, 0, 0, 1, 1].entries()) {
      harness.put({ __name__: 'up', cluster: 'c1', job: 'x' }, up, at(minute))
      steps.push(transitionsOf(await harness.evaluate(at(minute))))
    }
    expect(steps).toEqual([
      ['Down: inactive > pending'],
      [],
      ['Down: pending > firing'],
      [],
      ['Down: firing > resolved'],
      [],
    ])
    const [alert] = harness.rules.alerts()
    expect(alert).toEqual({
      fingerprint: fingerprintOf(Labels.of({ alertname: 'Down', cluster: 'c1', severity: 'critical' })),
      labels: Labels.of({ alertname: 'Down', cluster: 'c1', severity: 'critical' }),
      annotations: { summary: 'c1 is down (0)', link: 'http://daytwo.example/rb/Down' },
      state: 'resolved',
      activeAtMs: at(0),
      firedAtMs: at(2),
      resolvedAtMs: at(4),
      lastHeldAtMs: at(3),
      value: 0,
      ruleKey: 'Down/critical//0',
      rule: {
        group: 'g',
        file: 'r.yaml',
        name: 'Down',
        expr: 'up == 0',
        forMs: 120_000,
        keepFiringForMs: 0,
        intervalMs: 60_000,
      },
    })
    // A resolved one is shown for 15 minutes and then is gone without a word.
    expect(transitionsOf(await harness.evaluate(at(20)))).toEqual([])
    expect(harness.rules.alerts()).toEqual([])
  })

  test('waits while its samples are not there yet, and is evaluated as soon as they are', async () => {
    let isReady = true
    const harness = await started(DOWN, { isReady: () => isReady })
    harness.put({ __name__: 'up', cluster: 'c1' }, 0, at(0))
    expect(transitionsOf(await harness.evaluate(at(0)))).toEqual(['Down: inactive > pending'])
    isReady = false
    expect((await harness.evaluate(at(1))).groups).toEqual([])
    expect(harness.rules.alerts()).toMatchObject([{ state: 'pending' }])
    isReady = true
    const [group] = (await harness.evaluate(at(1) + 7000)).groups
    expect(group).toMatchObject({ missed: 0 })
    expect(harness.rules.groups()[0]!.lastEvaluationMs).toBe(at(1))
  })

  test('its annotations follow the value, its fingerprint does not', async () => {
    const harness = await started('groups: [{name: g, rules: [{alert: A, expr: m, annotations: {s: "{{ $value }}"}}]}]')
    const seen: unknown[] = []
    for (const [minute, value] of [1, 3, 3].entries()) {
      harness.put({ __name__: 'm' }, value, at(minute))
      await harness.evaluate(at(minute))
      const [alert] = harness.rules.alerts()
      seen.push([alert!.annotations['s'], alert!.fingerprint, alert!.value])
    }
    const fingerprint = fingerprintOf(Labels.of({ alertname: 'A' }))
    expect(seen).toEqual([
      ['1', fingerprint, 1],
      ['3', fingerprint, 3],
      ['3', fingerprint, 3],
    ])
  })

  test('writes ALERTS and ALERTS_FOR_STATE, and ends them when it changes state or ends', async () => {
    const harness = await started(DOWN)
    const seen: string[][] = []
    for (const [minute, up] of [0, 0, 0, 1].entries()) {
      harness.put({ __name__: 'up', cluster: 'c1', job: 'x' }, up, at(minute))
      await harness.evaluate(at(minute))
      seen.push(await harness.ask('{__name__=~"ALERTS.*"}', at(minute)))
    }
    const labels = 'alertname="Down", cluster="c1", severity="critical"'
    const since = `ALERTS_FOR_STATE{${labels}} ${T0 / 1000}`
    const alerts = (state: string) =>
      `ALERTS{alertname="Down", alertstate="${state}", cluster="c1", severity="critical"} 1`
    expect(seen).toEqual([
      [since, alerts('pending')].sort(),
      [since, alerts('pending')].sort(),
      [since, alerts('firing')].sort(),
      [],
    ])
  })

  test('a rule label wins over the series, an empty one removes, the metric name goes', async () => {
    const harness = await started('groups: [{name: g, rules: [{alert: A, expr: m, labels: {a: rule, b: ""}}]}]')
    harness.put({ __name__: 'm', a: 'series', b: 'series', alertname: 'other' }, 1, T0)
    await harness.evaluate(T0)
    expect(harness.alerts()).toEqual(['{a="rule", alertname="A"} firing'])
  })

  test('two of a name are two: they differ by severity, and so do their keys', async () => {
    const harness = await started(`
groups:
- name: g
  rules:
  - {alert: HCOOperatorConditionsUnhealthy, expr: m == 1, labels: {severity: warning}}
  - {alert: HCOOperatorConditionsUnhealthy, expr: m == 2, labels: {severity: critical}}
`)
    harness.put({ __name__: 'm', cluster: 'a' }, 1, T0)
    harness.put({ __name__: 'm', cluster: 'b' }, 2, T0)
    await harness.evaluate(T0)
    expect(harness.rules.alerts().map(({ ruleKey, labels }) => [ruleKey, labels.get('cluster')])).toEqual([
      ['HCOOperatorConditionsUnhealthy/warning//0', 'a'],
      ['HCOOperatorConditionsUnhealthy/critical//0', 'b'],
    ])
  })

  test('a query in an annotation sees the time of the evaluation, and a failing one is text', async () => {
    const harness = await started(`
groups:
- name: g
  rules:
  - alert: A
    expr: m
    annotations:
      good: '{{ query "sum(m)" | first | value }}'
      bad: '{{ query "sum(" | first | value }}'
`)
    harness.put({ __name__: 'm', n: '1' }, 2, T0)
    harness.put({ __name__: 'm', n: '2' }, 3, T0)
    await harness.evaluate(T0)
    for (const { annotations } of harness.rules.alerts()) {
      expect(annotations['good']).toBe('5')
      expect(annotations['bad']).toMatch(/^<error expanding template: error calling query: 1:5: parse error/)
    }
    expect(harness.rules.alerts()).toHaveLength(2)
  })
})

describe('a rule that fails', () => {
  const FAILING = `
groups:
- name: g
  rules:
  - {alert: A, expr: m, labels: {n: ""}}
  - {alert: B, expr: m}
`

  test('keeps its alerts, says so, and does not stop the rules after it', async () => {
    let isBroken = false
    const query = async (expr: string, timeMs: number): Promise<QueryResult> => {
      if (isBroken && expr === 'm') return Promise.reject(new Error('query timed out'))
      const samples = [{ labels: Labels.of({ __name__: 'm', n: '1' }), value: 1, timeMs }]
      const stats = { samplesRead: 1, seriesRead: 1, evalMs: 2 }
      return Promise.resolve({ value: { type: 'vector', timeMs, samples }, warnings: ['careful'], infos: [], stats })
    }
    const broken = new Harness(FAILING, { query })
    await broken.rules.restore(T0)
    await broken.evaluate(at(0))
    const good = broken.rules.groups()[0]!
    expect(good.evaluationMs).toBe(4)
    expect(good.rules).toMatchObject([
      { health: 'ok', warnings: ['careful'], lastSamples: 2, evaluationMs: 2, lastEvaluationMs: at(0) },
      { health: 'ok' },
    ])
    isBroken = true
    const report = await broken.evaluate(at(1))
    expect(report.transitions).toEqual([])
    expect(report.groups[0]!.errors).toMatchObject([
      { rule: 'A', during: 'query', message: 'query timed out' },
      { rule: 'B', during: 'query', message: 'query timed out' },
    ])
    expect(broken.alerts()).toEqual(['{alertname="A"} firing', '{alertname="B", n="1"} firing'])
    expect(broken.rules.groups()[0]!.rules[0]).toMatchObject({
      health: 'err',
      lastError: 'query timed out',
      state: 'firing',
    })
    isBroken = false
    await broken.evaluate(at(2))
    expect(broken.rules.groups()[0]!.rules[0]).toMatchObject({ health: 'ok' })
    expect(broken.rules.groups()[0]!.rules[0]!.lastError).toBeUndefined()
  })

  test.each([
    [
      'two samples under the same labels',
      '{alert: A, expr: m, labels: {n: ""}}',
      /same labelset after applying alert labels/,
    ],
    [
      'two series under the same labels',
      '{record: r, expr: m, labels: {n: ""}}',
      /same labelset after applying rule labels/,
    ],
    ['a range vector', '{record: r, expr: "m[5m]"}', /not a vector or scalar/],
    ['a text', '{record: r, expr: "\\"text\\""}', /not a vector or scalar/],
    ['many to many', '{record: r, expr: "m + on() m"}', /duplicate series|many-to-many/],
  ])('%s is an error of the rule', async (_, rule, message) => {
    const harness = await started(`groups: [{name: g, rules: [${rule}, {record: after, expr: 1}]}]`)
    harness.put({ __name__: 'm', n: '1' }, 1, T0)
    harness.put({ __name__: 'm', n: '2' }, 1, T0)
    const report = await harness.evaluate(T0)
    expect(report.groups[0]!.errors).toHaveLength(1)
    expect(report.groups[0]!.errors[0]!.message).toMatch(message)
    expect(await harness.ask('after', T0)).toEqual(['after 1'])
  })

  test('a limit refuses the whole result, and the rule has no alerts until it is kept again', async () => {
    const harness = await started(`
groups:
- name: g
  limit: 1
  rules:
  - {alert: A, expr: m}
  - {record: r, expr: m}
`)
    harness.put({ __name__: 'm', n: '1' }, 1, at(0))
    expect((await harness.evaluate(at(0))).groups[0]!.errors).toEqual([])
    harness.put({ __name__: 'm', n: '2' }, 1, at(1))
    expect((await harness.evaluate(at(1))).groups[0]!.errors.map(({ message }) => message)).toEqual([
      'exceeded limit of 1 with 2 alerts',
      'exceeded limit of 1 with 2 series',
    ])
    expect(harness.alerts()).toEqual([])
    harness.store.appendStale(Labels.of({ __name__: 'm', n: '1' }), at(2))
    expect(transitionsOf(await harness.evaluate(at(2)))).toEqual(['A: inactive > firing'])
    expect(harness.alerts()).toEqual(['{alertname="A", n="2"} firing'])
  })

  test('a full disk is told per rule, alerts are raised all the same, and ended series still end', async () => {
    const harness = await started(DOWN.replace('for: 2m', 'for: 0s'))
    harness.put({ __name__: 'up', cluster: 'c1' }, 0, at(0))
    await harness.evaluate(at(0))
    harness.appendFailure = new Error('disk full')
    harness.put({ __name__: 'up', cluster: 'c1' }, 1, at(1))
    harness.put({ __name__: 'up', cluster: 'c2' }, 0, at(1))
    const report = await harness.evaluate(at(1))
    expect(transitionsOf(report).sort()).toEqual(['Down: firing > resolved', 'Down: inactive > firing'])
    expect(report.groups[0]!.errors).toMatchObject([
      { during: 'append', message: 'result could not be stored: disk full' },
    ])
    harness.appendFailure = undefined
    await harness.evaluate(at(2))
    expect(await harness.ask('ALERTS', at(2))).toEqual([
      'ALERTS{alertname="Down", alertstate="firing", cluster="c2", severity="critical"} 1',
    ])
  })
})

describe('rules of a group', () => {
  const CHAIN = `
groups:
- name: g
  rules:
  - {record: doubled, expr: m * 2}
  - {record: other, expr: m + 1}
  - {alert: High, expr: doubled > 3}
  - {record: firing, expr: 'count(ALERTS{alertstate="firing"})'}
`

  test('see the results of those before them, at the same time', async () => {
    const harness = await started(CHAIN)
    harness.put({ __name__: 'm' }, 2, T0)
    await harness.evaluate(T0)
    expect(await harness.ask('{__name__=~"doubled|other|firing"}', T0)).toEqual(['doubled 4', 'firing 1', 'other 3'])
    // One write before each reader, and one for the rest.
    expect(harness.appended.map((samples) => samples.map(({ labels }) => labels.metricName))).toEqual([
      ['doubled', 'other'],
      ['ALERTS', 'ALERTS_FOR_STATE'],
      ['firing'],
    ])
  })

  test('cost one write when none reads another', async () => {
    const harness = await started(
      'groups: [{name: g, rules: [{record: a, expr: 1}, {record: b, expr: 2}, {alert: C, expr: m}]}]',
    )
    await harness.evaluate(T0)
    expect(harness.appended).toHaveLength(1)
  })

  test('a selector without a name waits for everything', async () => {
    const harness = await started(
      `groups: [{name: g, rules: [{record: a, expr: 1}, {record: b, expr: 'count({__name__=~"a|x"})'}]}]`,
    )
    await harness.evaluate(T0)
    expect(await harness.ask('b', T0)).toEqual(['b 1'])
  })

  test('record native histograms as they are, and raise alerts on them with the value 0', async () => {
    const histogram = histogramOf(2)
    const answers = [histogram, histogramOf(3), undefined]
    const query = (): Promise<QueryResult> => {
      const now = answers[0]
      const samples =
        now === undefined ? [] : [{ labels: Labels.of({ n: 'x' }), value: NaN, histogram: now, timeMs: T0 }]
      const stats = { samplesRead: 0, seriesRead: 0, evalMs: 0 }
      return Promise.resolve({ value: { type: 'vector', timeMs: T0, samples }, warnings: [], infos: [], stats })
    }
    const text = `
groups:
- name: g
  rules:
  - {record: r, expr: h}
  - {alert: A, expr: h, annotations: {is: '{{ $value }}', human: '{{ humanize $value }}'}}
`
    const written: DerivedSample[] = []
    const appendDerived = (samples: readonly DerivedSample[]): Promise<void> => {
      written.push(...samples.filter(({ labels }) => labels.metricName === 'r'))
      return Promise.resolve()
    }
    const harness = new Harness(text, { query, appendDerived })
    await harness.rules.restore(T0)
    await harness.evaluate(T0)
    const [alert] = harness.rules.alerts()
    expect(alert).toMatchObject({ value: 0, annotations: { is: '{count:2, sum:3, (1,2]:1, (2,4]:1}' } })
    expect(alert!.annotations['human']).toMatch(/^<error expanding template:/)
    answers.shift()
    await harness.evaluate(at(1))
    expect(harness.rules.alerts()[0]!.annotations['is']).toContain('count:3')
    answers.shift()
    await harness.evaluate(at(2))
    const labels = Labels.of({ __name__: 'r', n: 'x' })
    expect(written).toEqual([
      { labels, timeMs: T0, value: NaN, histogram, isStale: false },
      { labels, timeMs: at(1), value: NaN, histogram: histogramOf(3), isStale: false },
      { labels, timeMs: at(2), value: NaN, isStale: true },
    ])
  })

  test('what info adds is not named in the expression, and is waited for', async () => {
    const harness = await started(
      `groups: [{name: g, rules: [
        {record: target_info, expr: 'n', labels: {instance: i, job: j}}, {record: b, expr: 'info(m)'}]}]`,
    )
    harness.put({ __name__: 'n', k8s_cluster_name: 'c1' }, 1, T0)
    harness.put({ __name__: 'm', instance: 'i', job: 'j' }, 7, T0)
    await harness.evaluate(T0)
    expect(await harness.ask('b', T0)).toEqual(['b{instance="i", job="j", k8s_cluster_name="c1"} 7'])
  })

  test('a recorded series that vanishes ends at once', async () => {
    const harness = await started('groups: [{name: g, rules: [{record: r, expr: m > 1, labels: {via: rule}}]}]')
    const seen: string[][] = []
    for (const [minute, value] of [2, 0, 3].entries()) {
      harness.put({ __name__: 'm', n: 'x' }, value, at(minute))
      await harness.evaluate(at(minute))
      seen.push(await harness.ask('r', at(minute)))
    }
    expect(seen).toEqual([['r{n="x", via="rule"} 2'], [], ['r{n="x", via="rule"} 3']])
  })

  test('query_offset looks back, and writes where it looked', async () => {
    const harness = await started(
      'groups: [{name: g, query_offset: 1m, rules: [{record: r, expr: m}, {alert: A, expr: m}]}]',
    )
    harness.put({ __name__: 'm' }, 1, at(0))
    harness.put({ __name__: 'm' }, 2, at(1))
    await harness.evaluate(at(1))
    expect(harness.appended.flat().map(({ labels, timeMs, value }) => [labels.metricName, timeMs, value])).toEqual([
      ['r', at(0), 1],
      ['ALERTS', at(0), 1],
      ['ALERTS_FOR_STATE', at(0), at(1) / 1000],
    ])
  })
})

describe('the schedule', () => {
  test('each group on its own schedule, skipped evaluations counted', async () => {
    const harness = await started(`
groups:
- {name: fast, interval: 30s, rules: [{record: a, expr: 1}]}
- {name: slow, interval: 5m, rules: [{record: b, expr: 1}]}
`)
    const counts = { fast: 0, slow: 0 }
    for (let second = 0; second < 600; second += 5) {
      for (const { name } of (await harness.evaluate(T0 + second * 1000)).groups) counts[name as 'fast' | 'slow']++
    }
    expect(counts.fast).toBeGreaterThanOrEqual(20)
    expect(counts.fast).toBeLessThanOrEqual(21)
    expect(counts.slow).toBeGreaterThanOrEqual(2)
    expect(counts.slow).toBeLessThanOrEqual(3)
    const report = await harness.evaluate(T0 + 3_600_000)
    expect(report.groups.find(({ name }) => name === 'slow')!.missed).toBeGreaterThanOrEqual(9)
    expect(harness.rules.groups()[1]!.missed).toBeGreaterThanOrEqual(9)
  })

  test('calls are answered one after the other', async () => {
    const harness = new Harness(DOWN)
    const restoring = harness.rules.restore(T0)
    harness.put({ __name__: 'up', cluster: 'c1' }, 0, T0)
    const [first, second] = await Promise.all([harness.evaluate(T0), harness.evaluate(T0 + 1), restoring])
    expect([first.groups.length, second.groups.length]).toEqual([1, 0])
  })

  test('evaluating what was not restored is a bug', async () => {
    await expect(new Harness(DOWN).evaluate(T0)).rejects.toThrow('bug: rules are restored before they are evaluated')
  })
})

describe('kept states', () => {
  test('news at once, waiting alerts each time, the rest now and then, nothing for nothing', async () => {
    const harness = await started(DOWN.replace('interval: 1m', 'interval: 10s'))
    const writes: number[] = []
    for (let second = 0; second <= 240; second += 10) {
      harness.put({ __name__: 'up', cluster: 'c1', job: 'x' }, second === 0 ? 1 : 0, T0 + second * 1000)
      await harness.evaluate(T0 + second * 1000)
      writes.push(harness.states.writes)
    }
    expect(writes[0]).toBe(0)
    // From 10 s to 130 s it waits: one write per evaluation; then it fires, and one a minute is enough.
    expect(writes[13]).toBe(13)
    expect(writes.at(-1)).toBe(14)
  })

  test('a failing store is told, and tried again', async () => {
    const harness = await started(DOWN)
    harness.put({ __name__: 'up', cluster: 'c1' }, 0, at(0))
    harness.states.failure = new Error('locked')
    const report = await harness.evaluate(at(0))
    expect(report.groups[0]!.errors).toMatchObject([
      { during: 'persist', message: 'alerts of the group could not be stored: locked' },
    ])
    harness.states.failure = undefined
    await harness.evaluate(at(1))
    expect([...harness.states.groups.keys()]).toEqual(['r.yaml;g'])
  })

  test('that could not be stored are stored as soon as they can be, also between evaluations', async () => {
    const harness = await started(DOWN.replace('for: 2m', 'for: 0s').replace('interval: 1m', 'interval: 10s'))
    const down = (cluster: string, ms: number): void => {
      harness.put({ __name__: 'up', cluster }, 0, at(0) + ms)
    }
    const stored = (): number => harness.states.groups.get('r.yaml;g')?.length ?? 0
    down('c1', 0)
    await harness.evaluate(at(0))
    down('c1', 10_000)
    down('c2', 10_000)
    harness.states.failure = new Error('locked')
    await harness.evaluate(at(0) + 10_000)
    await harness.evaluate(at(0) + 11_000)
    expect(stored()).toBe(1)
    harness.states.failure = undefined
    expect((await harness.evaluate(at(0) + 12_000)).groups).toEqual([])
    expect(stored()).toBe(2)
    // Once.
    const { writes } = harness.states
    await harness.evaluate(at(0) + 13_000)
    expect(harness.states.writes).toBe(writes)
  })

  test('are told only when they are stored, where another process may go on from what is stored', async () => {
    for (const isShared of [false, true]) {
      const harness = await started(DOWN.replace('for: 2m', 'for: 0s'), isShared ? { isOwn: () => true } : {})
      harness.rules.alertUpdate()
      harness.put({ __name__: 'up', cluster: 'c1' }, 0, at(0))
      harness.states.failure = new Error('locked')
      await harness.evaluate(at(0))
      // A process alone tells also while its disk is full.
      expect(harness.rules.alertUpdate().rules).toHaveLength(isShared ? 0 : 1)
      harness.states.failure = undefined
      await harness.evaluate(at(0) + 1000)
      expect(harness.rules.alertUpdate().rules).toHaveLength(isShared ? 1 : 0)
    }
  })

  test('are emptied when the last alert is forgotten', async () => {
    const harness = await started(DOWN.replace('for: 2m', 'for: 0s'))
    harness.put({ __name__: 'up', cluster: 'c1' }, 0, at(0))
    await harness.evaluate(at(0))
    expect(harness.states.groups.size).toBe(1)
    for (let minute = 6; minute <= 23; minute++) await harness.evaluate(at(minute))
    expect(harness.states.groups.size).toBe(0)
  })
})

describe('reload', () => {
  test('a rule that is still there keeps its alerts, others end and receivers hear of it', async () => {
    const two = `
groups:
- name: g
  interval: 1m
  rules:
  - {alert: Stays, expr: m == 1, for: 5m, labels: {severity: a}}
  - {alert: Goes, expr: m == 1, labels: {severity: a}}
  - {alert: WaitsAndGoes, expr: m == 1, for: 1h, labels: {severity: a}}
  - {record: r, expr: m}
`
    const harness = await started(two)
    harness.put({ __name__: 'm' }, 1, at(0))
    await harness.evaluate(at(0))
    const one = groupsOf(`
groups:
- name: g
  interval: 1m
  rules:
  - {alert: New, expr: m == 1}
  - {alert: Stays, expr: m >= 1, for: 5m, labels: {severity: a}, annotations: {a: b}}
`)
    await harness.rules.reload(one)
    harness.put({ __name__: 'm' }, 1, at(1))
    expect(transitionsOf(await harness.evaluate(at(1)))).toEqual([
      'Goes: firing > resolved',
      'WaitsAndGoes: pending > inactive',
      'New: inactive > firing',
    ])
    expect(harness.rules.alerts().map(({ rule, state, activeAtMs }) => [rule.name, state, activeAtMs])).toEqual([
      ['New', 'firing', at(1)],
      ['Stays', 'pending', at(0)],
      ['Goes', 'resolved', at(0)],
    ])
    expect(await harness.ask('{__name__=~"r|ALERTS"}', at(1))).toEqual([
      'ALERTS{alertname="New", alertstate="firing"} 1',
      'ALERTS{alertname="Stays", alertstate="pending", severity="a"} 1',
    ])
    await harness.evaluate(at(20))
    expect(harness.alerts().some((line) => line.includes('Goes'))).toBe(false)
  })

  test('a rule that moves to another group goes on writing its series', async () => {
    const harness = await started('groups: [{name: a, rules: [{record: r, expr: m}]}]')
    harness.put({ __name__: 'm' }, 1, at(0))
    await harness.evaluate(at(0))
    await harness.rules.reload(groupsOf('groups: [{name: b, rules: [{record: r, expr: m}]}]'))
    await harness.evaluate(at(1))
    expect(await harness.ask('r', at(1))).toEqual(['r 1'])
  })

  test('a removed group is forgotten by the store', async () => {
    const harness = await started(DOWN)
    harness.put({ __name__: 'up', cluster: 'c1' }, 0, at(0))
    await harness.evaluate(at(0))
    await harness.rules.reload([])
    harness.states.failure = new Error('locked')
    await harness.evaluate(at(1))
    expect(harness.states.groups.size).toBe(1)
    harness.states.failure = undefined
    await harness.evaluate(at(2))
    expect(harness.states.groups.size).toBe(0)
    expect(harness.rules.groups()).toEqual([])
  })
})

test('states are shown as Prometheus clients want them', async () => {
  const harness = await started(DOWN, { stopwatchMs: () => 0 })
  const [before] = harness.rules.groups()
  expect(before).toMatchObject({ name: 'g', file: 'r.yaml', intervalMs: 60_000, limit: 0, missed: 0 })
  expect(before!.lastEvaluationMs).toBeUndefined()
  expect(before!.rules[0]).toMatchObject({
    kind: 'alerting',
    health: 'unknown',
    state: 'inactive',
    query: 'up == 0',
    alertCounts: { pending: 0, firing: 0, resolved: 0 },
  })
  harness.put({ __name__: 'up', cluster: 'c1' }, 0, T0)
  await harness.evaluate(T0)
  expect(harness.rules.groups()[0]!.rules[0]).toMatchObject({
    health: 'ok',
    state: 'pending',
    lastEvaluationMs: T0,
    lastSamples: 2,
    annotations: { link: '{{ externalURL }}/rb/Down' },
    alertCounts: { pending: 1, firing: 0, resolved: 0 },
  })
  expect(harness.rules.alerts()).toMatchObject([{ state: 'pending', value: 0 }])
})
