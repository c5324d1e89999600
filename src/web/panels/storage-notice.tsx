import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatAge, msOf } from '../lib/format-time.ts'
import { runbookPath } from '../lib/paths.ts'
import { roomSentence, storageTitle } from '../lib/storage-words.ts'
import { useNow } from '../query/use-fleet.ts'
import { Notice } from '../ui/notice.tsx'
import { useNowMs } from '../ui/server-clock.ts'
import { Moment } from '../ui/time.tsx'

/** Above every page while nothing that arrives can be kept: each of them shows what was, and cannot know it. */
export function StorageNotice(): ReactNode {
  const storage = useNow().data?.faults?.storage ?? null
  const nowMs = useNowMs()
  if (storage === null) return null
  const sinceMs = msOf(storage.since)
  return (
    <div className="page storage-notice">
      <Notice
        kind="error"
        title={storageTitle(storage)}
        actions={<Link href={runbookPath('DaytwoWritesFailing')}>Runbook</Link>}
      >
        Since <Moment atMs={sinceMs} />, {formatAge(Math.max(0, nowMs - sinceMs))} ago, pages show what was before. What
        clusters send is refused, and most of them repeat it; what is done here is not kept. {roomSentence(storage)}
      </Notice>
    </div>
  )
}
