/** An HA pair of which samples arrived here since the last exchange with other processes. */
export interface SeenPair {
  readonly cluster: string
  readonly group: string
  /** The replica that this process accepts, when it accepted samples of it; absent: only of another one. */
  readonly delivered?: string
}

/** What all processes that share the facts accept of an HA pair. */
export interface SharedElection {
  readonly cluster: string
  readonly group: string
  readonly replica: string
  /** Since samples of it were accepted last, by any process. */
  readonly silentMs: number
}

/** The elections of HA pairs, which senders may reach through any process. */
export interface ElectionStore {
  /** Notes what was accepted, unless another replica is elected and not silent. @returns who is elected, of all of the pairs */
  exchange(pairs: readonly SeenPair[], failoverAfterMs: number): Promise<readonly SharedElection[]>
}
