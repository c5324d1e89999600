/** How the ingest worker takes data: when the store has room, and answered when all of it is durable. */
import { setImmediate } from 'node:timers/promises'
import { inSlices, type Steps } from '../base/thread-slices.ts'

export interface TakingStore {
  /** Throws FleetError `overloaded` when the store accepts no data now. */
  admit(): void
  /** Resolves when all that was put into the store is durable. */
  commit(): Promise<void>
}

export function takingWith(store: TakingStore): <T>(take: () => T) => Promise<T> {
  return async (take) => {
    store.admit()
    const outcome = take()
    await store.commit()
    return outcome
  }
}

/**
 * For a request that may take seconds: in the pauses between its slices what it put into the store is committed, and
 * others are served. A request that fails midway leaves a part; when it is sent again, that part is stored once.
 */
export function takingInSlicesWith(store: TakingStore): <T>(steps: Steps<T>) => Promise<T> {
  const pause = async (): Promise<void> => {
    await store.commit()
    await setImmediate()
  }
  return async (steps) => {
    store.admit()
    const outcome = await inSlices(steps, pause)
    await store.commit()
    return outcome
  }
}
