import { describe, expect, test } from 'vitest'
import {
  ALL_VALUES,
  type ListVariable,
  type VariableSort,
  type VariableSource,
} from '../../../../src/model/dashboard.ts'
import { chosenOf, inOrder, textValueOf, toOptions, valueOf } from '../../../../src/web/lib/dashboards/variables.ts'

const list = (name: string, source: VariableSource, more: Partial<ListVariable> = {}): ListVariable => ({
  ...{ kind: 'list', name, title: name, description: '', isHidden: false, allowsAll: false, allowsMultiple: false },
  ...{ customAllValue: '', capturingRegexp: '', sort: 'none', defaultValues: [], source },
  ...more,
})
const NONE: VariableSource = { kind: 'static', values: [] }
const options = (...values: string[]) => values.map((value) => ({ value, label: value }))

describe('what can be chosen', () => {
  test.each([
    ['none', ['b10', 'B2', 'a1']],
    ['alphabetical-asc', ['B2', 'a1', 'b10']],
    ['alphabetical-desc', ['b10', 'a1', 'B2']],
    ['alphabetical-ci-asc', ['a1', 'b10', 'B2']],
    ['alphabetical-ci-desc', ['B2', 'b10', 'a1']],
  ] as const)('in the order %s', (sort, want) => {
    expect(
      toOptions(options('b10', 'B2', 'a1', 'b10'), { capturingRegexp: '', sort }).map(({ value }) => value),
    ).toEqual(want)
  })

  test('numbers by their size', () => {
    const of = (sort: VariableSort) =>
      toOptions(options('10', '9', '100'), { capturingRegexp: '', sort }).map(({ value }) => value)
    expect(of('numerical-asc')).toEqual(['9', '10', '100'])
    expect(of('numerical-desc')).toEqual(['100', '10', '9'])
  })

  test('the captured part counts, what does not match is none', () => {
    const captured = toOptions(options('node-1.x', 'node-1.y', 'pod-1'), {
      capturingRegexp: String.raw`^(node-\d+)`,
      sort: 'none',
    })
    expect(captured).toEqual(options('node-1'))
  })

  test.each([
    ['all groups of all matches', String.raw`(\w)-\w+-(\d)`, options('a-web-1.b-db-2'), options('a1b2')],
    ['nothing that is empty', '(x*)', options('a'), []],
    [
      'with the label that the file gives',
      '^(..)',
      [{ value: 'eu-1', label: 'Europe' }],
      [{ value: 'eu', label: 'Europe' }],
    ],
    ['the match itself without groups', '^[a-z]+', options('web-1', '7'), options('web')],
  ])('captured: %s', (_what, capturingRegexp, raw, want) => {
    expect(toOptions(raw, { capturingRegexp, sort: 'none' })).toEqual(want)
  })
})

describe('what is chosen', () => {
  const many = list('v', NONE, { allowsMultiple: true, allowsAll: true, defaultValues: ['b'] })
  test.each([
    ['by the address', many, 'var-v=a&var-v=c', ['a', 'c']],
    ['by the file', many, '', ['b']],
    ['all', many, `var-v=a&var-v=${ALL_VALUES}`, [ALL_VALUES]],
    ['one of several that the address names', { ...many, allowsMultiple: false }, 'var-v=a&var-v=c', ['a']],
    ['not all where that is not allowed', { ...many, allowsAll: false }, `var-v=${ALL_VALUES}`, ['a']],
    ['all, where nothing else is', { ...many, defaultValues: [] }, '', [ALL_VALUES]],
    ['the first, where nothing else is', list('v', NONE), '', ['a']],
  ])('%s', (_what, variable, search, want) => {
    expect(chosenOf(variable, new URLSearchParams(search), options('a', 'b', 'c'))).toEqual(want)
  })

  test('stands in the queries one by one, as the file says it, or as anything when they are too many', () => {
    const all = [ALL_VALUES]
    expect(valueOf(many, ['a', 'c'], [])).toEqual({ values: ['a', 'c'], isPattern: false })
    expect(valueOf(many, all, options('a', 'b'))).toEqual({ values: ['a', 'b'], isPattern: false })
    expect(valueOf({ ...many, customAllValue: '.*' }, all, options('a'))).toEqual({ values: ['.*'], isPattern: true })
    const names = Array.from({ length: 201 }, (_, i) => String(i))
    expect(valueOf(many, all, options(...names))).toEqual({ values: ['.+'], isPattern: true })
  })

  test('a text, unless nobody can change it', () => {
    const text = {
      kind: 'text',
      name: 'v',
      title: 'v',
      description: '',
      isHidden: false,
      value: 'x',
      isConstant: false,
    } as const
    expect(textValueOf(text, new URLSearchParams('var-v=y')).values).toEqual(['y'])
    expect(textValueOf({ ...text, isConstant: true }, new URLSearchParams('var-v=y')).values).toEqual(['x'])
  })
})

test('each comes after those it depends on; a ring is told', () => {
  const promql = (name: string, expr: string) => list(name, { kind: 'promql', expr, labelName: 'x' })
  const { ordered, ring } = inOrder([
    promql('c', 'up{b="$b"}'),
    promql('b', 'up{a="$a", at="$__range"}'),
    list('a', NONE),
    promql('x', 'up{y="$y"}'),
    promql('y', 'up{x="$x"}'),
  ])
  expect(ordered.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'x', 'y'])
  expect(ring).toEqual(['x', 'y'])
})
