/**
 * A dashboard as it is drawn: the content of a Perses dashboard (perses.dev, kind `Dashboard`, or the operator's
 * `PersesDashboard`), with defaults applied and names of kinds preserved. Plain data, frozen by the reader of the file.
 * Colours are those of the file; the renderer maps them.
 */

export interface DashboardModel {
  readonly name: string
  /** The project, or the namespace of the operator's form; empty when the file has none. */
  readonly project: string
  readonly title: string
  readonly description: string
  readonly tags: readonly string[]
  /** The default time range. */
  readonly durationSeconds: number
  /** 0: no automatic refresh. */
  readonly refreshSeconds: number
  readonly variables: readonly Variable[]
  /** In the order of the file. */
  readonly panels: readonly DashboardPanel[]
  readonly grids: readonly Grid[]
  readonly links: readonly DashboardLink[]
}

export interface DashboardLink {
  readonly name: string
  readonly url: string
  readonly tooltip: string
  /** Variables in the address are replaced. */
  readonly rendersVariables: boolean
  readonly opensTab: boolean
}

export interface Grid {
  readonly title: string
  readonly canCollapse: boolean
  readonly isOpen: boolean
  /** A variable for each value of which it is there once; empty: it is there once. */
  readonly repeatVariable: string
  readonly items: readonly GridItem[]
}

/** Of 24 columns; heights in rows. */
export interface GridItem {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** The `id` of a panel. */
  readonly panel: string
}

export interface DashboardPanel {
  /** Its key in the file. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly chart: Chart
  readonly queries: readonly PanelQuery[]
  readonly links: readonly DashboardLink[]
  /** Settings of the file that are not supported, in words; each is a fault of the file too. */
  readonly notDone: readonly string[]
}

export type PanelQuery = PrometheusQuery | UnknownPart

export interface PrometheusQuery {
  readonly kind: 'prometheus'
  /** PromQL with its variables, as the file has it. */
  readonly expr: string
  /** `{{label}}` is replaced by the label; empty: the series is named by its labels. */
  readonly seriesNameFormat: string
  readonly minStepSeconds: number
  /** The minimum step as written, when it is a variable: `$step`. Empty otherwise. */
  readonly minStepText: string
  /** An instant query at the end of the range, whatever the panel. */
  readonly isInstant: boolean
}

/** An unsupported kind. `spec` is its content in the file, for display. */
export interface UnknownPart {
  readonly kind: 'unknown'
  readonly name: string
  readonly spec: string
}

export type Variable = ListVariable | TextVariable

interface VariableCommon {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly isHidden: boolean
}

export interface TextVariable extends VariableCommon {
  readonly kind: 'text'
  readonly value: string
  /** The variable is constant. */
  readonly isConstant: boolean
}

export const VARIABLE_SORTS = [
  'none',
  'alphabetical-asc',
  'alphabetical-desc',
  'numerical-asc',
  'numerical-desc',
  'alphabetical-ci-asc',
  'alphabetical-ci-desc',
] as const
export type VariableSort = (typeof VARIABLE_SORTS)[number]

export interface ListVariable extends VariableCommon {
  readonly kind: 'list'
  readonly allowsAll: boolean
  readonly allowsMultiple: boolean
  /** The value for "all"; empty: all values, one by one. */
  readonly customAllValue: string
  /** A regular expression whose first group is what counts of a value; empty: the whole value. */
  readonly capturingRegexp: string
  readonly sort: VariableSort
  readonly defaultValues: readonly string[]
  readonly source: VariableSource
}

/** All values of a variable. */
export const ALL_VALUES = '$__all'

export type VariableSource =
  | { readonly kind: 'label-values'; readonly labelName: string; readonly matchers: readonly string[] }
  | { readonly kind: 'label-names'; readonly matchers: readonly string[] }
  | { readonly kind: 'promql'; readonly expr: string; readonly labelName: string }
  | { readonly kind: 'static'; readonly values: readonly { readonly value: string; readonly label: string }[] }
  | UnknownPart

export interface Format {
  /** A unit of Perses, such as `bytes`; an unknown one is written behind the number. */
  readonly unit: string
  readonly decimalPlaces?: number
  /** `1.2K` instead of `1,200`. */
  readonly isShort?: boolean
}

