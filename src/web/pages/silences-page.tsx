import { useState, type ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import type { SilenceItem } from '../../contract/silences.ts'
import { countOf } from '../lib/format-number.ts'
import { alertPath } from '../lib/paths.ts'
import { draftOf, newDraft, type SilenceDraft } from '../lib/silence-draft.ts'
import { formatMatchers } from '../lib/silence-matchers.ts'
import { PagesNav } from '../panels/pages-nav.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { ActionFailure } from '../panels/action-form.tsx'
import { SilenceDialog } from '../panels/silence-dialog.tsx'
import { useAlerts } from '../query/use-fleet.ts'
import { SILENCES_PATH, useExpireSilence, useSilences } from '../query/use-alert-actions.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardList } from '../ui/card-list.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { usePreferences } from '../ui/preferences.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { Shape } from '../ui/shapes.tsx'
import { Moment, Since, Until } from '../ui/time.tsx'
import { sayDone } from '../ui/toasts.ts'

const STATES: readonly {
  readonly state: SilenceItem['state']
  readonly title: string
  readonly none: string
}[] = [
  { state: 'active', title: 'Active', none: 'No active silences.' },
  { state: 'pending', title: 'Pending', none: 'No pending silences.' },
  { state: 'expired', title: 'Expired in the last five days', none: 'No expired silences.' },
]

/** Silences with their creator, their end, and the alerts that they suppress now. */
export function SilencesPage(): ReactNode {
  const query = useSilences()
  const asked = new URLSearchParams(useSearch()).get('id')
  const { zone } = usePreferences()
  const [draft, setDraft] = useState<SilenceDraft>()
  return (
    <div className="page">
      <title>Silences · Daytwo</title>
      <PagesNav place="Alerts" />
      <div className="row row-apart page-head">
        <h1>Silences</h1>
        <Button
          variant="primary"
          onClick={() => {
            setDraft(newDraft([{ name: 'alertname', op: '=', value: '' }], serverNowMs(), zone))
          }}
        >
          New silence
        </Button>
      </div>
      <Answer query={query} what="the silences" skeletonLines={8}>
        {({ silences }) => (
          <>
            {asked !== null && !silences.some(({ id }) => id === asked) ? (
              <Notice kind="note" title="The silence in this link does not exist">
                The silence expired more than five days ago, or an edited silence replaced it.
              </Notice>
            ) : null}
            {STATES.map(({ state, title, none }) => {
              const own = silences.filter((silence) => silence.state === state)
              return (
                <Panel key={state} title={title} aside={countOf(own.length, 'silence')}>
                  {own.length === 0 ? <p className="quiet empty">{none}</p> : null}
                  <CardList>
                    {own.map((silence) => (
                      <SilenceCard
                        key={silence.id}
                        silence={silence}
                        isCurrent={silence.id === asked}
                        onEdit={() => {
                          setDraft(
                            state === 'expired'
                              ? { ...newDraft(silence.matchers, serverNowMs(), zone), comment: silence.comment }
                              : draftOf(silence, zone),
                          )
                        }}
                      />
                    ))}
                  </CardList>
                </Panel>
              )
            })}
          </>
        )}
      </Answer>
      <ApiCallNote call={{ path: SILENCES_PATH }} />
      {draft === undefined ? null : (
        <SilenceDialog
          initial={draft}
          onClose={() => {
            setDraft(undefined)
          }}
        />
      )}
    </div>
  )
}

interface SilenceCardProps {
  readonly silence: SilenceItem
  /** The address links to this silence. */
  readonly isCurrent: boolean
  readonly onEdit: () => void
}

const YEAR_MS = 365 * 86_400_000

function SilenceCard({ silence, isCurrent, onEdit }: SilenceCardProps): ReactNode {
  const expire = useExpireSilence()
  const { state, matchers, startsAtMs, endsAtMs, createdBy, comment, untilResolved, hides } = silence
  const isForever = state !== 'expired' && endsAtMs - serverNowMs() > YEAR_MS
  return (
    <Card isCurrent={isCurrent} actions={<SilenceActions silence={silence} onEdit={onEdit} expire={expire} />}>
      <p>
        <strong>
          <code>{formatMatchers(matchers)}</code>
        </strong>
      </p>
      <p>{comment}</p>
      <p className="quiet">
        by {createdBy},{' '}
        {state === 'pending' ? (
          <>
            starts <Moment atMs={startsAtMs} />, ends <Moment atMs={endsAtMs} />
          </>
        ) : null}
        {state === 'active' && isForever ? 'no end time' : null}
        {state === 'active' && !isForever ? (
          <>
            ends in <Until atMs={endsAtMs} />
            {untilResolved ? ', or when its alerts have resolved' : ''}
          </>
        ) : null}
        {state === 'expired' ? (
          <>
            ended <Since atMs={endsAtMs} suffix=" ago" />
          </>
        ) : null}
      </p>
      {state !== 'active' ? null : <Hides fingerprints={hides} isForever={isForever} />}
      {expire.error === null ? null : <ActionFailure what="expire the silence" failure={expire.error} />}
    </Card>
  )
}

interface SilenceActionsProps extends Pick<SilenceCardProps, 'silence' | 'onEdit'> {
  readonly expire: ReturnType<typeof useExpireSilence>
}

function SilenceActions({ silence: { id, state }, onEdit, expire }: SilenceActionsProps): ReactNode {
  return (
    <>
      <Button variant="inline" onClick={onEdit}>
        {state === 'expired' ? 'Silence again' : 'Edit'}
      </Button>
      {state === 'expired' ? null : (
        <Button
          variant="inline"
          isDisabled={expire.isPending}
          onClick={() => {
            // The card may have moved to another list by then. The card itself shows a failure.
            expire.mutateAsync(id).then(
              () => {
                sayDone('Silence expired: its alerts notify again')
              },
              () => undefined,
            )
          }}
        >
          Expire now
        </Button>
      )}
    </>
  )
}

const HIDDEN_FIRST = 20

/** The suppressed alerts. A silence without any is marked: it is obsolete, or its matchers are wrong. */
function Hides({
  fingerprints,
  isForever,
}: {
  readonly fingerprints: readonly string[]
  readonly isForever: boolean
}): ReactNode {
  const alerts = useAlerts().data?.alerts ?? []
  if (fingerprints.length === 0) {
    return (
      <p className={isForever ? 'quiet' : ''}>
        {isForever ? null : <Shape name="diamond" />} Suppresses no alert now
        {isForever ? '.' : ': the alerts have resolved, or the matchers match no alert.'}
      </p>
    )
  }
  return (
    <details>
      <summary>Suppresses {countOf(fingerprints.length, 'alert')} now</summary>
      <ul className="plain-list">
        {fingerprints.slice(0, HIDDEN_FIRST).map((fingerprint) => {
          const alert = alerts.find((one) => one.fingerprint === fingerprint)
          return (
            <li key={fingerprint}>
              <Link href={alertPath(fingerprint)}>{alert?.alertname ?? fingerprint}</Link>{' '}
              <span className="quiet">{alert?.cluster}</span>
            </li>
          )
        })}
      </ul>
    </details>
  )
}
