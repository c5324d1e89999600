/** What queries of the metrics store did, as totals: the main thread exports them as metrics. */
/** How a query was answered. */
export type Way = 'pushed' | 'rewritten' | 'local'

export interface RemoteTotals {
  /** By outcome: `ok`, or the code of the failure. */
  readonly requests: Readonly<Record<string, number>>
  readonly requestSeconds: number
  readonly bytesRead: number
  /** By way; `local` with its reason: `local_facts`. */
  readonly queries: Readonly<Record<string, number>>
  readonly samplesFetched: number
}

export class RemoteCounters {
  /** Bytes of answers, decompressed. */
  bytesRead = 0
  samplesFetched = 0
  readonly #requests = new Map<string, number>()
  readonly #queries = new Map<string, number>()
  #requestMs = 0

  countRequest(outcome: string, tookMs: number): void {
    add(this.#requests, outcome)
    this.#requestMs += tookMs
  }

  /** @param reason one of a fixed list */
  countQuery(way: Way, reason?: string): void {
    add(this.#queries, reason === undefined ? way : `${way}_${reason}`)
  }

  totals(): RemoteTotals {
    return {
      requests: Object.fromEntries(this.#requests),
      requestSeconds: this.#requestMs / 1000,
      bytesRead: this.bytesRead,
      queries: Object.fromEntries(this.#queries),
      samplesFetched: this.samplesFetched,
    }
  }
}

function add(totals: Map<string, number>, key: string): void {
  totals.set(key, (totals.get(key) ?? 0) + 1)
}
