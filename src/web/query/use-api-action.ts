import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { toFailure, type ApiFailure } from './fetch-json.ts'
import { sayDone, sayFailed } from '../ui/toasts.ts'

export type ApiAction<T, R = unknown> = UseMutationResult<R, ApiFailure, T>

/** A request that a button starts. @param changedKeys kinds of answers that are refetched afterwards, also after a failure */
export function useApiAction<T, R = unknown>(
  run: (input: T) => Promise<R>,
  changedKeys: readonly string[] = [],
): ApiAction<T, R> {
  const client = useQueryClient()
  return useMutation<R, ApiFailure, T>({
    mutationFn: run,
    networkMode: 'always',
    onSettled: () => Promise.all(changedKeys.map((key) => client.invalidateQueries({ queryKey: [key] }))),
  })
}

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
