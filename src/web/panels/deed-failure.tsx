import type { ReactNode } from 'react'
import { asSentence } from '../lib/as-sentence.ts'
import type { ApiFailure } from '../query/fetch-json.ts'
import { Notice } from '../ui/notice.tsx'

/** What was asked for did not happen, and why; a missing right is said as such. */
export function DeedFailure({ what, failure }: { readonly what: string; readonly failure: ApiFailure }): ReactNode {
  const isForbidden = failure.status === 401 || failure.status === 403
  return (
    <Notice kind="error" title={isForbidden ? `You may not ${what}` : `Could not ${what}`}>
      {asSentence(failure.message)} {failure.hint}
    </Notice>
  )
}
