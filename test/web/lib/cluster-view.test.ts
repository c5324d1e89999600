import { expect, test } from 'vitest'
import { searchOf } from '../../../src/web/lib/address.ts'
import { questionOfView, toggled, CLUSTER_VIEW } from '../../../src/web/lib/cluster-view.ts'
import { readColumns, FIRST_COLUMNS, readViews, withoutView, withView } from '../../../src/web/lib/list-preferences.ts'
import { versionAge, versionChoices, compareVersions } from '../../../src/web/lib/version-order.ts'

test.each([
  ['', ''],
  ['state=stuck&state=silent', 'state=stuck&state=silent'],
  ['state=silent,stuck,nonsense', 'state=stuck&state=silent'],
  ['version=1.17&version=1.17&version=', 'version=1.17'],
  ['sort=last_seen', 'sort=last_seen'],
  ['sort=last_seen&order=desc', 'sort=last_seen'],
  ['sort=cluster&order=desc', 'order=desc'],
  ['sort=nonsense&order=up', ''],
  ['q=a%26b&region=eu-west&channel=stable', 'channel=stable&region=eu-west&q=a%26b'],
])('the address %s is read, and written as %s', (search, want) => {
  const view = CLUSTER_VIEW.parse(search)
  expect(searchOf(CLUSTER_VIEW.searchOf(view))).toBe(want)
  expect(CLUSTER_VIEW.parse(want)).toEqual(view)
})

test('the API is asked by its own names, always with an order', () => {
  expect(searchOf(questionOfView({ ...CLUSTER_VIEW.initial, text: 'ams', states: ['stuck'] }))).toBe(
    'state=stuck&sort=cluster&order=asc&text=ams',
  )
})

test('an order narrows nothing, any filter does', () => {
  expect(CLUSTER_VIEW.isNarrowed(CLUSTER_VIEW.parse('sort=version'))).toBe(false)
  for (const filter of ['state=stuck', 'version=1', 'channel=x', 'platform=x', 'flavour=x', 'region=x', 'q=x']) {
    expect(CLUSTER_VIEW.isNarrowed(CLUSTER_VIEW.parse(filter)), filter).toBe(true)
  }
})

test('a choice is added, and taken away again', () => {
  expect(toggled(['a'], 'b')).toEqual(['a', 'b'])
  expect(toggled(['a', 'b'], 'a')).toEqual(['b'])
})

test.each([[null], ['state'], [{}]])('columns are the first ones when %j was kept', (kept) => {
  expect(readColumns(kept)).toEqual(FIRST_COLUMNS)
})

test('kept columns stand in the order of the table, without those that are no more', () => {
  expect(readColumns(['region', 'state', 'gone', 7])).toEqual(['state', 'region'])
  expect(readColumns([])).toEqual([])
})

test('views are kept by name, and nothing else that was kept is one', () => {
  const kept = [{ name: 'mine', search: 'state=stuck' }, { name: '', search: '' }, { name: 'x' }, null, 'y']
  const views = readViews(kept)
  expect(views).toEqual([{ name: 'mine', search: 'state=stuck' }])
  expect(readViews('x')).toEqual([])
  const more = withView(withView(views, { name: ' also ', search: '' }), { name: 'mine', search: 'state=silent' })
  expect(more).toEqual([
    { name: 'also', search: '' },
    { name: 'mine', search: 'state=silent' },
  ])
  expect(withView(more, { name: '  ', search: '' })).toBe(more)
  expect(withoutView(more, 'mine').map(({ name }) => name)).toEqual(['also'])
})

const VERSIONS = ['1.17.0', '1.18.1', '1.17.3', '4.20.1', null, '1.9.0', 'v1.8.4'].map((value) => ({ value, count: 2 }))

test('versions to choose: newest first, all of a minor before its versions, not known last', () => {
  expect(versionChoices(VERSIONS).map(({ text, count }) => `${text} ${count}`)).toEqual([
    '4.20.1 2',
    '1.18.1 2',
    'all of 1.17 4',
    '1.17.3 2',
    '1.17.0 2',
    '1.9.0 2',
    'v1.8.4 2',
    ' 2',
  ])
})

test.each([
  ['1.18.1', 0],
  ['1.18.0', 0],
  ['1.17.0', 1],
  ['1.9.7', 2],
  ['4.20.9', 0],
  ['v1.8.0', 0],
  ['1.2.0', undefined],
  ['main', undefined],
])('%s is of age %j among those of its line', (version, want) => {
  expect(versionAge(version, VERSIONS)).toBe(want)
})

test('versions are ordered newest first, a release before what came before it, what is none last', () => {
  const versions = ['unknown', '1.9.0', '1.18.0-rc.1', '1.18.0', 'v1.20.1', '1.18', 'main']
  expect([...versions].sort(compareVersions)).toEqual([
    'v1.20.1',
    '1.18.0',
    '1.18',
    '1.18.0-rc.1',
    '1.9.0',
    'main',
    'unknown',
  ])
})
