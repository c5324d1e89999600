import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatAge, msOf } from '../lib/format-time.ts'
import { runbookPath } from '../lib/paths.ts'
import { deploymentNotices } from '../lib/deployment-text.ts'
import { damageSentence, damageTitle, roomSentence, storageTitle } from '../lib/storage-text.ts'
import { NOT_STORED, threadSentence, threadTitle } from '../lib/thread-text.ts'
import { useNow } from '../query/use-fleet.ts'
import { Notice } from '../ui/notice.tsx'
import { useNowMs } from '../ui/server-clock.ts'
import { usePreferences } from '../ui/preferences.ts'
import { Moment } from '../ui/time.tsx'

/** Above every page, while the server has a fault: the pages may show old data then. */
export function ServerNotices(): ReactNode {
  const faults = useNow().data?.faults ?? null
  const { storage = null, damage = null, threads = [] } = faults ?? {}
  const ofDeployment = faults === null ? [] : deploymentNotices(faults)
  const nowMs = useNowMs()
  const { zone } = usePreferences()
  if (storage === null && damage === null && threads.length === 0 && ofDeployment.length === 0) return null
  const sinceMs = storage === null ? nowMs : msOf(storage.since)
  return (
    <div className="page" style={{ paddingBlockEnd: 0 }}>
      {storage === null ? null : (
        <Notice
          kind="error"
          title={storageTitle(storage)}
          actions={<Link href={runbookPath('DaytwoWritesFailing')}>Runbook</Link>}
        >
          Since <Moment atMs={sinceMs} />, {formatAge(Math.max(0, nowMs - sinceMs))} ago: pages show data from before
          that time. {NOT_STORED} {roomSentence(storage)}
        </Notice>
      )}
      {damage === null ? null : (
        <Notice
          kind="error"
          title={damageTitle(damage)}
          actions={<Link href={runbookPath('DaytwoStoreDamaged')}>Runbook</Link>}
        >
          {damageSentence(damage, zone)} All other data is available. <code>daytwo doctor</code> lists the damage and
          repairs it.
        </Notice>
      )}
      {ofDeployment.map(({ title, text, runbook }) => (
        <Notice
          key={title}
          kind="error"
          title={title}
          actions={runbook === undefined ? undefined : <Link href={runbookPath(runbook)}>Runbook</Link>}
        >
          {text}
        </Notice>
      ))}
      {threads.map((fault) => (
        <Notice
          key={fault.thread}
          kind="error"
          title={threadTitle(fault)}
          actions={
            <Link href={runbookPath(fault.state === 'crash_loop' ? 'DaytwoThreadCrashLoop' : 'DaytwoThreadFailed')}>
              Runbook
            </Link>
          }
        >
          {threadSentence(fault, nowMs)}
        </Notice>
      ))}
    </div>
  )
}
