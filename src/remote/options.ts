/** Where the metrics store is queried, and within which limits. */
export interface RemoteStoreOptions {
  /** The address before `/api/v1/`, such as `http://mimir:8080/prometheus`. */
  readonly url: string
  /**
   * Sent with each request: the tenant, the authorization of the store. Called again with `true` after the store refused them:
   * tokens rotate.
   */
  readonly headers: (wereRefused: boolean) => Readonly<Record<string, string>>
  readonly tls: RemoteTls
  /** Of one request, until its last byte. A query may request less. */
  readonly timeoutMs: number
  /** Of one answer, after decompression. */
  readonly answerBytesMax: number
  readonly seriesMax: number
  readonly samplesMax: number
  /** Requests at one time, of rules and of users each; more wait. */
  readonly concurrencyMax: number
  readonly waitingMax: number
  /** Queries that the store computes differently are evaluated here, not only those that it cannot answer. */
  readonly isExact: boolean
}

export interface RemoteTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly isInsecure?: boolean
}

export const REMOTE_STORE_DEFAULTS = {
  headers: () => ({}),
  tls: {},
  timeoutMs: 120_000,
  answerBytesMax: 512 * 1024 * 1024,
  seriesMax: 1_000_000,
  samplesMax: 50_000_000,
  concurrencyMax: 16,
  waitingMax: 256,
  isExact: false,
} as const satisfies Omit<RemoteStoreOptions, 'url'>
