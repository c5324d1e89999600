import { describe, expect, test } from 'vitest'
import type { Matcher } from '../../src/model/matcher.ts'
import { resolveDurations } from '../../src/promql/durations.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { DIFFERENCES } from '../../src/remote/difference-table.ts'
import { planOf, type PlanContext, type PlannedQuery } from '../../src/remote/plan.ts'
import type { StoreTraits } from '../../src/remote/traits.ts'

const PROMETHEUS_3: StoreTraits = {
  ...{ product: 'Prometheus', version: '3.5.0', lacks: new Set(), isMetricsQl: false, isLeftOpen: true },
  ...{ lookbackParam: 'lookback_delta', samplesFrom: 'read', queryBytesMax: Infinity },
}
const PROMETHEUS_2: StoreTraits = {
  ...{ ...PROMETHEUS_3, version: '2.42.0', isLeftOpen: false, lookbackParam: undefined },
  lacks: new Set(['start', 'end', 'step', 'range', 'info', 'limitk', 'a duration as a number', 'quoted label names']),
}
const VICTORIA: StoreTraits = {
  ...{ ...PROMETHEUS_3, product: 'VictoriaMetrics', version: '', isMetricsQl: true, samplesFrom: 'export' },
  ...{ lookbackParam: 'max_lookback', queryBytesMax: 16_384, lacks: new Set(['info', 'the smoothed modifier']) },
}
const SCOPE: Matcher = { name: 'cluster', op: '=~', value: 'a|b\\.c' }

function plan(
  query: string,
  traits: StoreTraits = PROMETHEUS_3,
  context: Partial<PlanContext> = {},
  times: Partial<PlannedQuery> = {},
) {
  const { startMs = 60_000, endMs = 60_000, stepMs = 0 } = times
  const expr = resolveDurations(parseExpr(query, { experimental: true }), query, { stepMs, rangeMs: endMs - startMs })
  return planOf(
    { query, expr, startMs, endMs, stepMs, lookbackMs: 300_000, isRefused: false, isSplit: false, ...times },
    {
      ...{
        traits,
        differences: DIFFERENCES,
        ownNames: ['daytwo_cluster_info', 'daytwo_upgrades_total'],
        scope: undefined,
      },
      ...{ subqueryStepMs: 60_000, isExact: false, recordedNames: [], hasHistograms: () => false, ...context },
    },
  )
}

const textOf = (made: ReturnType<typeof plan>): string => (made.way === 'local' ? `local: ${made.reason}` : made.text)

describe('where a query is evaluated', () => {
  test.each([
    ['up', PROMETHEUS_3, 'pushed', 'up'],
    ['up{job="a"}  # comment', PROMETHEUS_3, 'pushed', 'up{job="a"}'],
    ['1 + 1', PROMETHEUS_3, 'local', 'local: constant'],
    ['time() - vector(1)', VICTORIA, 'local', 'local: constant'],
    ['daytwo_cluster_info', PROMETHEUS_3, 'local', 'local: facts'],
    ['up and on (cluster) daytwo_cluster_info', PROMETHEUS_3, 'local', 'local: facts'],
    ['{__name__=~"daytwo_.*"}', PROMETHEUS_3, 'local', 'local: facts'],
    ['{cluster="a"}', PROMETHEUS_3, 'local', 'local: facts'],
    ['{__name__=~"kubevirt_.*"}', PROMETHEUS_3, 'pushed', '{__name__=~"kubevirt_.*"}'],
    ['{__name__!~"daytwo_.*", cluster="a"}', PROMETHEUS_3, 'pushed', '{__name__!~"daytwo_.*",cluster="a"}'],
    ['daytwo_upgrade_stuck', PROMETHEUS_3, 'pushed', 'daytwo_upgrade_stuck'],
    ['max_over_time(daytwo_upgrades_total[5m:])', PROMETHEUS_3, 'local', 'local: facts'],
    ['info(up)', PROMETHEUS_2, 'local', 'local: lacks'],
    ['limitk(1, up)', PROMETHEUS_2, 'local', 'local: lacks'],
    ['limitk(1, up)', VICTORIA, 'local', 'local: differs'],
    ['up{"a.b"="c"}', PROMETHEUS_2, 'local', 'local: lacks'],
    ['sum by ("a.b") (up)', PROMETHEUS_2, 'local', 'local: lacks'],
    ['{"a.b"}', PROMETHEUS_2, 'pushed', '{__name__="a.b"}'],
    ['rate(up[5m] smoothed)', VICTORIA, 'local', 'local: lacks'],
    ['rate(up[5m])', VICTORIA, 'pushed', 'rate(up[5m])'],
    ['resets(up[5m])', VICTORIA, 'local', 'local: differs'],
    ['up[5m]', VICTORIA, 'local', 'local: differs'],
    [`up{a=~"${'x'.repeat(17_000)}"}`, VICTORIA, 'local', 'local: length'],
  ])('%s', (query, traits, way, text) => {
    const made = plan(query, traits)
    expect([made.way, textOf(made)]).toEqual([way, text])
  })

  test('another lookback, too many steps, native histograms, exactness', () => {
    expect(textOf(plan('up', PROMETHEUS_2, {}, { lookbackMs: 60_000 }))).toBe('local: lookback')
    expect(textOf(plan('up', PROMETHEUS_3, {}, { lookbackMs: 60_000 }))).toBe('up')
    expect(textOf(plan('up @ end()', PROMETHEUS_3, {}, { isSplit: true, stepMs: 1 }))).toBe('local: split')
    expect(textOf(plan('max_over_time(up[5m:1m] @ start())', PROMETHEUS_3, {}, { isSplit: true, stepMs: 1 }))).toBe(
      'local: split',
    )
    expect(textOf(plan('up @ 5', PROMETHEUS_3, {}, { isSplit: true, stepMs: 1 }))).toBe('up @ 5.000')
    expect(textOf(plan('up[5m]', PROMETHEUS_3, {}, { isRefused: true }))).toBe('local: refused')
    expect(textOf(plan('sum(a:b) > 0', PROMETHEUS_3, { recordedNames: ['a:b'] }))).toBe('local: recorded')
    const hasHistograms = () => true
    expect(textOf(plan('up', PROMETHEUS_3, { hasHistograms }))).toBe('up')
    expect(textOf(plan('up', PROMETHEUS_2, { hasHistograms }))).toBe('local: histograms')
    expect(plan('up', VICTORIA, { hasHistograms })).toMatchObject({
      way: 'pushed',
      notes: expect.arrayContaining([expect.stringContaining('does not store native histograms')]) as string[],
    })
    expect(textOf(plan('rate(up[5m])', VICTORIA, { isExact: true }))).toBe('local: differs')
    expect(textOf(plan('rate(up[5m])', PROMETHEUS_3, { isExact: true }))).toBe('rate(up[5m])')
  })
})

