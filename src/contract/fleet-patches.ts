import { Type } from 'typebox'
import { FINDING_WEIGHTS, GATE_STAGES, PATCH_CLASSES } from '../model/patch-analysis.ts'
import { listOf, MOMENT_PARAMS, orNull, PAGE_PARAMS, Time, wordOf, type Shape } from './common.ts'
import { PatchOperationItem } from './fleet-modifications.ts'

/** JSON patches of operands: what they mean for an upgrade, and which clusters have them. */

const PatchProposalItem = Type.Object({
  /** The layout that the cluster uses: `hco.kubevirt.io/v1beta1` or `/v1`. */
  apiVersion: Type.String(),
  from: wordOf(['installed', 'target'], 'The version whose HyperConverged has the fields.'),
  /** To be merged into HyperConverged. */
  yaml: Type.String(),
})

export const PatchFindingItem = Type.Object({
  class: wordOf(PATCH_CLASSES),
  weight: wordOf(FINDING_WEIGHTS, '`breaks`: fails or has no effect after the upgrade; `note`: can be removed.'),
  /** Position in the patch, from 0; `null`: the whole annotation. */
  operation: orNull(Type.Integer()),
  at: wordOf(['installed', 'target', 'both'], 'The versions for which the finding holds.'),
  text: Type.String(),
  gate: orNull(Type.Object({ name: Type.String(), installed: wordOf(GATE_STAGES), target: wordOf(GATE_STAGES) })),
  proposal: orNull(PatchProposalItem),
  /** Where the fact is from; `null`: the CRDs of the release. */
  source: orNull(Type.String()),
})
export type PatchFindingItem = Shape<typeof PatchFindingItem>

const GROUP_FIELDS = {
  /** Of the operand and the operations, however the annotation is written. */
  key: Type.String(),
  component: Type.String(),
  annotation: orNull(Type.String()),
  /** `null`: not a JSON patch, or only the number is reported. */
  operations: orNull(Type.Array(PatchOperationItem)),
  text: Type.String(),
  /** Clusters that have the patch; and those on which an operation has an effect today and none in the target version. */
  clusters: Type.Integer(),
  breaking: Type.Integer(),
  /** The worst first; empty: nothing was found. */
  classes: Type.Array(wordOf(PATCH_CLASSES)),
} as const

const PatchGroupItem = Type.Object({
  ...GROUP_FIELDS,
  /** The worst finding on the versions that most of the clusters have; `null`: none. */
  finding: orNull(PatchFindingItem),
})
export type PatchGroupItem = Shape<typeof PatchGroupItem>

const ToParam = Type.Optional(
  Type.String({
    description:
      'Target version of HCO, `1.19.0`, or of OpenShift Virtualization, `4.22.0`. Absent: the newest release of the next ' +
      'minor of each cluster.',
  }),
)

/** `GET /api/fleet/v1/patches`, the worst class first. */
export const PatchesQuery = Type.Object({
  to: ToParam,
  class: Type.Optional(
    wordOf([...PATCH_CLASSES, 'none'], 'Patches with a finding of this class; `none`: without any.'),
  ),
  component: Type.Optional(Type.String({ description: '`kubevirt`, `cdi`, `network-addons` or `ssp`.' })),
  cluster: Type.Optional(Type.String({ description: 'The name of a cluster.' })),
  breaking: Type.Optional(Type.Boolean({ description: 'Whether the upgrade breaks the patch on a cluster.' })),
  ...MOMENT_PARAMS,
  ...PAGE_PARAMS,
})

export const PatchItems = listOf({
  /** As queried; `null`: the next minor of each cluster. */
  to: orNull(Type.String()),
  /** Known releases, newest first, as targets. */
  targets: Type.Array(Type.Object({ version: Type.String(), released: Type.Boolean() })),
  /** Of all patches, whatever the filter; `class` `null`: without findings. A patch may have several classes. */
  counts: Type.Array(
    Type.Object({ class: orNull(wordOf(PATCH_CLASSES)), patches: Type.Integer(), clusters: Type.Integer() }),
  ),
  /** Matching patches, on all pages. */
  total: Type.Integer(),
  patches: Type.Array(PatchGroupItem),
})
export type PatchItems = Shape<typeof PatchItems>

export const PatchQuery = Type.Object({ to: ToParam, ...MOMENT_PARAMS, ...PAGE_PARAMS })

const PatchMemberItem = Type.Object({
  cluster: Type.String(),
  /** Of HCO; `null`: not reported. */
  version: orNull(Type.String()),
  /** The version for which the patch was checked; `null`: no later one is known. */
  target: orNull(Type.String()),
  since: orNull(Time),
  /** The field manager that wrote the annotation; `null`: not reported. */
  by: orNull(Type.String()),
  classes: Type.Array(wordOf(PATCH_CLASSES)),
  breaking: Type.Boolean(),
})
export type PatchMemberItem = Shape<typeof PatchMemberItem>

/** `GET /api/fleet/v1/patches/:key`; `members` by name, page by page. */
export const PatchDetailItem = listOf({
  ...GROUP_FIELDS,
  /** Clusters with the same versions have the same findings; most clusters first. */
  variants: Type.Array(
    Type.Object({
      installed: orNull(Type.String()),
      target: orNull(Type.String()),
      apiVersion: orNull(Type.String()),
      clusters: Type.Integer(),
      findings: Type.Array(PatchFindingItem),
    }),
  ),
  /** All that HyperConverged has fields for, as one object; `null`: nothing. */
  proposal: orNull(PatchProposalItem),
  /** The operand without and with the patch, as JSON by field; `null`: the field is not set. */
  differences: Type.Array(
    Type.Object({ path: Type.String(), without: orNull(Type.String()), with: orNull(Type.String()) }),
  ),
  /**
   * What `differences` compares with: operands of clusters are not stored, so it is the operand that HCO makes by default, in
   * this version. `null`: there is no schema of the version.
   */
  differencesOf: orNull(Type.Object({ basis: wordOf(['defaults']), version: Type.String() })),
  members: Type.Array(PatchMemberItem),
})
export type PatchDetailItem = Shape<typeof PatchDetailItem>
