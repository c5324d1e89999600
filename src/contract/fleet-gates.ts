import { Type, type Static } from 'typebox'
import { GATE_SOURCES } from '../model/gate-use.ts'
import { FleetCoverage, listOf, MOMENT_PARAMS, orNull, PAGE_PARAMS, PAST_FIELD, Time, wordOf } from './fleet-common.ts'

/** Feature gates: who uses them, and where they are set. */

const GATE_FIELDS = {
  /** HyperConverged and the operands spell some gates alike but for case: that is one gate. */
  gate: Type.String(),
  /** Clusters that have it on or off in HyperConverged. What is not written there is in neither. */
  on: Type.Integer(),
  off: Type.Integer(),
  /** Clusters on which a JSON patch that stands sets it, past HyperConverged. */
  patched: Type.Integer(),
} as const

export const GateItem = Type.Object(GATE_FIELDS)
export type GateItem = Static<typeof GateItem>

/** `GET /api/fleet/v1/gates`, by name. */
export const GatesQuery = Type.Object(MOMENT_PARAMS)

/** Clusters whose HyperConverged is told: of the others nobody knows what it sets. */
const TELLING = { telling: Type.Integer() } as const

export const GateItems = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  ...TELLING,
  gates: Type.Array(GateItem),
})
export type GateItems = Static<typeof GateItems>

export const GateUseItem = Type.Object({
  cluster: Type.String(),
  /** Of HCO. */
  version: orNull(Type.String()),
  on: Type.Boolean(),
  source: wordOf(GATE_SOURCES, '`jsonpatch`: an annotation of HyperConverged patches what it deploys.'),
  /** As it is spelled there. */
  spelled: Type.String(),
  /** What is patched; `null`: it is set in HyperConverged. */
  component: orNull(Type.String()),
  /** When the patch was first seen; `null`: not known, or set in HyperConverged. */
  since: orNull(Time),
})
export type GateUseItem = Static<typeof GateUseItem>

/** `GET /api/fleet/v1/gates/:gate`: patches first, then who has it on, then who has it off. */
export const GateQuery = Type.Object({
  source: Type.Optional(wordOf(GATE_SOURCES)),
  on: Type.Optional(Type.Boolean()),
  ...MOMENT_PARAMS,
  ...PAGE_PARAMS,
})

export const GateDetail = listOf({
  ...GATE_FIELDS,
  ...TELLING,
  /** Uses that fit, on all pages. */
  total: Type.Integer(),
  /** Clusters that have it on, in either place, by version of HCO, the newest first; `null`: not told. */
  versions: Type.Array(Type.Object({ version: orNull(Type.String()), clusters: Type.Integer() })),
  uses: Type.Array(GateUseItem),
})
export type GateDetail = Static<typeof GateDetail>
