import type { UiSettings } from '../../contract/ui.ts'
import { countOf } from './format-number.ts'

type SignedIn = NonNullable<UiSettings['signedIn']>

/** `34 clusters: region=eu`: the clusters that the pages show; `undefined`: all of the fleet. */
export function shownClusters({ scopes, clusters }: SignedIn): string | undefined {
  const shown = scopes?.[0]?.clusters ?? ''
  if (shown === '' || clusters === undefined) return undefined
  return `${countOf(clusters, 'cluster')}: ${shown.replaceAll(',', ' or ')}`
}

/** One line for each role that covers other clusters than the pages show, such as `responder: cluster=lab-*`. */
export function otherScopes({ scopes = [] }: SignedIn): readonly string[] {
  const [shown] = scopes
  return scopes
    .filter(({ clusters }) => clusters !== shown?.clusters)
    .map(({ role, clusters }) => `${role}: ${clusters === '' ? 'all clusters' : clusters.replaceAll(',', ' or ')}`)
}
