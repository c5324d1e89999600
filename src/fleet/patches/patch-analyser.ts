/** Analyses that are remembered: a fleet has many clusters and few distinct patches. */
import type { Modification } from '../../model/cluster-record.ts'
import type { PatchFinding } from '../../model/patch-analysis.ts'
import { analysePatches } from './analyse-patches.ts'
import { patchKeyOf } from './patch-key.ts'

export type PatchAnalyser = (
  key: string,
  patch: Modification,
  installed: string,
  target: string,
  apiVersion: string | undefined,
) => readonly PatchFinding[]

/** Patches times versions; then all are forgotten. */
const REMEMBERED_MAX = 20_000

export function createPatchAnalyser(): PatchAnalyser {
  const known = new Map<string, readonly PatchFinding[]>()
  return (key, patch, installed, target, apiVersion) => {
    const id = `${key} ${installed} ${target} ${apiVersion ?? ''}`
    let findings = known.get(id)
    if (findings === undefined) {
      if (known.size >= REMEMBERED_MAX) known.clear()
      findings = analysePatches(patch, installed, target, apiVersion)
      known.set(id, findings)
    }
    return findings
  }
}

/** The keys of patches that do not change, by the operations themselves. */
export function createPatchKeys(): (patch: Modification) => string {
  const known = new WeakMap<object, string>()
  return (patch) => {
    const of = patch.operations ?? patch
    let key = known.get(of)
    if (key === undefined) known.set(of, (key = patchKeyOf(patch)))
    return key
  }
}
