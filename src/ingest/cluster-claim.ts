import { CLUSTER_LABEL, clusterOf } from '../model/cluster-identity.ts'
import type { Attributes } from '../model/attribute.ts'
import { Labels } from '../model/labels.ts'
import { valueText } from '../model/attribute-text.ts'
import { clipText } from './clip-text.ts'
import { escapedLabelName } from './otlp/names.ts'

/** Which cluster a series or resource claims, and whether its sender may claim it. */

/**
 * The label that claims a cluster other than the token's. Pages show `cluster`, so it must equal the bound one. The
 * other labels are alternative names of one cluster, a human-readable one and one or two UUIDs: one match with the
 * bound name is enough, and a UUID does not contradict a name, nor a name a UUID. Collectors and OpenShift add the UUID
 * automatically, while tokens are bound to names.
 */
export function foreignClaim(
  labels: Labels,
  boundCluster: string,
  identityLabels: readonly string[],
): string | undefined {
  const own = labels.get(CLUSTER_LABEL)
  if (own !== '') return own === boundCluster ? undefined : CLUSTER_LABEL
  const claims = identityLabels.filter((name) => labels.has(name))
  if (claims.some((name) => labels.get(name) === boundCluster)) return undefined
  return claims.find((name) => UUID.test(labels.get(name)) === UUID.test(boundCluster))
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** `cluster` is empty when no attribute names one. */
export type ResourceCluster =
  { readonly kind: 'named'; readonly cluster: string } | { readonly kind: 'foreign'; readonly example: string }

/**
 * The cluster of an OTLP resource: the one that its sender's token is bound to, else the one that its attributes name,
 * under the names of the corresponding labels. The same rules as for series.
 */
export function clusterOfResource(
  attributes: Attributes,
  boundCluster: string | undefined,
  identityLabels: readonly string[],
): ResourceCluster {
  const claims = claimsOf(attributes, identityLabels)
  const labels = Labels.fromPairs(claims)
  if (boundCluster === undefined) return { kind: 'named', cluster: clusterOf(labels, identityLabels) }
  const claim = foreignClaim(labels, boundCluster, identityLabels)
  if (claim === undefined) return { kind: 'named', cluster: boundCluster }
  const [claimed, bound] = [labels.get(claim), boundCluster].map((text) => JSON.stringify(clipText(text, 80)))
  return {
    kind: 'foreign',
    example: `a resource claims cluster ${claimed} by ${claim}, the token is bound to ${bound}`,
  }
}

/** All names that an OTLP resource gives its cluster, under the names of the corresponding labels. */
export function namesOfResource(attributes: Attributes, identityLabels: readonly string[]): readonly string[] {
  return [...claimsOf(attributes, identityLabels).values()]
}

function claimsOf(attributes: Attributes, identityLabels: readonly string[]): ReadonlyMap<string, string> {
  const claims = new Map<string, string>()
  for (const { key, value } of attributes) {
    const label = escapedLabelName(key)
    const isClaim = identityLabels.length > 0 && (label === CLUSTER_LABEL || identityLabels.includes(label))
    const text = isClaim ? valueText(value) : ''
    if (text !== '') claims.set(label, text)
  }
  return claims
}
