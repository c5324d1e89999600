/**
 * QEMU and libvirt by version of KubeVirt, from public sources (`data/kvm-stack.json`), and what follows for live migration
 * when a cluster moves between two versions. Where no source was found, the answer is unknown. Pure.
 */
import type { BackwardVerdict } from '../../model/configuration.ts'
import { hcoReleaseOf } from '../derive/hco-release.ts'
import { releaseOf } from '../releases.ts'
import { compareReleases, minorOf } from '../version-order.ts'
import data from '../data/kvm-stack.json' with { type: 'json' }

export interface KvmStack {
  /** A minor: `1.5`. */
  readonly kubevirt: string
  readonly libvirt: string | null
  readonly qemu: string | null
  /** The base of virt-launcher's image: `el9`. */
  readonly base: string | null
  readonly sources: readonly string[]
}

const STACKS: ReadonlyMap<string, KvmStack> = new Map(data.stack.map((row) => [row.kubevirt, row]))

/** @param version of KubeVirt: `v1.5.2` */
export function stackOf(version: string): KvmStack {
  const kubevirt = minorOf(version).replace(/^v/, '')
  return STACKS.get(kubevirt) ?? { kubevirt, libvirt: null, qemu: null, base: null, sources: [] }
}

/** The KubeVirt that a version of HCO has; OpenShift's versions count as the community's. `undefined`: not known. */
export function kubevirtOf(hcoVersion: string): string | undefined {
  const release = hcoReleaseOf(hcoVersion)
  if (release === undefined) return undefined
  const { minor, patch } = release
  return (releaseOf(`1.${minor}.${patch}`) ?? releaseOf(`1.${minor}.0`))?.operands['kubevirt']
}

export interface MigrationStep {
  readonly from: KvmStack
  readonly to: KvmStack
  readonly backward: BackwardVerdict
  /** KubeVirt supports a step to the next minor only (kubevirt#13783). */
  readonly skipsMinors: boolean
  /** Failures that were reported for migrations on this way. */
  readonly known: readonly { readonly text: string; readonly source: string }[]
}

/** @param from @param to versions of KubeVirt */
export function migrationStep(from: string, to: string): MigrationStep {
  const [old, next] = [stackOf(from), stackOf(to)]
  return {
    from: old,
    to: next,
    backward: backwardOf(old, next),
    skipsMinors: minorNumber(next.kubevirt) - minorNumber(old.kubevirt) > 1,
    known: data.hazards.filter((hazard) => isOnTheWay(hazard, old.kubevirt, next.kubevirt)),
  }
}

function backwardOf(from: KvmStack, to: KvmStack): BackwardVerdict {
  if (from.kubevirt === to.kubevirt) return 'none'
  if (from.qemu === null || to.qemu === null) return 'unknown'
  return minorOf(from.qemu) === minorOf(to.qemu) ? 'none' : 'hazard'
}

/** Of `1.5` and of `0.59`: the minors of KubeVirt 0 come before those of 1, of which 1.0 follows 0.59. */
function minorNumber(kubevirt: string): number {
  const [major = 0, minor = 0] = kubevirt.split('.').map(Number)
  return major * 60 + minor
}

/** It starts at the version that had it or before, and ends at the version that brought it or later. */
function isOnTheWay(hazard: { readonly from: string; readonly to: string }, from: string, to: string): boolean {
  return compareReleases(from, hazard.from) <= 0 && compareReleases(to, hazard.to) >= 0
}
