import { expect, test } from 'vitest'
import {
  emptyReasons,
  matches,
  selectorText,
  sinceLastStep,
  similarNames,
  type SelectorFacts,
} from '../../../../src/web/lib/promql/empty-reason.ts'
import { selectorsIn } from '../../../../src/web/lib/promql/selectors.ts'

const NAMES = ['kubevirt_info', 'kubevirt_vmi_info', 'node_cpu_seconds_total', 'up']

function factsOf(expr: string, more: Partial<SelectorFacts> = {}): readonly SelectorFacts[] {
  return selectorsIn(expr).map((selector) => ({
    selector,
    isInTime: false,
    isAtSteps: true,
    isStored: false,
    isMetricStored: true,
    values: [],
    ...more,
  }))
}

const CLUSTERS = ['ams-1', 'ams-2', 'prg-1', 'prg-2', 'vie-1', 'vie-2', 'vie-3']
const valuesOf = (expr: string): SelectorFacts['values'] =>
  selectorsIn(expr)[0]!.matchers.map((matcher) => ({ matcher, values: matcher.name === 'cluster' ? CLUSTERS : [] }))

test('a metric that nobody sends is told with those that are called much the same', () => {
  const expr = 'sum(kubevirt_inf{cluster="ams-1"})'
  expect(emptyReasons(expr, factsOf(expr, { isMetricStored: false }), NAMES)).toEqual([
    {
      text: 'No sender has the metric kubevirt_inf.',
      instead: [
        { says: 'kubevirt_info', expr: 'sum(kubevirt_info{cluster="ams-1"})' },
        { says: 'kubevirt_vmi_info', expr: 'sum(kubevirt_vmi_info{cluster="ams-1"})' },
      ],
    },
  ])
})

test.each([
  [
    'up{cluster="ams-12"}',
    'The label cluster of up is never "ams-12": it is ams-1, ams-2, prg-1, prg-2, vie-1 and 2 others.',
  ],
  [
    'up{cluster=~"brn-.*"}',
    'The label cluster of up is never like "brn-.*": it is ams-1, ams-2, prg-1, prg-2, vie-1 and 2 others.',
  ],
  ['up{zone="a"}', 'No series of up has the label zone.'],
  ['up{cluster="ams-1"}', 'No series has this combination of labels: up{cluster="ams-1"}.'],
])('%s: %s', (expr, text) => {
  expect(emptyReasons(expr, factsOf(expr, { values: valuesOf(expr) }), NAMES).map((one) => one.text)).toEqual([text])
})

test('a label value that is nearly right is offered', () => {
  const expr = 'up{cluster="ams-12",job="x"} + 1'
  const [reason] = emptyReasons(expr, factsOf(expr, { values: valuesOf('up{cluster="ams-12"}') }), NAMES)
  // The matcher that is replaced is found by identity: it has to be the one of the selector.
  expect(reason?.instead.map(({ says }) => says)).toEqual(['cluster="ams-1"', 'cluster="ams-2"'])
  const own = factsOf(expr).map((one) => ({
    ...one,
    values: [{ matcher: one.selector.matchers[0]!, values: CLUSTERS }],
  }))
  expect(emptyReasons(expr, own, NAMES)[0]?.instead[0]?.expr).toBe('up{cluster="ams-1", job="x"} + 1')
})

test('samples that lie between the steps of a graph', () => {
  const facts = factsOf('count(up)', { isInTime: true, isAtSteps: false })
  expect(emptyReasons('count(up)', facts, NAMES, 43_200)).toEqual([
    {
      text: 'up has samples in the range, but only between the steps of the graph, which are 12 h apart: choose a shorter range or step.',
      instead: [],
    },
  ])
})

test('samples at another time, and samples of which nothing is left', () => {
  expect(emptyReasons('up', factsOf('up', { isStored: true }), NAMES)[0]?.text).toBe(
    'up has samples, but none in the range: choose a longer or a different range.',
  )
  expect(emptyReasons('up > 1', factsOf('up > 1', { isInTime: true }), NAMES)[0]?.text).toBe(
    'The selected series has samples in the range, but none of them meets the conditions of the query.',
  )
  expect(emptyReasons('a > b', factsOf('a > b', { isInTime: true }), NAMES)[0]?.text).toMatch(
    /^All selected series have samples in the range, but none/,
  )
  // Of a graph too, when the samples are at its steps.
  expect(emptyReasons('up > 1', factsOf('up > 1', { isInTime: true, isAtSteps: true }), NAMES, 60)).toHaveLength(1)
  expect(emptyReasons('1 > 2', [], NAMES)).toEqual([])
})

test.each([
  ['=', 'a', 'a', true],
  ['!=', 'a', 'a', false],
  ['=~', 'a|b', 'b', true],
  ['=~', 'a', 'ab', false],
  ['!~', 'a.*', 'ab', false],
  ['=~', '(?i:a)[', 'b', true],
] as const)('%s %s of %s: %s', (operator, value, one, expected) => {
  expect(matches({ name: 'x', operator, value }, one)).toBe(expected)
})

test('a selector is written so that it is read the same', () => {
  for (const expr of ['up', 'up{a="b"}', '{a="b", c!~"d\\"e"}', '{"dotted.name", "x.y"="z"}']) {
    const [selector] = selectorsIn(expr)
    expect(selectorText(selector!.metric, selector!.matchers)).toBe(expr)
  }
})

test('names are alike by their pieces', () => {
  expect(similarNames('kubevirt_imfo', NAMES, 2)).toEqual(['kubevirt_info', 'kubevirt_vmi_info'])
  expect(similarNames('UP', NAMES, 2)).toEqual(['up'])
  expect(similarNames('', NAMES, 2)).toEqual([])
  expect(similarNames('wholly_other', NAMES, 2)).toEqual([])
})

test.each([
  [{ isMetricStored: false }, 'range', 'No series daytwo_upgrade_stuck yet: the server writes it when there is data.'],
  [
    { isInTime: true },
    'end',
    'The selected series has samples at the end of the range, but none of them meets the conditions of the query.',
  ],
  [{ isStored: true }, 'end', 'daytwo_upgrade_stuck has samples, but none at the end of the range.'],
] as const)('of a panel: %o, %s', (facts, time, text) => {
  const expr = 'daytwo_upgrade_stuck > 0'
  expect(emptyReasons(expr, factsOf(expr, facts), NAMES, undefined, time).map((one) => one.text)).toEqual([text])
})

test('of a graph whose series began after its last step', () => {
  expect(sinceLastStep({ stepSeconds: 3600 }).text).toBe(
    'The query has a result now, newer than the last step of the graph (step 1 h). Choose a shorter range.',
  )
})