export const CALCULATIONS = ['last-number', 'last', 'first-number', 'first', 'mean', 'sum', 'min', 'max'] as const
export type Calculation = (typeof CALCULATIONS)[number]

export interface Thresholds {
  readonly mode: 'absolute' | 'percent'
  readonly defaultColor: string
  /** By value, the lowest first. */
  readonly steps: readonly ThresholdStep[]
}

export interface ThresholdStep {
  readonly value: number
  readonly color: string
  readonly name: string
}

export type Condition =
  | { readonly kind: 'value'; readonly value: string }
  /** Both ends inclusive. */
  | { readonly kind: 'range'; readonly min?: number; readonly max?: number }
  | { readonly kind: 'regex'; readonly pattern: string }
  | { readonly kind: 'misc'; readonly value: (typeof MISC_VALUES)[number] }

export const MISC_VALUES = ['empty', 'null', 'NaN', 'true', 'false'] as const

/** What a value is shown as. */
export interface Mapping {
  readonly condition: Condition
  readonly text: string
  readonly color: string
}

export interface Legend {
  readonly position: 'bottom' | 'right'
  readonly mode: 'list' | 'table'
  readonly size: 'small' | 'medium'
  /** Columns of the table: a calculation over each series. */
  readonly values: readonly Calculation[]
}

type LineStyle = 'solid' | 'dashed' | 'dotted'

export type Chart =
  | TimeSeriesOptions
  | StatOptions
  | GaugeOptions
  | TableOptions
  | BarOptions
  | PieOptions
  | HeatMapOptions
  | StatusHistoryOptions
  | MarkdownOptions
  | UnknownPart

export interface TimeSeriesOptions {
  readonly kind: 'TimeSeriesChart'
  readonly legend: Legend | undefined
  readonly thresholds: Thresholds | undefined
  readonly yAxis: YAxis
  readonly visual: Visual
  readonly querySettings: readonly QuerySetting[]
  /** A click pins the tooltip until the next click. */
  readonly canPin: boolean
}

export interface YAxis {
  readonly isShown: boolean
  readonly label: string
  readonly format: Format | undefined
  readonly min: number | undefined
  readonly max: number | undefined
  /** 0: the axis is linear. */
  readonly logBase: number
}

interface Visual {
  readonly display: 'line' | 'bar'
  readonly lineWidth: number
  readonly lineStyle: LineStyle
  /** From 0 to 1. */
  readonly areaOpacity: number
  readonly alwaysShowsPoints: boolean
  readonly pointRadius: number
  readonly stack: 'none' | 'all' | 'percent'
  readonly connectsNulls: boolean
}

/** How the series of one query differ from those of others. */
export interface QuerySetting {
  readonly queryIndex: number
  /** `fixed-single`: only when the query has one series. No line has a colour of its own here. */
  readonly colorMode: 'fixed' | 'fixed-single' | undefined
  readonly colorValue: string
  readonly lineStyle: LineStyle | undefined
  readonly areaOpacity: number | undefined
  readonly format: Format | undefined
}

export interface StatOptions {
  readonly kind: 'StatChart'
  readonly calculation: Calculation
  readonly format: Format | undefined
  readonly thresholds: Thresholds | undefined
  readonly hasSparkline: boolean
  /** Pixels. */
  readonly sparklineWidth: number
  /** Pixels; `undefined`: as there is room. */
  readonly valueFontPx: number | undefined
  readonly colorMode: 'value' | 'background_solid' | 'none'
  readonly legendMode: 'auto' | 'on' | 'off'
  /** A label whose value is shown instead of the number; empty: the number. */
  readonly metricLabel: string
  readonly mappings: readonly Mapping[]
}

export interface GaugeOptions {
  readonly kind: 'GaugeChart'
  readonly calculation: Calculation
  readonly format: Format | undefined
  readonly thresholds: Thresholds | undefined
  /** 100 % when absent, otherwise what the thresholds of mode `percent` are of. */
  readonly max: number | undefined
  /** Whether its series are named; `undefined`: several are. */
  readonly isNamed: boolean | undefined
}

