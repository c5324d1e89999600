/** The JSON patches of the fleet: equal ones together, with their clusters and what breaks in a target version. Pure. */
import { groupBy } from '../../base/group-by.ts'
import type { ClusterRecord, Modification } from '../../model/cluster-record.ts'
import {
  PATCH_CLASSES,
  type PatchClass,
  type PatchDifference,
  type PatchFinding,
  type PatchProposal,
} from '../../model/patch-analysis.ts'
import { compareVersions } from '../version-order.ts'
import { breaksInTarget } from './analyse-patches.ts'
import { applyPatch } from './apply-patch.ts'
import { createPatchAnalyser } from './patch-analyser.ts'
import { patchDifferences } from './patch-differences.ts'
import { patchKeyOf } from './patch-key.ts'
import { combinedProposal } from './proposal.ts'
import { nextMinorOf } from './schema-versions.ts'

/** A cluster that has a patch. */
export interface PatchMember {
  readonly cluster: string
  /** Of HCO; absent: not reported. */
  readonly version?: string
  /** The version for which the patch was analysed; absent: none is known after the installed one. */
  readonly target?: string
  readonly sinceMs?: number
  readonly by?: string
  /** The worst first. */
  readonly classes: readonly PatchClass[]
  /** An operation that has an effect today fails or loses it in the target version. */
  readonly isBreaking: boolean
}

/** Clusters with the same versions have the same findings. */
export interface PatchVariant {
  readonly installed?: string
  readonly target?: string
  readonly apiVersion?: string
  readonly clusters: number
  readonly findings: readonly PatchFinding[]
}

export interface PatchGroup {
  /** 16 hex digits, of operand and operations. */
  readonly key: string
  readonly component: string
  readonly annotation?: string
  readonly operations?: Modification['operations']
  readonly text: string
  /** By name. */
  readonly members: readonly PatchMember[]
  /** Most clusters first. */
  readonly variants: readonly PatchVariant[]
  /** Of any cluster, the worst first. */
  readonly classes: readonly PatchClass[]
}

/** What the page of one patch shows besides. */
export interface PatchDetail extends PatchGroup {
  readonly differences: readonly PatchDifference[]
  /** The version of HCO whose defaults `differences` are from; absent: no schema is known. */
  readonly differencesOf?: string
  readonly proposal?: PatchProposal
}

type Here = Pick<ClusterRecord, 'cluster' | 'hcoVersion' | 'settings'>

const analyse = createPatchAnalyser()

/**
 * @param patches in effect, of these clusters
 * @param to the target version; absent: the newest release of each cluster's next minor
 * @returns the worst class first, then most clusters
 */
export function fleetPatches(
  records: readonly Here[],
  patches: readonly Modification[],
  to?: string,
): readonly PatchGroup[] {
  const byCluster = new Map(records.map((record) => [record.cluster, record]))
  const groups = [...groupBy(patches, patchKeyOf)].map(([key, same]) => groupOf(key, same, byCluster, to))
  return groups.toSorted(
    (a, b) => rankOfPatch(a) - rankOfPatch(b) || b.members.length - a.members.length || (a.key < b.key ? -1 : 1),
  )
}

/** 0 is the worst: an upgrade breaks it; then the position of its worst class. */
export function rankOfPatch({ members, classes }: Pick<PatchGroup, 'members' | 'classes'>): number {
  if (members.some(({ isBreaking }) => isBreaking)) return 0
  const [worst] = classes
  return 1 + (worst === undefined ? PATCH_CLASSES.length : PATCH_CLASSES.indexOf(worst))
}

function groupOf(
  key: string,
  same: readonly Modification[],
  byCluster: ReadonlyMap<string, Here>,
  to: string | undefined,
): PatchGroup {
  const [first] = same as [Modification]
  const analysed = same.map((patch) => {
    const record = byCluster.get(patch.cluster)
    const installed = record?.hcoVersion
    const target = to ?? (installed === undefined ? undefined : nextMinorOf(installed))
    const apiVersion = record?.settings.apiVersion
    // Without a next version, the installed one is checked against itself.
    const findings = analyse(key, patch, installed ?? '', target ?? installed ?? '', apiVersion)
    return { patch, installed, target, apiVersion, findings }
  })
  const variants = [...groupBy(analysed, (one) => [one.installed, one.target, one.apiVersion].join())].map(
    ([, own]): PatchVariant => {
      const { installed, target, apiVersion, findings } = own[0]!
      return { ...present({ installed, target, apiVersion }), clusters: own.length, findings }
    },
  )
  return {
    ...{ key, component: first.component, text: first.text },
    ...present({ annotation: first.annotation, operations: first.operations }),
    members: analysed
      .map(({ patch, installed, target, findings }): PatchMember => {
        const since = { sinceMs: patch.startedMs, by: patch.by }
        return {
          cluster: patch.cluster,
          ...present({ version: installed, target, ...since }),
          classes: classesOf(findings),
          isBreaking: findings.some(breaksInTarget),
        }
      })
      .sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
    variants: variants.sort((a, b) => b.clusters - a.clusters || compareVersions(b.installed ?? '', a.installed ?? '')),
    classes: classesOf(variants.flatMap(({ findings }) => findings)),
  }
}

export function detailOf(group: PatchGroup): PatchDetail {
  const { component, operations, variants } = group
  const [most] = variants
  const version = most?.installed
  const applied =
    operations === undefined || version === undefined ? undefined : applyPatch(component, operations, version)
  const proposal = combinedProposal(most?.findings.flatMap((one) => one.proposal ?? []) ?? [])
  return {
    ...group,
    differences: applied === undefined ? [] : patchDifferences(applied.before, applied.after),
    ...present({ differencesOf: applied === undefined ? undefined : version, proposal }),
  }
}

function classesOf(findings: readonly PatchFinding[]): readonly PatchClass[] {
  return PATCH_CLASSES.filter((one) => findings.some((finding) => finding.class === one))
}

type Present<T> = { readonly [K in keyof T]?: NonNullable<T[K]> }

/** Without the fields that are not known. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}
