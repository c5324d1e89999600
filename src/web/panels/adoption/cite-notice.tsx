import type { ReactNode } from 'react'
import type { AdoptionView, PanelName } from '../../lib/adoption-view.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

interface CiteNoticeProps {
  readonly name: PanelName
  readonly view: AdoptionView
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
      variant="link"
      isInline
      onClick={() => {
        change({ cite: '' })
      }}
    >
      Got it
    </Button>
  )
  return citedDigest === digest ? (
    <Notice kind="good" title="The same numbers as when they were cited" actions={leave}>
      Their digest is still <code>{digest}</code>.
    </Notice>
  ) : (
    <Notice kind="partial" title="These numbers have changed since they were cited" actions={leave}>
      Clusters told late what they ran on these days, so the days were counted again. Cited was{' '}
      <code>{citedDigest}</code>, this is <code>{digest}</code>.
    </Notice>
  )
}
