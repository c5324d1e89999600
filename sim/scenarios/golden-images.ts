import type { ClusterPlan } from '../scenario.ts'

/** Golden images by architecture: known since 1.16. */
export interface GoldenImage {
  readonly cron: string
  readonly dataSource: string
}

export const GOLDEN_IMAGES: readonly GoldenImage[] = [
  { cron: 'centos-stream9-image-cron', dataSource: 'centos-stream9' },
  { cron: 'fedora-image-cron', dataSource: 'fedora' },
  { cron: 'rhel9-image-cron', dataSource: 'rhel9' },
]

/** What can be wrong with a cluster's images; it concerns the second image of the list, or all for `multi_arch_disabled`. */
export type GoldenImageFault = 'no_supported_architecture' | 'no_architecture_annotation' | 'multi_arch_disabled'

export const FAULTY_IMAGE = GOLDEN_IMAGES[1]!

export function hasFault(plan: ClusterPlan, fault: GoldenImageFault, image?: GoldenImage): boolean {
  return plan.goldenImageFault === fault && (image === undefined || image === FAULTY_IMAGE)
}
