import { CLUSTER_LABEL, clusterOf, IDENTITY_KINDS, isUuid } from '../model/cluster-identity.ts'
import type { Attributes } from '../model/attribute.ts'
import { Labels } from '../model/labels.ts'
import { valueText } from '../model/attribute-text.ts'
import { clipText } from './clip-text.ts'
import type { ClaimedName, ClaimingSender } from './cluster-registry.ts'
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
  return claims.find((name) => isUuid(labels.get(name)) === isUuid(boundCluster))
}

/**
 * What the labels of a series say about its cluster: a uid, an id, and the name beside them. Exporters have labels of the
 * same names for other things, and their data must not be refused: only metrics from which facts are derived count (external
 * labels are on these too), a name only beside a uid or id that identifies the cluster, and `_id` only where it names
 * the cluster itself: HyperShift puts the ids of hosted clusters on series of the cluster that hosts them.
 */
export function senderOfSeries(
  labels: Labels,
  cluster: string,
  isBound: boolean,
  identityLabels: readonly string[],
): ClaimingSender {
  if (!FACT_METRIC.test(labels.metricName)) return { cluster, isBound, names: NO_NAMES }
  const own = labels.get(CLUSTER_LABEL)
  const keyLabel = isBound || own !== '' ? undefined : identityLabels.find((name) => labels.has(name))
  const names: ClaimedName[] = []
  for (const label of identityLabels) {
    const kind = label === NAME_LABEL && keyLabel !== undefined ? 'name' : IDENTITY_KINDS.get(label)
    if (kind === undefined || label === '_id') continue
    const name = labels.get(label)
    if (name === '' || name === cluster || names.some((other) => other.kind === kind)) continue
    if (kind === 'name' || isUuid(name)) names.push({ name, kind })
  }
  return { cluster, isBound, names, ...kindOf(keyLabel) }
}

/** Covers `fleet/signals/signals.ts`. */
const FACT_METRIC = /^(cluster:)?(kubevirt_|csv_|subscription_|cluster_|kube_|hyperconverged_)/
const NO_NAMES: readonly ClaimedName[] = []
const NAME_LABEL = 'k8s_cluster_name'

function kindOf(keyLabel: string | undefined): Pick<ClaimingSender, 'clusterKind'> {
  const kind = keyLabel === undefined ? undefined : IDENTITY_KINDS.get(keyLabel)
  return kind === undefined ? {} : { clusterKind: kind }
}

/** `sender.cluster` is empty when no attribute names one. */
export type ResourceCluster =
  { readonly kind: 'named'; readonly sender: ClaimingSender } | { readonly kind: 'foreign'; readonly example: string }

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
  if (boundCluster === undefined)
    return { kind: 'named', sender: senderOf(claims, clusterOf(labels, identityLabels), false, identityLabels) }
  const claim = foreignClaim(labels, boundCluster, identityLabels)
  if (claim === undefined) return { kind: 'named', sender: senderOf(claims, boundCluster, true, identityLabels) }
  const [claimed, bound] = [labels.get(claim), boundCluster].map((text) => JSON.stringify(clipText(text, 80)))
  return {
    kind: 'foreign',
    example: `a resource claims cluster ${claimed} by ${claim}, the token is bound to ${bound}`,
  }
}

/** A resource describes its sender alone, so each of its names is one of the cluster. */
function senderOf(
  claims: ReadonlyMap<string, string>,
  cluster: string,
  isBound: boolean,
  identityLabels: readonly string[],
): ClaimingSender {
  const keyLabel = isBound || claims.has(CLUSTER_LABEL) ? undefined : identityLabels.find((name) => claims.has(name))
  const names: ClaimedName[] = []
  for (const label of identityLabels) {
    const name = claims.get(label) ?? ''
    if (name === '' || name === cluster || names.some((other) => other.name === name)) continue
    const kind = isUuid(name) ? IDENTITY_KINDS.get(label) : undefined
    names.push({ name, kind: names.some((other) => other.kind === kind) ? 'name' : (kind ?? 'name') })
  }
  return { cluster, isBound, names, ...kindOf(keyLabel) }
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
