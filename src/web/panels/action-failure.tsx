import type { ReactNode } from 'react'
import { asSentence } from '../lib/failure-text.ts'
import { nowPath, signInPath } from '../lib/paths.ts'
import type { ApiFailure } from '../query/fetch-json.ts'
import { Notice } from '../ui/notice.tsx'

/** Why an action failed; a missing role is reported as such. */
export function ActionFailure({ what, failure }: { readonly what: string; readonly failure: ApiFailure }): ReactNode {
  return (
    <Notice
      kind="error"
      title={failure.isRefusal ? `You may not ${what}` : `Could not ${what}`}
      {...(failure.isRefusal ? { actions: <AnotherToken /> } : {})}
    >
      {asSentence(failure.message)} {failure.hint}
    </Notice>
  )
}

/** Opens another tab, so that the form keeps its input: a browser shares a new token with all of its tabs. */
function AnotherToken(): ReactNode {
  return (
    <a href={signInPath('responder', nowPath())} target="_blank" rel="noreferrer">
      Give another token, then do it again here
    </a>
  )
}
