import { Type } from 'typebox'
import { GATE_SOURCES } from '../model/gate-use.ts'
import {
  FleetCoverage,
  listOf,
  MOMENT_PARAMS,
  orNull,
  PAGE_PARAMS,
  PAST_FIELD,
  Time,
  wordOf,
  type Shape,
} from './common.ts'

/** Feature gates: which clusters set them, and where. */

const GATE_FIELDS = {
  /** HyperConverged and the operands spell some gates with different case: these count as one gate. */
  gate: Type.String(),
  /** Clusters that set it on or off in HyperConverged; clusters that do not set it are in neither. */
  on: Type.Integer(),
  off: Type.Integer(),
  /** Clusters on which an active JSON patch sets it, bypassing HyperConverged. */
  patched: Type.Integer(),
  /** Field managers by the number of places that they set, most first, at most three; `null`: not reported. */
  managers: Type.Array(Type.Object({ manager: orNull(Type.String()), places: Type.Integer() })),
  /** The oldest and the newest write of all places; `null`: no write is known. */
  firstSet: orNull(Time),
  lastSet: orNull(Time),
} as const

export const GateItem = Type.Object(GATE_FIELDS)
export type GateItem = Shape<typeof GateItem>

/** `GET /api/fleet/v1/gates`, by name. */
export const GatesQuery = Type.Object(MOMENT_PARAMS)

/** Clusters whose HyperConverged is reported: the gates of all others are unknown. */
const TELLING = { telling: Type.Integer() } as const

export const GateItems = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  ...TELLING,
  gates: Type.Array(GateItem),
})
export type GateItems = Shape<typeof GateItems>

export const GateUseItem = Type.Object({
  cluster: Type.String(),
  /** The version of HCO. */
  version: orNull(Type.String()),
  on: Type.Boolean(),
  source: wordOf(GATE_SOURCES, '`jsonpatch`: an annotation of HyperConverged patches an operand.'),
  /** The spelling in the object. */
  spelled: Type.String(),
  /** The patched component; `null`: set in HyperConverged. */
  component: orNull(Type.String()),
  /** Since when it is set so; `null`: since before the history of the cluster. */
  since: orNull(Time),
  /** The field manager that set it, such as `kubectl-edit`; `null`: not reported. */
  by: orNull(Type.String()),
})
export type GateUseItem = Shape<typeof GateUseItem>

/** `GET /api/fleet/v1/gates/:gate`: patches first, then clusters with it on, then with it off. */
export const GateQuery = Type.Object({
  source: Type.Optional(wordOf(GATE_SOURCES)),
  on: Type.Optional(Type.Boolean()),
  ...MOMENT_PARAMS,
  ...PAGE_PARAMS,
})

export const GateDetail = listOf({
  ...GATE_FIELDS,
  ...TELLING,
  /** Matching uses, on all pages. */
  total: Type.Integer(),
  /** Clusters that set it on, in either place, by version of HCO, newest first; `null`: not reported. */
  versions: Type.Array(Type.Object({ version: orNull(Type.String()), clusters: Type.Integer() })),
  uses: Type.Array(GateUseItem),
})
export type GateDetail = Shape<typeof GateDetail>
