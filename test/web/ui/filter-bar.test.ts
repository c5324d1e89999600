import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { FacetSelect } from '../../../src/web/ui/facet-select.tsx'
import { FilterBar } from '../../../src/web/ui/filter-bar.tsx'

const NOTHING = (): void => undefined

test('a filter bar has a search field, facets, chips that can be taken away, and a reset', () => {
  const html = renderToStaticMarkup(
    createElement(
      FilterBar,
      {
        search: { label: 'Search things', placeholder: 'Name', value: 'a', onChange: NOTHING },
        chips: [{ name: 'alert', value: 'X', onRemove: NOTHING }],
        onReset: NOTHING,
        end: '2 of 3',
      },
      createElement(FacetSelect, { label: 'Type', values: [{ value: 'b', count: 2 }], value: '', onChange: NOTHING }),
    ),
  )
  expect(html).toMatch(/type="search"[^>]*aria-label="Search things"[^>]*placeholder="Name"[^>]*value="a"/)
  expect(html).toMatch(/aria-label="Type".*Type: any.*b \(2\).*alert: X.*Remove filter alert: X.*Show all.*2 of 3/)
})

test('nothing to reset is not offered', () => {
  expect(renderToStaticMarkup(createElement(FilterBar, {}))).toBe('<div class="row filters"></div>')
})

test('a facet that nobody counts has its label before each value', () => {
  const values = [{ value: 'b', text: 'B' }]
  const html = renderToStaticMarkup(
    createElement(FacetSelect, { label: 'Type', values, value: 'b', onChange: NOTHING }),
  )
  expect(html).toContain('>Type: B</option>')
})
