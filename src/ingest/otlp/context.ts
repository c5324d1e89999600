/** Of one OTLP request. */
export interface OtlpContext {
  readonly nowMs: number
  /** The cluster the sender's token is bound to; absent when it is not bound. Not empty. */
  readonly cluster?: string
}
