import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import type { ApiFailure } from './fetch-json.ts'

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
