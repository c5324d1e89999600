import type { ReactNode } from 'react'
import type { ReviewAnswer } from '../../contract/runbook-work.ts'
import { asSentence } from '../lib/failure-text.ts'
import { fetchJson } from '../query/fetch-json.ts'
import { useApiAction } from '../query/use-api-action.ts'
import { Button } from '../ui/button.tsx'
import { saveFile } from '../ui/save-file.ts'
import { sayFailed } from '../ui/toasts.ts'

/** Writes a post-incident review and saves it as Markdown. @param path of the API */
export function SaveReview({ path }: { readonly path: string }): ReactNode {
  const save = useApiAction<undefined>(async () => {
    const { fileName, markdown } = await fetchJson<ReviewAnswer>(path)
    saveFile(`${fileName}.md`, markdown, 'text/markdown')
  })
  return (
    <Button
      isAriaDisabled={save.isPending}
      onClick={() => {
        save.mutate(undefined, {
          onError: ({ message }) => {
            sayFailed(`Could not write the review: ${asSentence(message)}`)
          },
        })
      }}
    >
      Save review
    </Button>
  )
}
