import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/** A query that is answered page by page. */
export interface PagedQuery {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  fetchNextPage(): Promise<unknown>
}

/** Fetches the next page, while there is one. */
export function MoreButton({ query, text }: { readonly query: PagedQuery; readonly text: string }): ReactNode {
  if (!query.hasNextPage) return null
  return (
    <Button
      variant="link"
      isDisabled={query.isFetchingNextPage}
      onClick={() => {
        void query.fetchNextPage()
      }}
    >
      {query.isFetchingNextPage ? 'Looking…' : text}
    </Button>
  )
}
