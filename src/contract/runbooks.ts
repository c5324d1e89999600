import { Type, type Static } from 'typebox'
import { PanelLink } from './dashboards.ts'
import { SampleValue } from './sample-value.ts'

/** `/api/runbooks/v1`: pages, and a page bound to the alert that led to it. */

const RunbookSummary = Type.Object({
  name: Type.String(),
  /** First sentence of Meaning. */
  summary: Type.String(),
  /** Rules with this name exist; a page without one is an orphan. */
  hasRule: Type.Boolean(),
  firing: Type.Number(),
})
type RunbookSummary = Static<typeof RunbookSummary>
export const RunbookList = Type.Object({ pages: Type.Array(RunbookSummary) })
export type RunbookList = Static<typeof RunbookList>

/** A placeholder and what filled it. `source` says where the value is from: a label, the inventory, the cluster key. */
export const Binding = Type.Object({ name: Type.String(), value: Type.String(), source: Type.String() })
export type Binding = Static<typeof Binding>

/** A ` ```promql live ` block: `id` stands in the Markdown as ` ```promql live#id `. */
export const LiveCell = Type.Object({ id: Type.String(), expr: Type.String() })
export type LiveCell = Static<typeof LiveCell>

export const RunbookInstance = Type.Object({
  fingerprint: Type.String(),
  cluster: Type.String(),
  severity: Type.String(),
  healthImpact: Type.String(),
  state: Type.Union([Type.Literal('pending'), Type.Literal('firing'), Type.Literal('resolved')]),
  activeAtMs: Type.Number(),
  value: SampleValue,
  /** Labels that tell this instance from the others. */
  labels: Type.Record(Type.String(), Type.String()),
})
export type RunbookInstance = Static<typeof RunbookInstance>

/**
 * The answer to `/api/runbooks/v1/pages/{name}?instance={fingerprint}`. Without `instance` and with exactly one firing
 * instance, that one is bound. Instances are the worst and newest first.
 */
export const BoundRunbook = Type.Object({
  name: Type.String(),
  /** The name asked for, when it is an old one that leads here. */
  askedName: Type.String(),
  isRenamed: Type.Boolean(),
  /** The page with every placeholder filled that could be, quoted for the place it stands in (shell, PromQL, prose). */
  markdown: Type.String(),
  cells: Type.Array(LiveCell),
  bindings: Type.Array(Binding),
  /** Placeholders nothing could fill; they stand in the text as `<name>`. */
  unbound: Type.Array(Type.String()),
  /** The instance that was bound; absent on the plain page. */
  instance: Type.Optional(RunbookInstance),
  instances: Type.Array(RunbookInstance),
  /** Panels that show what the alert is about. */
  panels: Type.Array(PanelLink),
})
export type BoundRunbook = Static<typeof BoundRunbook>

/** The answer to `/api/runbooks/v1/pages/{name}/source`: the file, for whoever wants to mend it. */
export const RunbookSource = Type.Object({
  name: Type.String(),
  /** Of the file, below the folder that runbooks stand in: `runbooks/VirtAPIDown.md`. */
  path: Type.String(),
  /** The whole file, front matter and placeholders as they are. */
  text: Type.String(),
})
export type RunbookSource = Static<typeof RunbookSource>

/** 404: no such page; the nearest names help somebody who typed it. */
export const RunbookUnknown = Type.Object({ error: Type.String(), nearest: Type.Array(Type.String()) })
export type RunbookUnknown = Static<typeof RunbookUnknown>
