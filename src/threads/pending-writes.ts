import { FleetError } from '../base/errors.ts'

/** Runs a write if not too many wait already; of all formats together, because one thread takes them. */
export type PendingWrites = <T>(write: () => Promise<T>) => Promise<T>

/** @param max inclusive; one more is answered as `overloaded` */
export function limitPendingWrites(max: number): PendingWrites {
  let pending = 0
  return async (write) => {
    if (pending >= max) {
      throw new FleetError('overloaded', `${pending} write requests wait already; ingest.pending-max is ${max}`)
    }
    pending++
    try {
      return await write()
    } finally {
      pending--
    }
  }
}
