import { Type } from 'typebox'
import type { Shape } from './common.ts'
import type { DashboardModel } from '../model/dashboard.ts'

/** `/api/dashboards/v1`: the loaded dashboards. */

export const DashboardSummary = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  panels: Type.Integer(),
  /** Of the file: errors and warnings. */
  faults: Type.Integer(),
  /** Alerts whose rules read what it shows. */
  alerts: Type.Integer(),
})
export type DashboardSummary = Shape<typeof DashboardSummary>
export const DashboardList = Type.Object({ dashboards: Type.Array(DashboardSummary) })
export type DashboardList = Shape<typeof DashboardList>

export const DashboardFault = Type.Object({
  severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
  message: Type.String(),
  /** From 1. */
  line: Type.Integer(),
  column: Type.Integer(),
  hint: Type.Optional(Type.String()),
})
export type DashboardFault = Shape<typeof DashboardFault>

/** An alert whose rule reads what a panel shows. */
export const PanelAlert = Type.Object({
  name: Type.String(),
  hasRunbook: Type.Boolean(),
  /** The number that fires now. */
  firing: Type.Integer(),
})
export type PanelAlert = Shape<typeof PanelAlert>

/** Perses' fields with defaults applied, the kind of each chart in `kind`; times in seconds. */
const Model = Type.Unsafe<DashboardModel>(
  Type.Object({
    name: Type.String(),
    project: Type.String(),
    title: Type.String(),
    description: Type.String(),
    tags: Type.Array(Type.String()),
    durationSeconds: Type.Number(),
    refreshSeconds: Type.Number(),
    variables: Type.Array(
      Type.Object({
        kind: Type.String({ description: '`list` or `text`' }),
        name: Type.String(),
        title: Type.String(),
      }),
    ),
    panels: Type.Array(
      Type.Object({
        id: Type.String(),
        title: Type.String(),
        description: Type.String(),
        chart: Type.Object({
          kind: Type.String({
            description: 'A kind of Perses, such as `StatChart`; `unknown` for an unsupported kind.',
          }),
        }),
        queries: Type.Array(Type.Object({ kind: Type.String({ description: '`prometheus` or `unknown`' }) })),
        notDone: Type.Array(Type.String(), { description: 'Settings in the file that are not supported.' }),
      }),
    ),
    grids: Type.Array(
      Type.Object({
        title: Type.String(),
        canCollapse: Type.Boolean(),
        isOpen: Type.Boolean(),
        repeatVariable: Type.String({ description: 'Repeated for each value of this variable; empty: not repeated.' }),
        items: Type.Array(
          Type.Object({
            x: Type.Integer({ description: 'Of 24 columns.' }),
            y: Type.Integer(),
            width: Type.Integer(),
            height: Type.Integer(),
            panel: Type.String({ description: '`id` of a panel.' }),
          }),
        ),
      }),
    ),
  }),
)

export const DashboardAnswer = Type.Object({
  dashboard: Model,
  /** The path of the file, relative to the parent of the content folder. */
  file: Type.String(),
  source: Type.String(),
  faults: Type.Array(DashboardFault),
  /** By `id` of a panel; panels without alerts are absent. */
  alerts: Type.Record(Type.String(), Type.Array(PanelAlert)),
})
export type DashboardAnswer = Shape<typeof DashboardAnswer>

/** 404: no such dashboard. */
export const DashboardUnknown = Type.Object({ error: Type.String(), nearest: Type.Array(Type.String()) })
export type DashboardUnknown = Shape<typeof DashboardUnknown>

/** A panel related to a runbook. */
export const PanelLink = Type.Object({
  dashboard: Type.String(),
  dashboardTitle: Type.String(),
  panel: Type.String(),
  panelTitle: Type.String(),
})
export type PanelLink = Shape<typeof PanelLink>
