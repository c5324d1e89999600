import type { ReactNode } from 'react'
import { asSentence } from '../lib/as-sentence.ts'
import { nowPath, signInPath } from '../lib/paths.ts'
import type { ApiFailure } from '../query/fetch-json.ts'
import { Notice } from '../ui/notice.tsx'

/** What was asked for did not happen, and why; a missing right is said as such. */
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

/** Beside this page, where what was typed waits: a browser gives the token it then has to all of its tabs. */
function AnotherToken(): ReactNode {
  return (
    <a href={signInPath('responder', nowPath())} target="_blank" rel="noreferrer">
      Give another token, then do it again here
    </a>
  )
}