export interface TableOptions {
  readonly kind: 'Table'
  readonly density: 'compact' | 'standard' | 'comfortable'
  readonly isColumnHidden: boolean
  /** Pixels, the default of columns without a width. */
  readonly columnWidth: number | undefined
  /** Pixels; `undefined`: by density. */
  readonly rowHeight: number | undefined
  readonly canFilter: boolean
  readonly columns: readonly ColumnSetting[]
  readonly cells: readonly CellSetting[]
  readonly transforms: readonly Transform[]
  /** Actions on a row; not supported here. */
  readonly actions: readonly TableAction[]
}

export interface TableAction {
  readonly name: string
  /** The target of the action, as in the file; empty: listeners in the page. */
  readonly url: string
}

export interface ColumnSetting {
  readonly name: string
  /** Empty: the name. */
  readonly header: string
  readonly headerDescription: string
  readonly cellDescription: string
  readonly align: 'left' | 'center' | 'right' | undefined
  readonly canSort: boolean
  readonly sort: 'asc' | 'desc' | undefined
  readonly isHidden: boolean
  /** Pixels. */
  readonly width: number | undefined
  readonly format: Format | undefined
  readonly cells: readonly CellSetting[]
  readonly link: ColumnLink | undefined
}

interface ColumnLink {
  readonly url: string
  readonly title: string
  readonly opensTab: boolean
}

/** How a cell is shown that meets a condition. */
export interface CellSetting {
  readonly condition: Condition
  /** Instead of the value; `undefined`: the value. */
  readonly text: string | undefined
  readonly prefix: string
  readonly suffix: string
  readonly textColor: string
  readonly backgroundColor: string
}

export type Transform =
  | { readonly kind: 'JoinByColumnValue'; readonly columns: readonly string[] }
  | { readonly kind: 'MergeColumns'; readonly columns: readonly string[]; readonly name: string }
  | { readonly kind: 'MergeIndexedColumns'; readonly column: string }
  | { readonly kind: 'MergeSeries' }

export interface BarOptions {
  readonly kind: 'BarChart'
  readonly calculation: Calculation
  readonly format: Format | undefined
  readonly sort: 'asc' | 'desc' | undefined
  /** `percentage`: of all bars, or of those of its group. */
  readonly mode: 'value' | 'percentage'
  readonly orientation: 'horizontal' | 'vertical'
  /** Series with the same values of these labels are grouped. Empty: each series is a group. */
  readonly groupBy: readonly string[]
  /** Bars of a group on top of each other, not beside. */
  readonly isStacked: boolean
  readonly colorOverrides: readonly ColorOverride[]
}

/** The first whose pattern is found in a name has its colour. */
export interface ColorOverride {
  readonly pattern: string
  readonly color: string
}

export interface PieOptions {
  readonly kind: 'PieChart'
  readonly calculation: Calculation
  readonly format: Format | undefined
  readonly sort: 'asc' | 'desc' | undefined
  readonly mode: 'value' | 'percentage'
  readonly legend: PieLegend | undefined
  /** Of the ring, in percent of its room. */
  readonly radius: number
}

export interface PieLegend extends Pick<Legend, 'position' | 'size'> {
  /** Beside each name: its number, its share. Empty: as the panel does without. */
  readonly values: readonly ('abs' | 'relative')[]
}

export interface HeatMapOptions {
  readonly kind: 'HeatMapChart'
  readonly yFormat: Format | undefined
  readonly countFormat: Format | undefined
  /** What is pale and what is strong stands below. */
  readonly hasScale: boolean
}

export interface StatusHistoryOptions {
  readonly kind: 'StatusHistoryChart'
  readonly mappings: readonly Mapping[]
  /** Whether the states are listed, and where. */
  readonly legend: Pick<Legend, 'position'> | undefined
  /** Of the rows, by name; `undefined`: as they come. */
  readonly sort: 'asc' | 'desc' | undefined
}

interface MarkdownOptions {
  readonly kind: 'Markdown'
  readonly text: string
}

/** The kinds of panel that are drawn. */
export const CHART_KINDS = [
  'TimeSeriesChart',
  'StatChart',
  'GaugeChart',
  'Table',
  'BarChart',
  'PieChart',
  'HeatMapChart',
  'StatusHistoryChart',
  'Markdown',
] as const satisfies readonly Exclude<Chart['kind'], 'unknown'>[]
