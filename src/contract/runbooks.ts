import { Type } from 'typebox'
import { SampleValue, type Shape } from './common.ts'
import { PanelLink } from './dashboards.ts'

/** `/api/runbooks/v1`: pages, and a page bound to an alert. */

const RunbookSummary = Type.Object({
  name: Type.String(),
  /** First sentence of Meaning. */
  summary: Type.String(),
  /** Rules with this name exist; a page without one is an orphan. */
  hasRule: Type.Boolean(),
  firing: Type.Number(),
})
type RunbookSummary = Shape<typeof RunbookSummary>
export const RunbookList = Type.Object({ pages: Type.Array(RunbookSummary) })
export type RunbookList = Shape<typeof RunbookList>

/** A placeholder with its value. `source` is the origin of the value: a label, the inventory, the cluster key. */
const Binding = Type.Object({ name: Type.String(), value: Type.String(), source: Type.String() })

/** A ` ```promql live ` block: the Markdown has its `id` as ` ```promql live#id `. */
const LiveCell = Type.Object({ id: Type.String(), expr: Type.String() })

export const RunbookInstance = Type.Object({
  fingerprint: Type.String(),
  cluster: Type.String(),
  severity: Type.String(),
  healthImpact: Type.String(),
  state: Type.Union([Type.Literal('pending'), Type.Literal('firing'), Type.Literal('resolved')]),
  activeAtMs: Type.Number(),
  value: SampleValue,
  /** Labels that distinguish this instance from the others. */
  labels: Type.Record(Type.String(), Type.String()),
})
export type RunbookInstance = Shape<typeof RunbookInstance>

/**
 * The answer to `/api/runbooks/v1/pages/{name}?instance={fingerprint}`. Without `instance`, the only firing instance is
 * bound, if there is exactly one. Instances are sorted by severity, then newest first.
 */
export const BoundRunbook = Type.Object({
  name: Type.String(),
  /** The requested name; differs from `name` when it is a former name. */
  askedName: Type.String(),
  isRenamed: Type.Boolean(),
  /** The page with all known placeholders filled, quoted for their context (shell, PromQL, prose). */
  markdown: Type.String(),
  cells: Type.Array(LiveCell),
  bindings: Type.Array(Binding),
  /** Placeholders without a value; the text has them as `<name>`. */
  unbound: Type.Array(Type.String()),
  /** The bound instance; absent without one. */
  instance: Type.Optional(RunbookInstance),
  instances: Type.Array(RunbookInstance),
  /** Panels related to the alert. */
  panels: Type.Array(PanelLink),
  /** The file to start a runbook from; only when the alert has none, and then `markdown` is empty. */
  template: Type.Optional(Type.String()),
})
export type BoundRunbook = Shape<typeof BoundRunbook>

/** The answer to `/api/runbooks/v1/pages/{name}/source`: the file, for editing. */
export const RunbookSource = Type.Object({
  name: Type.String(),
  /** The path of the file, relative to the parent of the content folder: `runbooks/VirtAPIDown.md`. */
  path: Type.String(),
  /** The whole file, with front matter and placeholders. */
  text: Type.String(),
})
export type RunbookSource = Shape<typeof RunbookSource>

/** 404: no runbook, no rule and no alert has this name; `nearest` has similar names. */
export const RunbookUnknown = Type.Object({ error: Type.String(), nearest: Type.Array(Type.String()) })
export type RunbookUnknown = Shape<typeof RunbookUnknown>
