import type { ReactNode } from 'react'
import { alertsPath, NOW_SECTIONS, ROUTES } from '../lib/paths.ts'
import { PlacePlan } from '../panels/place-plan.tsx'

export function FleetPage(): ReactNode {
  return (
    <PlacePlan
      title="Fleet"
      lead="Every cluster, every upgrade with its phases, and every edge between two versions."
      today={[
        { text: 'Upgrades that are stuck, with their cause', path: `${ROUTES.now}#${NOW_SECTIONS.stuck}` },
        { text: 'Upgrades under way', path: `${ROUTES.now}#${NOW_SECTIONS.upgrading}` },
        { text: 'Clusters that fell silent', path: `${ROUTES.now}#${NOW_SECTIONS.silent}` },
        { text: 'What fires, by cluster', path: alertsPath({ groupBy: 'cluster' }) },
      ]}
      answers={[
        {
          question: 'Why is this cluster slow?',
          answer: 'Its upgrade as phases on a time line, each beside what the same phase takes elsewhere.',
        },
        {
          question: 'Which edge is worst this week?',
          answer:
            'The update graph with the population of each version and the success of each step, with its interval.',
        },
        {
          question: 'What is ready to go next?',
          answer: 'Three columns for a target version: ready, has hazards, not known, each cluster with its reasons.',
        },
        {
          question: 'Who changes things by hand?',
          answer: 'Out-of-band modifications and unsafe patches of the whole fleet, by component.',
        },
      ]}
    />
  )
}
