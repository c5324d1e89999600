import type { ReactNode } from 'react'
import type { AdoptionBasis } from '../../../contract/adoption.ts'
import { citedDays, type AskParams } from '../../lib/adoption-call.ts'
import { type AdoptionView, type PanelName, ADOPTION_VIEW } from '../../lib/adoption-view.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { adoptionPath } from '../../lib/paths.ts'
import { utcDayOf } from '../../lib/utc-day.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { serverNowMs } from '../../ui/server-clock.ts'
import { Answer } from '../answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Basis } from './basis-chip.tsx'

export interface CiteDialogProps {
  readonly name: PanelName
  readonly title: string
  readonly view: AdoptionView
  readonly asked: AskParams
  readonly basis: Basis
  readonly callFor: (asked: AskParams) => string
  readonly promql: string
  readonly onClose: () => void
}

/** A citation: a link with the last complete day and the digest of the numbers, files, and PromQL. */
export function CiteDialog({ name, title, view, asked, basis, callFor, promql, onClose }: CiteDialogProps): ReactNode {
  const days = citedDays(asked, basis, utcDayOf(serverNowMs()))
  const params = { from: days.from, to: days.to, ...(days.at === undefined ? {} : { at: days.at }) }
  const call = callFor(params)
  const query = useAdoption<{ readonly basis?: AdoptionBasis; readonly digest?: string }>(call)
  return (
    <Dialog title={`Cite: ${title}`} onClose={onClose}>
      <Answer query={query} what="the cited numbers">
        {(answer) => {
          const digest = answer.basis?.digest ?? answer.digest ?? ''
          const cited = adoptionPath(
            { ...view, ...params, range: ADOPTION_VIEW.initial.range, shows: '', cite: `${name}.${digest}` },
            days.at,
          )
          const link = `${location.origin}${cited}#${name}`
          return (
            <>
              <p>
                {days.from} to {days.to}, days in UTC.{' '}
                {answer.basis === undefined ? null : <BasisSentence basis={answer.basis} />}
              </p>
              {days.at === undefined ? (
                <p className="quiet">
                  No day before {days.to} was counted, and {days.to} has not ended: the numbers will still change, and
                  the page behind the link shows a notice.
                </p>
              ) : null}
              <CodeBlock
                what="link"
                text={link}
                bar={<span>The page behind the link reports whether late data has changed the numbers</span>}
              >
                {link}
              </CodeBlock>
              <p className="row spaced">
                <a href={`${call}&format=csv`} download={`adoption-${name}-${days.to}.csv`}>
                  Download CSV
                </a>
                <a href={call} download={`adoption-${name}-${days.to}.json`}>
                  Download JSON
                </a>
                <span className="quiet">
                  The digest <code>{digest}</code> is the start of the SHA-256 of the CSV file.
                </span>
              </p>
              <CodeBlock
                what="PromQL"
                text={promql}
                bar={<span>The same numbers in PromQL, while the series are retained</span>}
              >
                {promql}
              </CodeBlock>
            </>
          )
        }}
      </Answer>
    </Dialog>
  )
}

function BasisSentence({ basis: { known, telling } }: { readonly basis: AdoptionBasis }): ReactNode {
  return `${formatCount(telling)} of ${formatCount(known)} clusters reported a version on the last day (${formatShare(telling, known)}).`
}

interface CiteNoticeProps extends Pick<CiteDialogProps, 'name' | 'view'> {
  readonly change: (part: Partial<AdoptionView>) => void
  /** The digest of the shown numbers. */
  readonly digest: string
}

/** For a reader of a citation link: whether the numbers still have the cited digest. */
export function CiteNotice({ name, view: { cite }, change, digest }: CiteNoticeProps): ReactNode {
  const [cited, citedDigest] = cite.split('.')
  if (cited !== name) return null
  const leave = (
    <Button
      variant="inline"
      onClick={() => {
        change({ cite: '' })
      }}
    >
      Dismiss
    </Button>
  )
  return citedDigest === digest ? (
    <Notice kind="good" title="The same numbers as when they were cited" actions={leave}>
      Their digest is still <code>{digest}</code>.
    </Notice>
  ) : (
    <Notice kind="partial" title="These numbers have changed since they were cited" actions={leave}>
      Late reports changed the counts of these days. Cited digest: <code>{citedDigest}</code>, current digest:{' '}
      <code>{digest}</code>.
    </Notice>
  )
}
