/** What a JSON patch of an operand means for an upgrade: findings by class. */

/**
 * The worst class first. `broken`: the path is gone, HCO cannot apply the operation, or the API server refuses its value. `dangerous`: security,
 * eviction, migration, or the pods of the operator. `unknown`: not the operations or not the schema are known. `gate`: a feature gate,
 * with its stage. `fragile`: a list index, or a field that is no interface. `superseded`: HyperConverged has a field for it.
 * `redundant`: already the default.
 */
export const PATCH_CLASSES = ['broken', 'dangerous', 'unknown', 'gate', 'fragile', 'superseded', 'redundant'] as const
export type PatchClass = (typeof PATCH_CLASSES)[number]

/** `breaks`: the operation fails or has no effect after the upgrade; `check`: look at it before; `note`: it can be removed. */
export const FINDING_WEIGHTS = ['breaks', 'check', 'note'] as const
export type FindingWeight = (typeof FINDING_WEIGHTS)[number]

/** `absent`: not known to that version, which ignores it; `unknown`: no public source was found. */
export const GATE_STAGES = ['alpha', 'beta', 'ga', 'deprecated', 'discontinued', 'absent', 'unknown'] as const
export type GateStage = (typeof GATE_STAGES)[number]

export interface PatchFinding {
  readonly class: PatchClass
  readonly weight: FindingWeight
  /** Position in the patch, from 0; absent: the whole annotation. */
  readonly operation?: number
  /** The versions for which the finding holds. `both`: the upgrade changes nothing about it. */
  readonly at: 'installed' | 'target' | 'both'
  /** What happens, then what to do. */
  readonly text: string
  readonly gate?: { readonly name: string; readonly installed: GateStage; readonly target: GateStage }
  /** What to set in HyperConverged instead. */
  readonly proposal?: PatchProposal
  /** Where the fact is from. */
  readonly source?: string
}

/** A part of HyperConverged that replaces operations of a patch. */
export interface PatchProposal {
  /** `hco.kubevirt.io/v1beta1` or `/v1`, as the cluster uses it. */
  readonly apiVersion: string
  /** The first version of HCO, as the community counts, whose HyperConverged has the fields: `installed` or after the upgrade. */
  readonly from: 'installed' | 'target'
  readonly spec: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, string>>
  /** The object as text, to be merged into HyperConverged. */
  readonly yaml: string
}

/** A line of the operand's specification that the patch changes. */
export interface PatchDifference {
  /** A JSON pointer below the object. */
  readonly path: string
  /** JSON; absent: the field is not set. */
  readonly without?: string
  readonly with?: string
}
