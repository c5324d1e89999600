import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { RangeQuery } from '../../src/promql/query-engine.ts'
import { replayRule, type ReplayPorts } from '../../src/rules/replay.ts'
import { blockMsOf, type ReplayCounts, type ReplayWindow } from '../../src/rules/replay-tally.ts'
import type { AlertingRule, RuleGroup } from '../../src/rules/rule.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { Harness, MINUTE_MS, T0, groupsOf } from './harness.ts'

const LANGUAGE = { experimental: true }

function portsOf(
  queryable: MemoryQueryable,
  over: Partial<typeof DEFAULT_ENGINE_OPTIONS> = {},
): ReplayPorts & { readonly asked: RangeQuery[] } {
  const options = { ...DEFAULT_ENGINE_OPTIONS, ...LANGUAGE, ...over }
  const engine = createLocalEngine({ queryable, options, nowMs: () => 0 })
  const asked: RangeQuery[] = []
  return {
    asked,
    range: (query, signal) => {
      asked.push(query)
      return engine.range(query, signal)
    },
    instant: (query, signal) => engine.instant(query, signal),
    externalUrl: 'http://daytwo.example',
    language: LANGUAGE,
  }
}

function windowOf(steps: number, stepMs = MINUTE_MS): ReplayWindow {
  const [fromMs, toMs] = [T0, T0 + (steps - 1) * stepMs]
  return { fromMs, toMs, stepMs, blockMs: blockMsOf(fromMs, toMs, stepMs) }
}

function groupOf(rule: string, head = ''): RuleGroup {
  const [group] = groupsOf(
    `groups:\n- name: g\n${head}  rules:\n  - alert: A\n    ${rule.replaceAll('\n', '\n    ')}\n`,
  )
  return group!
}

function replay(
  group: RuleGroup,
  store: MemoryQueryable,
  window: ReplayWindow,
  ports = portsOf(store),
): Promise<ReplayCounts> {
  const { limit, queryOffsetMs } = group
  return replayRule({ rule: group.rules[0] as AlertingRule, limit, queryOffsetMs }, window, ports)
}

/** One minute a character: `1` a sample of 1, `0` of 0, `.` none, `_` a stale marker. */
function put(store: MemoryQueryable, labels: Readonly<Record<string, string>>, line: string): void {
  line.split('').forEach((char, i) => {
    const timeMs = T0 + i * MINUTE_MS
    if (char === '_') store.appendStale(Labels.of(labels), timeMs)
    else if (char !== '.') store.append(Labels.of(labels), timeMs, Number(char))
  })
}

const X = (cluster: string): Record<string, string> => ({ __name__: 'x', cluster })
const minute = (timeMs: number | undefined): number | undefined =>
  timeMs === undefined ? undefined : (timeMs - T0) / MINUTE_MS

