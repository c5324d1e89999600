import { sayDone, sayFailed } from '../ui/toasts.ts'
import { toFailure } from './fetch-json.ts'

/**
 * Reports in a toast whether an action was undone. For the promise of `mutateAsync`: the dialog that made the mutation is
 * unmounted by then, and callbacks that it passed to `mutate` would not run.
 */
export function reportUndo(undone: Promise<unknown>, done: string, what: string): void {
  undone.then(
    () => {
      sayDone(done)
    },
    (thrown: unknown) => {
      sayFailed(`Could not ${what}: ${toFailure(thrown).message}`)
    },
  )
}
