/** Reasons for refusing data. A refusal is a value, counted by reason and reported to the sender; it is never thrown. */
export const REFUSAL_REASONS = [
  'bad_encoding',
  'request_too_large',
  'bad_labels',
  'no_metric_name',
  'repeated_label',
  'too_many_labels',
  'label_name_too_long',
  'label_value_too_long',
  'cluster_mismatch',
  'cluster_conflict',
  'cluster_erased',
  'no_cluster',
  'unknown_kind',
  'bad_object',
  'cluster_object_limit',
  'log_record_too_large',
  'duplicate_sample',
  'out_of_order',
  'too_old',
  'too_far_ahead',
  'bad_timestamp',
  'bad_histogram',
  'histogram_too_large',
  'bad_point',
  'bad_span_id',
  'span_too_large',
  'bad_upgrade_span',
  'temporality_unsupported',
  'delta_overlap',
  'delta_limit',
  'trace_span_limit',
  'trace_byte_limit',
  'series_limit',
  'cluster_series_limit',
  'new_series_limit',
  'ha_duplicate',
  'merged_series',
  'privacy_dropped',
] as const

export type RefusalReason = (typeof REFUSAL_REASONS)[number]

/** Not stored as intended: no fault of the sender, who need not send it again. */
export function isIntended(reason: RefusalReason): boolean {
  return reason === 'ha_duplicate' || reason === 'privacy_dropped'
}

/** The refused items of one reason. */
export interface Refusal {
  readonly reason: RefusalReason
  readonly count: number
  /** What was received and what was expected, in one sentence; at most 300 characters. */
  readonly example: string
}
