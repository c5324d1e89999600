import type { ReactNode } from 'react'
import type { ObjectChangeItem } from '../../../contract/fleet-changes.ts'
import { useObjectState } from '../../query/use-logs.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'

interface ObjectStateProps {
  readonly cluster: string
  readonly change: ObjectChangeItem
}

/** A change whole: what is kept of the object after it, and the change itself. Asked for when it is opened. */
export function ObjectState({ cluster, change }: ObjectStateProps): ReactNode {
  const { query, path } = useObjectState(cluster, change)
  return (
    <Answer query={query} what="the object" skeletonLines={6}>
      {(found) => {
        if (found?.state === undefined) {
          return <p className="quiet">This state is no longer kept: it is older than states of objects are kept.</p>
        }
        const text = JSON.stringify(found.state, null, 2)
        return (
          <>
            <p className="quiet">
              What is kept of {change.kind}/{change.name} at resource version {change.resourceVersion}; what nothing is
              derived from is not.
            </p>
            <CodeBlock what="state" text={text}>
              {text}
            </CodeBlock>
            <ApiCallNote call={{ path }} />
          </>
        )
      }}
    </Answer>
  )
}
