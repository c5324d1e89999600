import type { GoldenImageFault } from './habits.ts'
import type { ClusterPlan } from '../cluster-plan.ts'

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

export const FAULTY_IMAGE = GOLDEN_IMAGES[1]!

export function hasFault(plan: ClusterPlan, fault: GoldenImageFault, image?: GoldenImage): boolean {
  return plan.goldenImageFault === fault && (image === undefined || image === FAULTY_IMAGE)
}
