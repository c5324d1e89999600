import type { ReactNode } from 'react'
import { explorePath, NOW_SECTIONS, ROUTES } from '../lib/paths.ts'
import { PlacePlan } from '../panels/place-plan.tsx'

export function AdoptionPage(): ReactNode {
  return (
    <PlacePlan
      title="Adoption"
      lead="Who runs what, how fast it spreads, and how sure that is: every share with its denominator and coverage."
      today={[
        { text: 'Clusters per version, now', path: `${ROUTES.now}#${NOW_SECTIONS.versions}` },
        {
          text: 'KubeVirt versions as a query',
          path: explorePath('count by (kubeversion) (max by (cluster, kubeversion) (kubevirt_info))'),
        },
      ]}
      answers={[
        {
          question: 'How fast does a version spread?',
          answer: 'Its share over time beside the one before it, aligned by age and not by date.',
        },
        {
          question: 'Can an old version be dropped?',
          answer:
            'The share older than a version, the clusters behind it, and how much of the fleet the number covers.',
        },
        {
          question: 'Do the virtual machines follow?',
          answer: 'Two levels: the operator a cluster runs, and the launcher its machines run.',
        },
        {
          question: 'Where are people stranded?',
          answer: 'Versions without a way forward, and how many clusters sit there.',
        },
      ]}
    />
  )
}
