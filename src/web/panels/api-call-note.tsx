import type { ReactNode } from 'react'
import { curlOf, type ApiCall } from '../lib/curl.ts'
import { CodeBlock } from '../ui/code-block.tsx'

interface ApiCallNoteProps {
  readonly call: ApiCall
  /** The label, when there are several on a page. */
  readonly title?: string
}

/** The call behind what is shown or done, as a command: the page is a client of the API and nothing more. */
export function ApiCallNote({ call, title = 'API call' }: ApiCallNoteProps): ReactNode {
  const text = curlOf(location.origin, call)
  return (
    <details className="quiet text-small api-call">
      <summary>{title}</summary>
      <CodeBlock what="API call" text={text}>
        {text}
      </CodeBlock>
    </details>
  )
}
