/** Both ends inclusive, milliseconds since the epoch. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}
