import { CLUSTER_LABEL, clusterOf } from '../model/cluster-identity.ts'
import type { Attributes } from '../model/attribute.ts'
import { Labels } from '../model/labels.ts'
import { valueText } from '../model/attribute-text.ts'
import { clipText } from './clip-text.ts'
import { escapedLabelName } from './otlp/names.ts'

/** Which cluster something claims to be of, and whether its sender may say so. */

/**
 * The label by which a series says that it is of another cluster than the token's. `cluster` says what pages show, so it
 * must be the bound one. The others are names of one cluster beside each other, a person's and one or two UUIDs: one
 * that is the bound one is enough, and a UUID says nothing against a name, nor a name against a UUID. Collectors and
 * OpenShift send the UUID by themselves, while people bind tokens to names.
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

/** `cluster` is empty when nothing names one. */
export type ResourceCluster =
  { readonly kind: 'named'; readonly cluster: string } | { readonly kind: 'foreign'; readonly example: string }

/**
 * The cluster that an OTLP resource speaks of: the one its sender's token is bound to, else the one its attributes name,
 * under the names that their labels would have. The same rules as for series.
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

/** All that an OTLP resource calls its cluster, under the names that label sets would have for them. */
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
