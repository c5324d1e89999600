/** The panel kind `Table`: columns, cells, and the transforms before them. */
import type { CellSetting, ColumnSetting, TableAction, TableOptions, Transform } from '../../model/dashboard.ts'
import {
  flagAt,
  has,
  neededTextAt,
  numberAt,
  partAt,
  partsAt,
  start,
  reportUnsupported,
  textAt,
  textsAt,
  wordAt,
  readPlugin,
  type Kinds,
  type Part,
} from './part.ts'
import { readCondition, readFormat } from './read-format.ts'

export const TABLE_KEYS = [
  'density',
  'columnSettings',
  'cellSettings',
  'transforms',
  'defaultColumnHidden',
  'defaultColumnWidth',
  'defaultColumnHeight',
  'pagination',
  'enableFiltering',
  'enableSorting',
  'selection',
  'actions',
]

const COLUMN_KEYS = [
  'name',
  'header',
  'headerDescription',
  'cellDescription',
  'plugin',
  'format',
  'align',
  'enableSorting',
  'sort',
  'width',
  'hide',
  'cellSettings',
  'dataLink',
]

const CELL_KEYS = ['condition', 'text', 'prefix', 'suffix', 'textColor', 'backgroundColor']

export function readTable(spec: Part): TableOptions {
  return {
    kind: 'Table',
    density: wordAt(spec, 'density', ['compact', 'standard', 'comfortable']) ?? 'standard',
    isColumnHidden: flagAt(spec, 'defaultColumnHidden'),
    columnWidth: sizeAt(spec, 'defaultColumnWidth'),
    rowHeight: sizeAt(spec, 'defaultColumnHeight'),
    canFilter: flagAt(spec, 'enableFiltering'),
    columns: partsAt(spec, 'columnSettings', `a column of ${spec.what}`, COLUMN_KEYS).flatMap((column) =>
      readColumn(column, flagAt(spec, 'enableSorting')),
    ),
    cells: readCells(spec),
    transforms: partsAt(spec, 'transforms', `a transform of ${spec.what}`, ['kind', 'spec']).flatMap(readTransform),
    actions: readActions(spec),
  }
}

/** Rows are read-only: a page sends nothing to other systems, so actions are reported as not supported. */
function readActions(spec: Part): readonly TableAction[] {
  if (flagAt(spec, 'pagination'))
    reportUnsupported(spec, 'pagination', 'the table shows all rows in one scrollable list')
  const selection = partAt(spec, 'selection', `the selection of ${spec.what}`, ['enabled', 'variant'])
  if (flagAt(selection, 'enabled')) reportUnsupported(spec, 'selection', 'no action applies to selected rows')
  const actions = partAt(spec, 'actions', `the actions of ${spec.what}`)
  if (!flagAt(actions, 'enabled', true)) return []
  const listed = partsAt(actions, 'actionsList', `an action of ${spec.what}`).filter((one) =>
    flagAt(one, 'enabled', true),
  )
  if (listed.length > 0) reportUnsupported(spec, 'actions', 'pages send no requests to other servers')
  return listed.map((action) => ({ name: neededTextAt(action, 'name'), url: textAt(action, 'url') }))
}

/** Pixels; `undefined` for `auto`. */
function sizeAt(part: Part, key: string): number | undefined {
  return textAt(part, key) === 'auto' ? undefined : numberAt(part, key)
}

function readColumn(column: Part, canSort: boolean): ColumnSetting[] {
  const name = neededTextAt(column, 'name')
  if (name === '') return []
  if (has(column, 'plugin')) {
    const { keyAt } = column.entries.get('plugin')!
    column.yaml.warning(keyAt, `column ${name} has a chart in its cells, which is not drawn`)
  }
  const link = partAt(column, 'dataLink', `the link of column ${name}`, ['url', 'title', 'openNewTab'])
  return [
    {
      name,
      header: textAt(column, 'header'),
      headerDescription: textAt(column, 'headerDescription'),
      cellDescription: textAt(column, 'cellDescription'),
      align: wordAt(column, 'align', ['left', 'center', 'right']),
      canSort: flagAt(column, 'enableSorting', canSort),
      sort: wordAt(column, 'sort', ['asc', 'desc']),
      isHidden: flagAt(column, 'hide'),
      width: sizeAt(column, 'width'),
      format: readFormat(column),
      cells: readCells(column),
      link: has(column, 'dataLink')
        ? { url: neededTextAt(link, 'url'), title: textAt(link, 'title'), opensTab: flagAt(link, 'openNewTab') }
        : undefined,
    },
  ]
}

function readCells(part: Part): readonly CellSetting[] {
  return partsAt(part, 'cellSettings', `a cell setting of ${part.what}`, CELL_KEYS).flatMap((cell) => {
    if (!has(cell, 'condition')) {
      cell.yaml.error(start(cell.at), `${cell.what} has no condition`)
      return []
    }
    const what = `the condition of ${cell.what}`
    const condition = readCondition(partAt(cell, 'condition', what, ['kind', 'spec']), what)
    if (condition === undefined) return []
    return [
      {
        condition,
        text: has(cell, 'text') ? textAt(cell, 'text') : undefined,
        prefix: textAt(cell, 'prefix'),
        suffix: textAt(cell, 'suffix'),
        textColor: textAt(cell, 'textColor'),
        backgroundColor: textAt(cell, 'backgroundColor'),
      },
    ]
  })
}

const TRANSFORMS: Kinds<Transform | undefined> = {
  JoinByColumnValue: {
    keys: ['columns', 'disabled'],
    read: (spec) => ({ kind: 'JoinByColumnValue', columns: textsAt(spec, 'columns') }),
  },
  MergeColumns: {
    keys: ['columns', 'name', 'disabled'],
    read: (spec) => ({ kind: 'MergeColumns', columns: textsAt(spec, 'columns'), name: neededTextAt(spec, 'name') }),
  },
  MergeIndexedColumns: {
    keys: ['column', 'disabled'],
    read: (spec) => ({ kind: 'MergeIndexedColumns', column: neededTextAt(spec, 'column') }),
  },
  MergeSeries: { keys: ['disabled'], read: () => ({ kind: 'MergeSeries' }) },
}

function readTransform(transform: Part): Transform[] {
  const read = readPlugin(transform, transform.what, TRANSFORMS)
  const isDisabled = flagAt(partAt(transform, 'spec', transform.what), 'disabled')
  return read === undefined || read.kind === 'unknown' || isDisabled ? [] : [read]
}
