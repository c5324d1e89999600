/** Long loops hold the thread for a slice at a time, and other work runs between the slices. */
import { setImmediate } from 'node:timers/promises'

/** How long a loop may hold the thread. */
const SLICE_MS = 25

/** Runs `work` on each item in order. A single item is not interrupted. Rejects with what `work` throws. */
export async function forEachInSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  let startedMs = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - startedMs < SLICE_MS) continue
    await setImmediate()
    startedMs = performance.now()
  }
}
