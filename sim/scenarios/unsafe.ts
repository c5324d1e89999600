import type { ClusterPlan } from '../scenario.ts'
import { windowAt, type Recurring } from './window.ts'

/** JSON patches put on the HyperConverged object: one annotation per operand, all four always exposed. */
export const ANNOTATION_NAMES = [
  'kubevirt.kubevirt.io/jsonpatch',
  'containerizeddataimporter.kubevirt.io/jsonpatch',
  'networkaddonsconfigs.kubevirt.io/jsonpatch',
  'ssp.kubevirt.io/jsonpatch',
] as const
export type AnnotationName = (typeof ANNOTATION_NAMES)[number]

export interface UnsafePatch extends Recurring {
  readonly annotation: AnnotationName
  /** Operations in the patch; at least 1. */
  readonly operations: number
}

/** The patch that is in force, with the time it began. */
export function unsafePatchAt(
  plan: ClusterPlan,
  annotation: AnnotationName,
  timeMs: number,
): { readonly operations: number; readonly sinceMs: number } | undefined {
  for (const patch of plan.unsafe) {
    const window = patch.annotation === annotation ? windowAt(patch, timeMs) : undefined
    if (window !== undefined) return { operations: patch.operations, sinceMs: window.fromMs }
  }
  return undefined
}
