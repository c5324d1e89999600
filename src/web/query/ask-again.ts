import type { QueryClient } from '@tanstack/react-query'

/**
 * Asks the questions of these keys again that somebody looks at. One that is being asked is let finish, and asked once
 * more then: given up for the newer one, as is the library's way, it would never be answered where changes come faster than
 * answers, and of what changed since it was asked its answer may know nothing.
 */
export function askAgain(client: QueryClient, keys: readonly string[]): void {
  const isMeant = ({ queryKey: [key] }: { readonly queryKey: readonly unknown[] }): boolean =>
    keys.includes(String(key))
  for (const query of client.getQueryCache().findAll({ predicate: isMeant, type: 'active', fetchStatus: 'fetching' })) {
    const { queryKey } = query
    const after = (): void => {
      void client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false })
    }
    query.promise?.then(after, after)
  }
  void client.invalidateQueries({ predicate: isMeant }, { cancelRefetch: false })
}