describe('counts', () => {
  test('fires, what `for` held back, clusters, time and blocks', async () => {
    const store = new MemoryQueryable()
    put(store, X('a'), '0111100100')
    put(store, X('b'), '0001111111')
    const counts = await replay(groupOf('expr: x > 0\nfor: 2m'), store, windowOf(10))
    expect(counts).toMatchObject({
      fires: 2,
      flaps: 0,
      neverFired: 1,
      clusters: 2,
      mostAtOnce: 1,
      firingSeconds: (2 + 4) * 60,
    })
    expect(counts.firingByBlock).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
    expect(
      counts.runs.map(({ labels, activeAtMs, firedAtMs, resolvedAtMs, value }) => [
        labels['cluster'],
        minute(activeAtMs),
        minute(firedAtMs),
        minute(resolvedAtMs),
        value,
      ]),
    ).toEqual([
      ['b', 3, 5, undefined, 1],
      ['a', 1, 3, 5, 1],
    ])
  })

  test('an alert that fires again within the hour flaps; after it, it does not', async () => {
    const store = new MemoryQueryable()
    put(store, X('a'), `010010${'0'.repeat(61)}100`)
    const counts = await replay(groupOf('expr: x > 0'), store, windowOf(70))
    expect(counts).toMatchObject({ fires: 3, flaps: 1, clusters: 1 })
  })

  test('what begins to fire on one cluster at one step is one page', async () => {
    const store = new MemoryQueryable()
    for (const vm of ['1', '2', '3']) put(store, { ...X('a'), vm }, '011100')
    put(store, { ...X('a'), vm: '4' }, '001100')
    put(store, X('b'), '011100')
    const window = windowOf(6)
    const counts = await replay(groupOf('expr: x > 0'), store, window)
    expect([counts.fires, counts.mostAtOnce]).toEqual([5, 5])
    expect(counts.pagesPerWeek).toBeCloseTo((3 * 7 * 1440) / 5)
  })

  test('keep_firing_for keeps a gap from being two fires', async () => {
    const store = new MemoryQueryable()
    put(store, X('a'), '0110011000000')
    const fires = async (rule: string): Promise<number> => (await replay(groupOf(rule), store, windowOf(13))).fires
    expect(await fires('expr: x > 0')).toBe(2)
    expect(await fires('expr: x > 0\nkeep_firing_for: 3m')).toBe(1)
  })

  test('the last 200 runs are told, all are counted', async () => {
    const store = new MemoryQueryable()
    put(store, X('a'), '01'.repeat(700))
    const counts = await replay(groupOf('expr: x > 0'), store, windowOf(1400))
    expect([counts.fires, counts.runs.length]).toEqual([700, 200])
    expect(minute(counts.runs[0]?.firedAtMs)).toBe(1399)
    expect(minute(counts.runs[199]?.firedAtMs)).toBe(1399 - 2 * 199)
    expect(counts.firingByBlock.length).toBeLessThanOrEqual(200)
  })

  test('nothing is stored: nothing fires', async () => {
    const counts = await replay(groupOf('expr: x > 0'), new MemoryQueryable(), windowOf(5))
    expect(counts).toMatchObject({ fires: 0, runs: [], clusters: 0, firingByBlock: [0, 0, 0, 0, 0] })
  })

  test('one step is a window too', async () => {
    const store = new MemoryQueryable()
    put(store, X('a'), '1')
    expect(await replay(groupOf('expr: x > 0'), store, windowOf(1))).toMatchObject({ fires: 1, firingSeconds: 0 })
  })
})

describe('asking', () => {
  const store = new MemoryQueryable()
  put(store, X('a'), '01'.repeat(2500))

  test('a few range queries, none for each step', async () => {
    const ports = portsOf(store)
    await replay(groupOf('expr: x > 0'), store, windowOf(5000), ports)
    expect(ports.asked.length).toBeLessThan(8)
    const steps = ports.asked.map(({ startMs, endMs, stepMs }) => (endMs - startMs) / stepMs + 1)
    expect(steps.reduce((sum, count) => sum + count, 0)).toBe(5000)
  })

  test('a slice that is too much is asked in parts', async () => {
    const whole = await replay(groupOf('expr: x > 0'), store, windowOf(2000))
    const ports = portsOf(store, { samplesMax: 100 })
    expect(await replay(groupOf('expr: x > 0'), store, windowOf(2000), ports)).toEqual(whole)
    expect(ports.asked.length).toBeGreaterThan(20)
  })

  test('a step that is too much is a failure', async () => {
    const many = new MemoryQueryable()
    for (let i = 0; i < 20; i++) put(many, X(String(i)), '111')
    const asked = replay(groupOf('expr: x > 0'), many, windowOf(3), portsOf(many, { samplesMax: 5 }))
    await expect(asked).rejects.toMatchObject({ code: 'query_limit' })
  })

  test('`@ end()` is the step, not the slice', async () => {
    const counts = await replay(groupOf('expr: x @ end() > 0'), store, windowOf(6))
    expect(counts.fires).toBe(3)
  })

  test('it ends when nobody waits any more', async () => {
    const signal = { aborted: false }
    const ports = portsOf(store)
    const group = groupOf('expr: x > 0')
    const running = replayRule(
      { rule: group.rules[0] as AlertingRule, limit: 0, queryOffsetMs: 0 },
      windowOf(5000),
      { ...ports, range: (query, given) => ((signal.aborted = ports.asked.length === 2), ports.range(query, given)) },
      signal,
    )
    await expect(running).rejects.toSatisfy(
      (thrown) => thrown instanceof FleetError && thrown.code === 'query_canceled',
    )
    expect(ports.asked.length).toBe(3)
  })
})

