import { EXPLORE_QUERIES_MAX } from '../../model/explore.ts'
import { formatDuration, parseDuration } from '../../model/duration.ts'
import type { Params } from './params.ts'

/**
 * Translates the addresses of Prometheus' query page, `/graph` before version 3 and `/query` since, with their `g0.expr`,
 * `g1.expr`, ..., to Daytwo's. Pure. Prometheus has a time and a step per query, Daytwo one for all queries: those of the
 * first query that has them. Display options (stacked, exemplars, the axis) are dropped.
 */

/** The query string of `/explore?`; empty without an expression. */
export function exploreSearchOf(params: Params): string {
  const panels = panelsOf(params)
  const search = new URLSearchParams(panels.map(({ expr }): [string, string] => ['expr', expr]))
  panels.forEach(({ tab }, i) => {
    if (tab !== '') search.set(i === 0 ? 'tab' : `tab${i + 1}`, tab)
  })
  if (panels.length === 0) return ''
  const rangeMs = firstOf(panels, (panel) => panel.rangeMs)
  const endMs = firstOf(panels, (panel) => panel.endMs)
  if (endMs !== undefined) {
    search.set('from', String(endMs - (rangeMs ?? DEFAULT_RANGE_MS)))
    search.set('to', String(endMs))
  } else if (rangeMs !== undefined) search.set('range', formatDuration(rangeMs))
  const stepMs = firstOf(panels, (panel) => panel.stepMs)
  if (stepMs !== undefined) search.set('step', formatDuration(stepMs))
  return search.toString()
}

/** Prometheus' default. */
const DEFAULT_RANGE_MS = 3_600_000

interface GraphPanel {
  readonly expr: string
  /** Daytwo's name of the tab; empty: a graph, or absent. */
  readonly tab: '' | 'table' | 'explain'
  readonly rangeMs: number | undefined
  readonly endMs: number | undefined
  readonly stepMs: number | undefined
}

/** The panels with an expression, up to the maximum that Explore shows. */
function panelsOf(params: Params): readonly GraphPanel[] {
  const panels: GraphPanel[] = []
  for (let i = 0; i < PANELS_MAX && panels.length < EXPLORE_QUERIES_MAX; i++) {
    const get = (setting: string): string => params.get(`g${i}.${setting}`)
    const expr = get('expr').trim()
    if (expr === '') continue
    panels.push({
      expr,
      tab: TABS.get(get('show_tree') === '1' ? 'explain' : get('tab')) ?? '',
      rangeMs: positive(parseDuration(get('range_input'))),
      // A graph has `end_input`, a table `moment_input`; Prometheus writes the same value to both.
      endMs: timeMsOf(get('end_input')) ?? timeMsOf(get('moment_input')),
      stepMs: stepMsOf(get),
    })
  }
  return panels
}

/** The numbers of a link may have gaps. */
const PANELS_MAX = 100

const TABS: ReadonlyMap<string, GraphPanel['tab']> = new Map([
  ['1', 'table'],
  ['table', 'table'],
  ['explain', 'explain'],
])

/** `step_input` in old links, `res_step` in new ones: seconds, rounded up because Explore takes no fraction. */
function stepMsOf(get: (setting: string) => string): number | undefined {
  const isChosen = ['fixed', 'custom'].includes(get('res_type'))
  const seconds = Math.ceil(Number(isChosen ? get('res_step') : get('step_input')))
  return Number.isSafeInteger(seconds * 1000) ? positive(seconds * 1000) : undefined
}

/** UTC, as Prometheus' page writes it: `2026-10-14 03:12:00`, without seconds in old links; or RFC 3339. */
function timeMsOf(text: string): number | undefined {
  const parts = TIME.exec(text)
  if (parts === null) return undefined
  const [, day = '', minute = '', second = ':00', zone = 'Z'] = parts
  const timeMs = Date.parse(`${day}T${minute}${second}${zone}`)
  return Number.isNaN(timeMs) ? undefined : timeMs
}

const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/

function positive(amount: number | undefined): number | undefined {
  return amount !== undefined && amount > 0 ? amount : undefined
}

function firstOf<T>(panels: readonly GraphPanel[], read: (panel: GraphPanel) => T | undefined): T | undefined {
  return panels.map(read).find((value) => value !== undefined)
}
