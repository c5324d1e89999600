import type { AuditEntry } from '../../../src/model/audit.ts'
import type { Ledger } from '../ledger.ts'
import type { Target } from '../target.ts'

/** A sender that knows what was acknowledged: one request after the other, and what of them is stored. */
export interface Load {
  readonly name: string
  readonly ledger: Ledger
  /** Between two requests. */
  readonly pauseMs: number
  /** What has to be there before the first request; waited for. */
  prepare?(target: Target): Promise<void>
  /** Sends one request; what had no answer is sent again by the next step where that is what senders do. */
  step(target: Target): Promise<void>
  /** Keys of all that is stored, each as often as it is there. */
  stored(target: Target, place: number): Promise<Iterable<string>>
  /** Keys of what the audit says, for commands. */
  audited?(entry: AuditEntry): string | undefined
  /** Absent: all keys of commands are in the audit. */
  isAudited?(key: string): boolean
}

/** Calls `read` for windows of `width` numbers until one after the last. */
export async function inWindows<T>(
  last: number,
  width: number,
  read: (first: number) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = []
  for (let first = 0; first <= last; first += width) all.push(...(await read(first)))
  return all
}