describe('lives are those of the engine', () => {
  interface Life {
    readonly labels: string
    readonly activeAt: number | undefined
    readonly firedAt: number | undefined
    readonly resolvedAt: number | undefined
  }

  /** The transitions of the engine at each evaluation, joined to occurrences. */
  async function livesOfEngine(
    group: RuleGroup,
    store: MemoryQueryable,
    steps: number,
  ): Promise<{ lives: Life[]; neverFired: number }> {
    const engine = createLocalEngine({
      queryable: store,
      options: { ...DEFAULT_ENGINE_OPTIONS, ...LANGUAGE },
      nowMs: () => 0,
    })
    const harness = new Harness([group], {
      query: (expr, timeMs) => engine.instant({ expr, timeMs }),
      appendDerived: () => Promise.resolve(),
    })
    await harness.rules.restore(T0)
    const lives: Life[] = []
    let neverFired = 0
    for (let i = 0; i < steps; i++) {
      const { transitions } = await harness.evaluate(T0 + i * MINUTE_MS)
      for (const { alert, from, to } of transitions) {
        if (from === 'pending' && to === 'inactive') neverFired++
        // Above the limit all end without a word, at this step.
        const isDropped = from === 'firing' && to === 'inactive'
        if (to === 'resolved' || isDropped) {
          lives.push({
            labels: alert.labels.toString(),
            activeAt: minute(alert.activeAtMs),
            firedAt: minute(alert.firedAtMs),
            resolvedAt: isDropped ? i : minute(alert.resolvedAtMs),
          })
        }
      }
    }
    for (const alert of harness.rules.alerts().filter(({ state }) => state === 'firing')) {
      lives.push({
        labels: alert.labels.toString(),
        activeAt: minute(alert.activeAtMs),
        firedAt: minute(alert.firedAtMs),
        resolvedAt: undefined,
      })
    }
    return { lives: lives.sort(byText), neverFired }
  }

  const byText = (a: Life, b: Life): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

  const RULES = [
    'expr: x > 0',
    'expr: x > 0\nfor: 2m',
    'expr: x > 0\nkeep_firing_for: 2m',
    'expr: x > 0\nfor: 3m\nkeep_firing_for: 1m30s',
    'expr: x > 0\nfor: 90s\nlabels: {severity: page, cluster: ""}',
    'expr: x > 0\nfor: 1m\nlabels: {cluster: one}',
    'expr: x > 0\nlabels: {level: "{{ if gt $value 1.0 }}high{{ else }}low{{ end }}"}',
    'expr: max by (cluster) (increase(x[3m])) > 1\nfor: 1m',
    'expr: absent(x{cluster="a"})',
    'expr: count(x > 0)\nfor: 2m\nkeep_firing_for: 3m',
    'expr: vector(1) and on () x > 0',
    'expr: "1"\nfor: 3m',
    'expr: x > 0 unless x offset 2m > 0',
  ]
  const HEADS = ['', '  limit: 1\n', '  limit: 2\n', '  query_offset: 1m\n', '  labels: {team: virt}\n']
  const lineOf = fc
    .array(fc.constantFrom('0', '1', '1', '2', '.', '_'), { minLength: 40, maxLength: 40 })
    .map((chars) => chars.join(''))

  test('for random series, rules, limits and offsets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...RULES),
        fc.constantFrom(...HEADS),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), lineOf, { minKeys: 1 }),
        async (rule, head, series) => {
          const store = new MemoryQueryable()
          for (const [cluster, line] of Object.entries(series)) put(store, X(cluster), line)
          const group = groupOf(rule, head)
          const want = await livesOfEngine(group, store, 45)
          const counts = await replay(group, store, windowOf(45))
          const lives = counts.runs.map(({ labels, activeAtMs, firedAtMs, resolvedAtMs }): Life => ({
            labels: Labels.of(labels).toString(),
            activeAt: minute(activeAtMs),
            firedAt: minute(firedAtMs),
            resolvedAt: minute(resolvedAtMs),
          }))
          expect(lives.sort(byText)).toEqual(want.lives)
          expect([counts.fires, counts.neverFired]).toEqual([want.lives.length, want.neverFired])
        },
      ),
      { numRuns: 100 },
    )
  }, 60_000)
})
