/** One attempt to notify a receiver, as stored. Contains no secret. */
export interface DeliveryRecord {
  readonly atMs: number
  readonly receiver: string
  /** `webhook`, `slack`, `pagerduty`, `email`, `msteams`, `msteamsv2`, `alertmanager`. */
  readonly integration: string
  readonly target: string
  readonly groupKey: string
  /** Names of the alerts in it, each once. */
  readonly alertnames: readonly string[]
  readonly fingerprints: readonly string[]
  readonly reason: string
  readonly outcome: DeliveryOutcome
  /** 1 for the first try. */
  readonly attempt: number
  readonly status?: number
  readonly latencyMs: number
  readonly error?: string
  readonly retryAtMs?: number
  /** Truncated if long. */
  readonly payload: string
  readonly answer?: string
}

/** `refused`: rejected by the receiver, without a retry. `failed`: it is retried. */
export const DELIVERY_OUTCOMES = ['delivered', 'refused', 'failed'] as const
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

export interface StoredDelivery extends DeliveryRecord {
  /** Rises with time. */
  readonly id: number
}

export interface DeliveryQuery {
  readonly receiver?: string
  readonly outcome?: DeliveryOutcome
  readonly fingerprint?: string
  readonly limit: number
  /** Only those with a smaller id. */
  readonly before?: number
}

/** Implemented by `store`, which deletes the oldest beyond its limit. */
export interface DeliveryStore extends DeliveryReader {
  add(deliveries: readonly DeliveryRecord[]): Promise<void>
}

export interface DeliveryReader {
  /** Newest first; payload and answer are empty. */
  list(query: DeliveryQuery): Promise<readonly StoredDelivery[]>
  get(id: number): Promise<StoredDelivery | undefined>
}
