import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { DataTable, tableCsv, type Column, type DataTableProps } from '../../../src/web/ui/data-table.tsx'
import { selectColumn } from '../../../src/web/ui/select-column.tsx'

interface Row {
  readonly name: string
  readonly count: number
}

const COLUMNS: readonly Column<Row, 'name'>[] = [
  { id: 'name', head: 'Name', kind: 'name', sort: 'name', cell: ({ name }) => name, csv: ({ name }) => name },
  {
    id: 'count',
    head: 'Count',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ count }) => `${count} pieces`,
    csv: ({ count }) => count,
  },
  { id: 'note', head: 'Note', isHeadHidden: true, cell: () => 'seen' },
]

const ROWS: readonly Row[] = [
  { name: 'a', count: 1 },
  { name: '=b, "c"', count: 2 },
]

function render(props: Partial<DataTableProps<Row, 'name'>>): string {
  const whole = { label: 'Things', columns: COLUMNS, rows: ROWS, rowKey: ({ name }: Row) => name, ...props }
  return renderToStaticMarkup(createElement(DataTable<Row, 'name'>, whole))
}

describe('DataTable', () => {
  test('is a real table with a name, whose head and cells of a column have the same classes', () => {
    const html = render({ rows: ROWS.slice(0, 1) })
    expect(html).toBe(
      '<table class="data-table" aria-label="Things"><thead><tr>' +
        '<th scope="col">Name</th>' +
        '<th scope="col" class="cell-number cell-beside">Count</th>' +
        '<th scope="col"><span class="visually-hidden">Note</span></th>' +
        '</tr></thead><tbody><tr><td class="cell-name">a</td>' +
        '<td class="cell-number cell-beside">1 pieces</td><td>seen</td></tr></tbody></table>',
    )
  })

  test('has a caption above its head', () => {
    expect(render({ caption: 'At day 3' })).toContain('<caption>At day 3</caption><thead>')
  })

  test('a column has a style where its width is known at run time only, and one cell a class of its own', () => {
    const style = { textAlign: 'center', inlineSize: '90px' } as const
    const cellClass = ({ count }: Row): string | undefined => (count > 1 ? 'many' : undefined)
    const html = render({ columns: [{ id: 'count', head: 'Count', style, cellClass, cell: ({ count }) => count }] })
    expect(html.match(/style="text-align:center;inline-size:90px"/g)).toHaveLength(3)
    expect(html.match(/<td class="many"[^>]*>2/g)).toHaveLength(1)
    expect(html.match(/class="many"/g)).toHaveLength(1)
  })

  test('says by which column it is sorted', () => {
    const html = render({ sort: { sort: 'name', order: 'desc' }, onSort: () => undefined })
    expect(html).toContain('aria-sort="descending"')
    expect(html.match(/<button/g)).toHaveLength(1)
  })

  test('waits with a skeleton, says a failure with a retry, and shows what stands for no rows', () => {
    expect(render({ rows: undefined })).toContain('aria-label="Loading Things"')
    const failed = render({ failure: { message: 'the server is away', onRetry: () => undefined } })
    expect(failed).toMatch(/role="alert".*Could not load Things.*the server is away.*Try again/)
    expect(render({ rows: [], empty: 'No thing.' })).toBe('No thing.')
    expect(render({ rows: [] })).toContain('<tbody></tbody>')
  })

  test('a row of prose has its name as its head, and a wide table scrolls by keys', () => {
    const html = render({ look: 'prose', isScrollable: true })
    expect(html).toContain('<div class="table-scroll" tabindex="0" role="group" aria-label="Things">')
    expect(html).toContain('<th scope="row">a</th>')
  })

  test('what a row unfolds stands below it, over all columns', () => {
    const html = render({ detail: ({ count }) => (count === 2 ? 'more of b' : null) })
    expect(html.match(/<td colSpan="3"[^>]*>more of b<\/td>/gi)).toHaveLength(1)
  })

  test('its CSV has the columns that have a value, quoted, and no formulas', () => {
    expect(tableCsv(COLUMNS, ROWS)).toBe('Name,Count\r\na,1\r\n"\'=b, ""c""",2\r\n')
    expect(render({ csvName: 'things' })).toContain('CSV file')
  })

  test('rows can be chosen until it is full', () => {
    const select = selectColumn<Row>({
      verb: 'Compare',
      nameOf: ({ name }) => name,
      isChosen: ({ count }) => count === 1,
      onChoose: () => undefined,
      fullReason: 'At most one is compared',
    })
    const html = render({ columns: [select, ...COLUMNS] })
    expect(html).toContain('<label><input type="checkbox" aria-label="Compare a" checked=""/></label>')
    expect(html).toMatch(/<label title="At most one is compared"><input [^>]*disabled=""/)
  })
})
