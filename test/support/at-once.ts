import type { Steps } from '../../src/base/thread-slices.ts'

/** Runs steps to the end without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
