import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { asSentence } from '../lib/as-sentence.ts'
import { toFailure } from '../query/fetch-json.ts'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ApiCallNote } from './api-call-note.tsx'

interface AnswerProps<T> {
  readonly query: UseQueryResult<T>
  /** What is shown, as it stands in a sentence: `the alerts`. */
  readonly what: string
  readonly skeletonLines?: number
  /** The call of the API, where it stands among what is shown: then it is told with a failure too. */
  readonly call?: string
  readonly children: (data: T) => ReactNode
}

/**
 * The states of an answer, the same on every page: loading, failed, shown, and shown although the last refresh failed.
 * An error stays inside its part of the page; what is already there stays readable.
 */
export function Answer<T>({ query, what, skeletonLines = 6, call, children }: AnswerProps<T>): ReactNode {
  const { data, error } = query
  if (data === undefined) {
    if (error === null) return <Skeleton lines={skeletonLines} label={`Loading ${what}`} />
    return (
      <>
        <FailureNotice what={what} isOld={false} query={query} />
        {call === undefined ? null : <ApiCallNote call={{ path: call }} />}
      </>
    )
  }
  return (
    <>
      {error === null ? null : <FailureNotice what={what} isOld query={query} />}
      <div className={error === null ? 'answer' : 'answer answer-old'}>{children(data)}</div>
    </>
  )
}

interface FailureNoticeProps {
  readonly what: string
  /** What was shown before stands below. */
  readonly isOld: boolean
  readonly query: UseQueryResult
}

function FailureNotice({ what, isOld, query }: FailureNoticeProps): ReactNode {
  const failure = toFailure(query.error)
  // Nothing is broken where a name is not known.
  const isUnknown = failure.status === 404 && !isOld
  return (
    <Notice
      kind={isUnknown ? 'note' : 'error'}
      title={
        isOld
          ? `Cannot refresh ${what}: what follows is old`
          : isUnknown
            ? `Nothing is known here of ${what}`
            : `Cannot show ${what}`
      }
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
