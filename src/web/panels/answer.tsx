import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { toFailure } from '../query/fetch-json.ts'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

interface AnswerProps<T> {
  readonly query: UseQueryResult<T>
  /** What is shown, as it stands in a sentence: `the alerts`. */
  readonly what: string
  readonly skeletonLines?: number
  readonly children: (data: T) => ReactNode
}

/**
 * The states of an answer, the same on every page: loading, failed, shown, and shown although the last refresh failed.
 * An error stays inside its part of the page; what is already there stays readable.
 */
export function Answer<T>({ query, what, skeletonLines = 6, children }: AnswerProps<T>): ReactNode {
  const { data, error } = query
  if (data === undefined) {
    if (error === null) return <Skeleton lines={skeletonLines} label={`Loading ${what}`} />
    return <FailureNotice title={`Cannot show ${what}`} query={query} />
  }
  return (
    <>
      {error === null ? null : <FailureNotice title={`Cannot refresh ${what}: what follows is old`} query={query} />}
      <div className={error === null ? 'answer' : 'answer answer-old'}>{children(data)}</div>
    </>
  )
}

/** Servers say reasons without a full stop, and something follows here. */
function asSentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function FailureNotice({ title, query }: { readonly title: string; readonly query: UseQueryResult }): ReactNode {
  const failure = toFailure(query.error)
  return (
    <Notice
      kind="error"
      title={title}
      actions={
        <Button
          variant="secondary"
          size="sm"
          isDisabled={query.isFetching}
          onClick={() => {
            void query.refetch()
          }}
        >
          {query.isFetching ? 'Trying…' : 'Try again'}
        </Button>
      }
    >
      {asSentence(failure.message)} {failure.hint}
    </Notice>
  )
}
