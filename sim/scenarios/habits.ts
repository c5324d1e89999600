/** What a cluster may play in the simulated fleet: the kinds of trouble, edits and silence, and when they come. */
import type { Recurring } from './window.ts'

/** What can be wrong with a cluster's images; it concerns the second image of the list, or all for `multi_arch_disabled`. */
export type GoldenImageFault = 'no_supported_architecture' | 'no_architecture_annotation' | 'multi_arch_disabled'

export interface OperandFault {
  readonly kind: OperandFaultKind
  readonly sinceMs: number
}

/** Incidents that come again: one edit, or a few by somebody who does not understand why it does not stay. */
export interface EditHabit {
  /** Start of the incident with number 0. */
  readonly anchorMs: number
  readonly everyMs: number
  readonly kind: 'now_and_then' | 'fought'
}

/** An operator whose process starts anew inside its pod, again and again: its counters vanish. */
export interface RestartHabit {
  readonly anchorMs: number
  readonly everyMs: number
}

/**
 * What can be wrong with KubeVirt and its virtual machines, apart from an upgrade. One kind a cluster, from a moment on and
 * for good: somebody has to come and mend it.
 */
export interface Trouble {
  readonly kind: TroubleKind
  readonly fromMs: number
}

/** A cluster that stops sending. What it would have sent in that time is lost. */
export interface SilenceHabit extends Recurring {
  /** Whether its last word is that its series end (targets taken away) or nothing at all (power or network gone). */
  readonly hasStaleMarkers: boolean
}

export interface UnsafePatch extends Recurring {
  readonly annotation: AnnotationName
  /** Operations in the patch; at least 1. */
  readonly operations: number
}

/**
 * `api_down`: no virt-api runs. `rest_errors`: virt-controller lost its rights. `not_evictable`: machines that a drain cannot
 * move. `outdated`: machines that nobody moves to the new launcher. `guests`: full disks, no memory, long queues.
 * `stuck_machines`: machines that neither start nor stop. `ping_pong`: one that is evicted again and again.
 */
export type TroubleKind =
  'api_down' | 'rest_errors' | 'not_evictable' | 'outdated' | 'guests' | 'stuck_machines' | 'ping_pong'

/** Things that go wrong in an operand, or in a volume, and stay wrong: one to a cluster at most. */
export type OperandFaultKind = 'image_outdated' | 'ssp_failing' | 'mac_collision' | 'volume_filling'

/** JSON patches put on the HyperConverged object: one annotation per operand, all four always exposed. */
export const ANNOTATION_NAMES = [
  'kubevirt.kubevirt.io/jsonpatch',
  'containerizeddataimporter.kubevirt.io/jsonpatch',
  'networkaddonsconfigs.kubevirt.io/jsonpatch',
  'ssp.kubevirt.io/jsonpatch',
] as const

export type AnnotationName = (typeof ANNOTATION_NAMES)[number]
