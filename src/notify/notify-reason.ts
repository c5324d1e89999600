/**
 * Why a receiver is notified of an alert, or not: one list for the pipeline (`/debug/notify`, `/api/fleet/v1/deliveries`) and
 * for the hand-over to Alertmanagers. Every decision has one of these.
 */
export type NotifyReason =
  // Notified.
  | 'first'
  | 'new_alerts'
  | 'resolved'
  | 'repeat_due'
  // Nothing to send: no change since the last message; all resolved, and the receiver takes no resolved alerts; resolved
  // before it was notified; the group has not been due since the alert came; the route has no receiver.
  | 'nothing_new'
  | 'cleared'
  | 'only_resolved'
  | 'waits_for_group'
  | 'no_receiver'
  // Held back by a stage of the pipeline.
  | 'inhibited_by'
  | 'expected_in_upgrade'
  | 'muted_by'
  | 'silenced_by'
  // Not handed over to Alertmanagers.
  | 'pending'
  | 'resolved_long_ago'
  | 'same_labels'
