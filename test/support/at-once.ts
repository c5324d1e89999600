/** Runs steps to the end without a pause. */
export { withoutPause as atOnce } from '../../src/base/thread-slices.ts'
