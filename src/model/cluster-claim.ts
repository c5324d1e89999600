/** A name that a sender gives its cluster, beside the one under which the sender's data is stored. */

/**
 * `uid`: of the namespace kube-system; `id`: of OpenShift (ClusterVersion's `spec.clusterID`). A cluster has at most one
 * of each. `name`: any other. `bound`: no other name, but the note that a token is bound to this cluster.
 */
export const CLAIM_KINDS = ['uid', 'id', 'name', 'bound'] as const
export type ClaimKind = (typeof CLAIM_KINDS)[number]

/**
 * `other_identity`: the cluster has another uid or id. `taken`: the name is another cluster's, or two senders that are
 * bound to different clusters claim it. `too_many`: the cluster has too many names.
 */
export const CLAIM_REFUSALS = ['other_identity', 'taken', 'too_many'] as const
export type ClaimRefusal = (typeof CLAIM_REFUSALS)[number]

export interface ClusterClaim {
  /** The cluster that has the name. */
  readonly cluster: string
  /** Equal to `cluster`: data is stored under this uid or id itself. */
  readonly name: string
  readonly kind: ClaimKind
  /** The sender may write under both names, so the claim joins what is stored under them. */
  readonly joins: boolean
  /** A sender whose token is bound to the cluster makes it, so it precedes what others claim about the cluster. */
  readonly isBound: boolean
  /** Absent: accepted. */
  readonly refusal?: ClaimRefusal
  readonly firstMs: number
  /** To the hour, of a refused claim to ten minutes. */
  readonly lastMs: number
}

/** A name is from then on stored as, and joined into, `into`; `undefined`: it is a cluster of its own. */
export interface ClusterJoin {
  readonly name: string
  readonly into: string | undefined
}
