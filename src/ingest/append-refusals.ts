import { REFUSED_DUPLICATE, REFUSED_OUT_OF_ORDER, REFUSED_TOO_OLD } from '../model/appender.ts'
import type { APPENDED, APPENDED_BEFORE, AppendOutcome } from '../model/appender.ts'
import type { RefusalReason } from '../model/refusal.ts'

export type RefusedAppend = Exclude<AppendOutcome, typeof APPENDED | typeof APPENDED_BEFORE>

/** The texts are Prometheus' own: senders' logs are searched for them. */
export const APPEND_REFUSALS: Readonly<
  Record<RefusedAppend, { readonly reason: RefusalReason; readonly text: string }>
> = {
  [REFUSED_DUPLICATE]: { reason: 'duplicate_sample', text: 'duplicate sample for timestamp' },
  [REFUSED_OUT_OF_ORDER]: { reason: 'out_of_order', text: 'out of order sample' },
  [REFUSED_TOO_OLD]: { reason: 'too_old', text: 'too old sample' },
}
