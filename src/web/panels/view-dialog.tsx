import type { ReactNode } from 'react'
import { DOCS_PATH } from '../lib/paths.ts'
import { otherScopes, shownClusters } from '../lib/scope-text.ts'
import { setPaused, useLiveState } from '../query/live.ts'
import { useSettings } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { Choice } from '../ui/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { Account } from './account.tsx'
import styles from './view-dialog.module.css'

/** How the pages look to this reader, and the keys. */
export function ViewDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { theme, zone, density } = usePreferences()
  const { version, signedIn } = useSettings().data ?? {}
  const isPaused = useLiveState() === 'paused'
  const isPast = useMoment() !== undefined
  return (
    <Dialog title="View and keys" onClose={onClose}>
      <div className={styles.choices}>
        {signedIn === undefined ? null : (
          <>
            <span>Signed in</span>
            <Account signedIn={signedIn} />
          </>
        )}
        {signedIn?.scopes === undefined ? null : (
          <>
            <span>Clusters</span>
            <span>
              {shownClusters(signedIn) ?? 'all clusters'}
              {otherScopes(signedIn).map((text) => (
                <span key={text} className={`quiet ${styles.scope}`}>
                  {text}
                </span>
              ))}
            </span>
          </>
        )}
        <span>Theme</span>
        <Choice
          label="Theme"
          options={{ system: 'System', light: 'Light', dark: 'Dark' }}
          value={theme}
          onChange={(chosen) => {
            setPreference('theme', chosen)
          }}
        />
        <span>Times</span>
        <Choice
          label="Times"
          options={{ local: 'Local', utc: 'UTC' }}
          value={zone}
          onChange={(chosen) => {
            setPreference('zone', chosen)
          }}
        />
        <span>Rows</span>
        <Choice
          label="Rows"
          options={{ comfortable: 'Comfortable', dense: 'Dense' }}
          value={density}
          onChange={(chosen) => {
            setPreference('density', chosen)
          }}
        />
        {isPast ? null : (
          <>
            <span>Live updates</span>
            <Choice
              label="Live updates"
              options={{ shown: 'Live', paused: 'Paused' }}
              value={isPaused ? 'paused' : 'shown'}
              onChange={(chosen) => {
                setPaused(chosen === 'paused')
              }}
            />
          </>
        )}
      </div>
      <div className={`parts ${styles.shortcuts}`}>
        {SHORTCUTS.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt className="row">
                    {key.split(' ').map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="quiet">
        Shortcuts are inactive in text fields.{version === undefined ? '' : ` Daytwo ${version}.`}{' '}
        <a href={DOCS_PATH}>Documentation</a>
      </p>
    </Dialog>
  )
}

/** All shortcuts, for the cheatsheet. */
const SHORTCUTS: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Anywhere',
    keys: [
      ['Ctrl K', 'open the command menu'],
      ['?', 'show this list'],
      ['d', 'comfortable or dense rows'],
      ['p', 'pause or resume live updates'],
      ['u', 'apply new rows of a list'],
      ['g n', 'go to Now'],
      ['g f', 'go to Fleet'],
      ['g a', 'go to Adoption'],
      ['g l', 'go to Alerts'],
      ['g e', 'go to Explore'],
    ],
  },
  {
    title: 'Fleet',
    keys: [
      ['j', 'next row'],
      ['k', 'previous row'],
      ['Enter', 'open it'],
      ['Esc', 'back to the list'],
      ['/', 'search'],
      ['x', 'select the row'],
    ],
  },
  {
    title: 'Alerts',
    keys: [
      ['j', 'next alert'],
      ['k', 'previous alert'],
      ['Enter', 'open the alert'],
      ['Esc', 'back to the list'],
      ['/', 'search'],
      ['a', 'acknowledge the alert, or those selected'],
      ['s', 'silence the alert, or those selected'],
      ['x', 'select the alert'],
      ['r', 'go to the runbook'],
    ],
  },
  {
    title: 'A query',
    keys: [
      ['/', 'focus the query text'],
      ['Enter', 'run the query, or accept the selected suggestion'],
      ['Shift Enter', 'a new line'],
      ['Tab', 'accept a suggestion, else leave the text'],
      ['Ctrl Space', 'suggest names'],
      ['Esc', 'close the suggestions, then leave the text'],
    ],
  },
  {
    title: 'A trace',
    keys: [
      ['j', 'next span, also f'],
      ['k', 'previous span, also b'],
      ['s', 'a page of spans down'],
      ['w', 'a page of spans up'],
      ['Enter', 'open the span'],
      ['n', 'next error'],
      ['p', 'previous error'],
      ['[', 'close the span, or all'],
      [']', 'open the span, or all'],
      ['/', 'search in the trace'],
      ['Esc', 'close the span, then back to the search'],
    ],
  },
]