describe('a query in another form with the same result', () => {
  test.each([
    ['rate(up[2m + 3m] offset (2 * 30s))', PROMETHEUS_3, 'rate(up[5m] offset 1m)'],
    ['max_over_time(up[10m:])', PROMETHEUS_3, 'max_over_time(up[10m:1m])'],
    ['max_over_time(up[10m:2m] offset (1m + 1m))', PROMETHEUS_3, 'max_over_time(up[10m:2m] offset 2m)'],
    ['up + start() + end() + step() + range()', PROMETHEUS_2, 'up + 60 + 120 + 30 + 60'],
    ['up[5m]', PROMETHEUS_2, 'up[4m59s999ms]'],
    ['max_over_time(sum(up)[10m:1m])', PROMETHEUS_2, 'max_over_time(sum(up)[9m59s999ms:1m])'],
    ['max_over_time(up[1ms])', PROMETHEUS_2, 'max_over_time(up[1ms])'],
    ['predict_linear(up[5m], 1h) > 1m', PROMETHEUS_2, 'predict_linear(up[4m59s999ms], 3600) > 60'],
    ['avg_over_time(up[5m])', VICTORIA, '(avg_over_time(up[5m]) * 1)'],
    ['sum(round(up) / 2)', VICTORIA, 'sum((round(up) * 1) / 2)'],
    ['changes(up[5m])', VICTORIA, 'changes_prometheus(up[5m])'],
    ['max_over_time(up @ 5 [5m:1m])', VICTORIA, '(max_over_time((up @ 5.000)[5m:1m]) * 1)'],
    ['sum_over_time(up[5m])', VICTORIA, 'sum_over_time(up[5m])'],
    ['-(up offset (1m + 1m))', PROMETHEUS_3, '-(up offset 2m)'],
    ['topk(step(), up)', PROMETHEUS_2, 'topk(30, up)'],
  ])('%s', (query, traits, text) => {
    const isRange = /\bstep\(/.test(query)
    const made = plan(query, traits, {}, isRange ? { startMs: 60_000, endMs: 120_000, stepMs: 30_000 } : {})
    expect(textOf(made)).toBe(text)
    // What is sent is a valid query.
    if (made.way !== 'local' && !traits.isMetricsQl) parseExpr(made.text)
  })
})

describe('the clusters of a scope', () => {
  const within = (query: string): string => textOf(plan(query, PROMETHEUS_3, { scope: SCOPE }))
  const added = 'cluster=~"a|b\\\\.c"'

  test.each([
    ['up', `up{${added}}`],
    ['sum(rate(up[5m])) / count(up{job="x"})', `sum(rate(up{${added}}[5m])) / count(up{${added},job="x"})`],
    ['max_over_time(sum(up)[1h:5m]) or up @ 5', `max_over_time(sum(up{${added}})[1h:5m]) or up{${added}} @ 5.000`],
    ['up{cluster="a"}', 'up{cluster="a"}'],
    ['up{cluster="other"}', `up{cluster="other",${added}}`],
    ['up{cluster=~"a"}', `up{cluster=~"a",${added}}`],
    ['up{cluster!="a"}', `up{cluster!="a",${added}}`],
    ['{__name__=~"up|down"} unless up', `{__name__=~"up|down",${added}} unless up{${added}}`],
    ['topk(scalar(up), up)', `topk(scalar(up{${added}}), up{${added}})`],
    ['label_replace(up, "cluster", "b", "", "")', `label_replace(up{${added}}, "cluster", "b", "", "")`],
    ['absent(up)', `absent(up{${added}})`],
    ['absent(up{cluster="a"})', 'absent(up{cluster="a"})'],
  ])('%s', (query, text) => {
    expect(within(query)).toBe(text)
  })

  test.each([
    'info(up)',
    'sum(info(up, {__name__="target_info", version=~".+"}))',
    'absent(up{cluster="other"})',
    'absent_over_time(up{cluster=~"a"}[5m])',
  ])('%s is evaluated here, where the store of series is limited to them', (query) => {
    expect(within(query)).toBe('local: scope')
  })
})

describe('differences', () => {
  test('each is found in a query, with its place, and in no other store', () => {
    const example: Readonly<Record<string, string>> = {
      'lookback-end': 'up',
      extrapolation: 'rate(up[5m])',
      compensation: 'sum(up)',
      infinities: 'stddev(up)',
      'many-matches': 'up > on (a) down',
      'atan2-name': 'up atan2 down',
      'negated-names': '-{__name__=~"up|down"}',
      'classic-fraction': 'histogram_fraction(0, 1, up)',
      'line-break': 'up{a=~"x.y"}',
      nan: 'up',
      'stale-markers': 'up[5m]',
      'computed-timestamp': 'timestamp(up + 0)',
      gaps: 'max_over_time(up[5m:1m])',
      'sample-before': 'idelta(up[5m])',
      'resets-before': 'resets(up[5m])',
      'changes-before': 'changes(up[5m])',
      half: 'round(up)',
      'absent-labels': 'absent(up{a="b", a="c"})',
      'bucket-interpolation': 'histogram_quantile(0.5, up)',
      'float-rounding': 'avg(up)',
      'same-labels': 'label_join(up, "a", "", "b")',
      'short-range': 'max_over_time(up[1m])',
      'fixed-prediction': 'predict_linear(up[5m] @ 5, 1)',
      'crossed-bounds': 'clamp(up, 1, 2)',
      'nan-parameter': 'topk(1, up)',
      'chosen-series': 'limitk(1, up)',
    }
    expect(Object.keys(example).sort()).toEqual(DIFFERENCES.map(({ id }) => id).sort())
    for (const difference of DIFFERENCES) {
      const query = example[difference.id]!
      const lacking = { ...VICTORIA, lacks: new Set(['changes_prometheus']) }
      const stores = [PROMETHEUS_2, lacking].filter((traits) => difference.has(traits))
      expect(stores.length, difference.id).toBeGreaterThan(0)
      for (const traits of stores) {
        const made = plan(query, traits, { differences: [difference] })
        const shown = made.way === 'local' ? made.sentence : made.notes.join()
        expect(shown, difference.id).toMatch(new RegExp(`^\\S+( 2.42.0)? .*\\(1:\\d+\\)$`))
        expect(made.way === 'local', difference.id).toBe(difference.effect === 'values')
      }
      expect(plan(query, PROMETHEUS_3, { differences: [difference] }), difference.id).toMatchObject({ notes: [] })
      expect(plan('vector(1) or metric{a="b"} offset 5m', lacking, { differences: [difference] }).notes.length).toBe(
        difference.id === 'nan' ? 1 : 0,
      )
    }
  })

  test('of a matcher only an unescaped dot is one, and of a comparison only one that filters', () => {
    const idsIn = (query: string): number =>
      plan(query, PROMETHEUS_2, {
        differences: DIFFERENCES.filter(({ id }) => id === 'line-break' || id === 'many-matches'),
      }).notes.length
    expect(idsIn('up{a=~"x\\\\.y"}')).toBe(0)
    expect(idsIn('up{a=~"x\\\\\\\\.y"}')).toBe(1)
    expect(idsIn('up{a="x.y"}')).toBe(0)
    expect(idsIn('up > bool on (a) down')).toBe(0)
    expect(idsIn('up > on (a) group_left () down')).toBe(0)
    expect(idsIn('up + on (a) down')).toBe(0)
    expect(idsIn('up > 5')).toBe(0)
  })

  test('in a range query an instant selector ends early on VictoriaMetrics, in an instant query it does not', () => {
    const gaps = DIFFERENCES.filter(({ id }) => id === 'gaps')
    expect(plan('up', VICTORIA, { differences: gaps }, { stepMs: 1 }).notes).toHaveLength(1)
    expect(plan('up', VICTORIA, { differences: gaps }).notes).toHaveLength(0)
    expect(plan('sum_over_time(up[5m])', VICTORIA, { differences: gaps }, { stepMs: 1 }).notes).toHaveLength(0)
  })
})
