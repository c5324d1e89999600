import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useLocation, useSearch } from 'wouter'
import { withSearch } from '../lib/address.ts'
import { asSentence } from '../lib/failure-text.ts'
import { atMoment } from '../lib/moment.ts'
import { signInPath } from '../lib/paths.ts'
import { toFailure } from '../query/fetch-json.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ApiCallNote } from './api-call-note.tsx'

interface AnswerProps<T> {
  readonly query: UseQueryResult<T>
  /** The content as part of a sentence: `the alerts`. */
  readonly what: string
  readonly skeletonLines?: number
  /** The call of the API where `children` show it, so that a failure shows it too. */
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
  /** The previous answer is shown below. */
  readonly isOld: boolean
  readonly query: UseQueryResult
}

function FailureNotice({ what, isOld, query }: FailureNoticeProps): ReactNode {
  const failure = toFailure(query.error)
  // An unknown name is no failure.
  const isUnknown = failure.status === 404 && !isOld
  if (failure.status === 400 && failure.message.startsWith(MOMENT_REFUSED)) return <MomentRefused what={what} />
  return (
    <Notice
      kind={isUnknown ? 'note' : 'error'}
      title={
        isOld
          ? `Could not refresh ${what}: showing older data`
          : isUnknown
            ? `Not found: ${what}`
            : `Could not load ${what}`
      }
      actions={
        <>
          {failure.isRefusal ? <SignIn /> : null}
          <Button
            size="sm"
            isDisabled={query.isFetching}
            onClick={() => {
              void query.refetch()
            }}
          >
            {query.isFetching ? 'Trying…' : 'Try again'}
          </Button>
        </>
      }
    >
      {asSentence(failure.message)} {failure.hint}
    </Notice>
  )
}

/** The beginning of the API's error for an invalid moment. */
const MOMENT_REFUSED = 'invalid parameter "at"'

/** The clock of the browser is ahead of the server, or the link is from another server. */
function MomentRefused({ what }: { readonly what: string }): ReactNode {
  const [pathname, navigate] = useLocation()
  const search = useSearch()
  return (
    <Notice
      kind="note"
      title={`Could not load ${what} at this time`}
      actions={
        <Button
          size="sm"
          onClick={() => {
            navigate(atMoment(withSearch(pathname, search), undefined))
          }}
        >
          Back to now
        </Button>
      }
    >
      The selected time is in the future of the server clock. Select a past time.
    </Notice>
  )
}

/** A link to sign in that returns to the current page. */
function SignIn(): ReactNode {
  const [pathname] = useLocation()
  const search = useSearch()
  return <a href={signInPath('viewer', withSearch(pathname, search))}>Sign in</a>
}
