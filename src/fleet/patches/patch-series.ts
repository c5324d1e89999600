/** Derived series of JSON patches, against the newest release of each cluster's next minor. */
import type { ClusterRecord, Modification } from '../../model/cluster-record.ts'
import { PATCH_CLASSES } from '../../model/patch-analysis.ts'
import type { DerivedValue } from '../series/derived-metrics.ts'
import { breaksInTarget } from './analyse-patches.ts'
import { createPatchAnalyser, createPatchKeys } from './patch-analyser.ts'
import { nextMinorOf } from './schema-versions.ts'

export interface ClusterPatches {
  readonly record: Pick<ClusterRecord, 'cluster' | 'hcoVersion' | 'settings'>
  /** In effect; their objects stay the same until they change. */
  readonly patches: readonly Modification[]
}

/** A state of its own for each index: what is remembered follows its patches. */
export function createPatchSeries(): (clusters: Iterable<ClusterPatches>) => readonly DerivedValue[] {
  const analyse = createPatchAnalyser()
  const keyOf = createPatchKeys()
  return (clusters) => {
    const values: DerivedValue[] = []
    for (const { record, patches } of clusters) {
      const { cluster, hcoVersion, settings } = record
      for (const patch of patches) {
        const target = hcoVersion === undefined ? undefined : nextMinorOf(hcoVersion)
        const { component } = patch
        const findings = analyse(keyOf(patch), patch, hcoVersion ?? '', target ?? hcoVersion ?? '', settings.apiVersion)
        for (const one of PATCH_CLASSES) {
          const value = findings.filter((finding) => finding.class === one).length
          const labels = { cluster, component, class: one }
          if (value > 0) values.push({ name: 'daytwo_json_patch_findings', labels, value })
        }
        const breaking = findings.filter(breaksInTarget).length
        const labels = { cluster, component, version: hcoVersion ?? '', to: target ?? '' }
        if (breaking > 0) values.push({ name: 'daytwo_json_patch_breaking', labels, value: breaking })
      }
    }
    return values
  }
}
