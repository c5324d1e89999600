import { useState, type ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Now } from '../../contract/now.ts'
import { asSentence } from '../lib/failure-text.ts'
import { handOver, type HandOverItem, type HandOverSection } from '../lib/hand-over.ts'
import { handOverMarkdown, sectionTitle } from '../lib/hand-over-markdown.ts'
import { chosenShift, handOverSince, SHIFTS } from '../lib/hand-over-view.ts'
import { formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import { atMoment, formatMomentParam, keepMoment } from '../lib/moment.ts'
import { nowPath } from '../lib/paths.ts'
import { useHandOver } from '../query/use-hand-over.ts'
import { useMoment } from '../query/use-moment.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { classNames } from '../ui/class-names.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { usePreferences } from '../ui/preferences.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { Moment } from '../ui/time.tsx'
import styles from './hand-over-panel.module.css'
import { MomentField } from './moment-bar.tsx'

/** The summary for the next shift; absent without `handover` in the address. */
export function HandOverPanel({ now }: { readonly now: Now }): ReactNode {
  const search = useSearch()
  // The window ends at the moment of opening and does not move.
  const [untilMs] = useState(() => msOf(now.asOf))
  const sinceMs = handOverSince(search, untilMs)
  return sinceMs === undefined ? null : <HandOverSince now={now} sinceMs={sinceMs} untilMs={untilMs} />
}

interface HandOverSinceProps {
  readonly now: Now
  readonly sinceMs: number
  readonly untilMs: number
}

function HandOverSince({ now, sinceMs, untilMs }: HandOverSinceProps): ReactNode {
  const [, navigate] = useLocation()
  const search = useSearch()
  const moment = useMoment()
  const { zone } = usePreferences()
  const { parts, isPending, failures } = useHandOver(sinceMs, untilMs)
  const go = (handover: string): void => {
    navigate(keepMoment(nowPath({ handover }), search), { replace: true })
  }
  const summary = handOver({ ...parts, now, zone })
  // The links show the present moment also when they are opened later.
  const linkOf = (path: string): string =>
    `${location.origin}${atMoment(path, moment === undefined ? summary.asOfMs : Date.parse(moment))}`
  return (
    <Panel
      title="Hand-over"
      className={styles.root}
      aside={
        <span className="row">
          <Choice
            label="Since"
            options={SHIFTS.map(({ name, text }) => ({ value: name, text }))}
            value={chosenShift(search)}
            onChange={go}
          />
          <MomentField
            key={sinceMs}
            momentMs={sinceMs}
            label="Start of the shift"
            onChoose={(ms) => {
              go(formatMomentParam(ms))
            }}
          />
          {isPending ? null : (
            <CopyButton
              text={handOverMarkdown(handOver({ ...parts, now, zone: 'utc' }), linkOf)}
              label="Copy the hand-over as Markdown"
            />
          )}
          <Button
            variant="plain"
            size="sm"
            aria-label="Print the hand-over"
            icon={<Icon name="print" />}
            onClick={() => {
              window.print()
            }}
          />
          <Button
            variant="inline"
            onClick={() => {
              go('')
            }}
          >
            Close
          </Button>
        </span>
      }
    >
      <p className="quiet">
        From <Moment atMs={sinceMs} /> to <Moment atMs={summary.asOfMs} />; {summary.coverage}.
      </p>
      {failures.length === 0 ? null : (
        <Notice kind="partial" title="Part of the handover could not be loaded">
          {[...new Set(failures.map(({ message }) => asSentence(message)))].join(' ')}
        </Notice>
      )}
      {isPending ? (
        <Skeleton lines={8} label="Loading the hand-over" />
      ) : (
        summary.sections.map((section) => <SectionPart key={section.title} section={section} />)
      )}
    </Panel>
  )
}

function SectionPart({ section }: { readonly section: HandOverSection }): ReactNode {
  const { says, items, left } = section
  return (
    <section>
      <h3 className={classNames('panel-part-head', section.count === 0 && 'quiet')}>{sectionTitle(section)}</h3>
      {says === '' ? null : <p>{says}</p>}
      {items.length === 0 ? null : (
        <ul className="bullets">
          {items.map((item) => (
            <ItemLine key={`${item.path} ${item.name}`} item={item} />
          ))}
        </ul>
      )}
      {left === 0 ? null : <p className="quiet">and {formatCount(left)} more</p>}
    </section>
  )
}

function ItemLine({ item: { name, path, says, isNew } }: { readonly item: HandOverItem }): ReactNode {
  return (
    <li>
      <Link href={path}>{name}</Link> {isNew === true ? <strong>new in this shift: </strong> : null}
      <span className="nums">{says}</span>
    </li>
  )
}
