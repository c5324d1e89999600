import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ROUTES } from '../lib/paths.ts'
import { useSettings } from '../query/use-fleet.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { setPreference, usePreferences, type Preferences } from '../ui/preferences.ts'
import { Tip } from '../ui/tip.tsx'
import { FreshnessMark } from './freshness-mark.tsx'
import { PlaceNav } from './place-nav.tsx'
import { classNames } from '../ui/class-names.ts'
import styles from './masthead.module.css'

interface MastheadProps {
  readonly onCommands: () => void
  readonly onView: () => void
}

export function Masthead({ onCommands, onView }: MastheadProps): ReactNode {
  const settings = useSettings()
  return (
    <header className={styles.root}>
      <Link href={ROUTES.now} className={styles.brand}>
        <BrandMark />
        Daytwo
      </Link>
      <PlaceNav />
      {settings.data?.isDemo === true ? (
        <span
          className={styles.demo}
          title="Started as a demo: the clusters, their samples and their alerts are simulated"
        >
          Demo<span className="wide-only">: simulated fleet</span>
        </span>
      ) : null}
      <div className={styles.tools}>
        <FreshnessMark />
        <Button variant="plain" className={styles.commands} onClick={onCommands}>
          <Icon name="search" /> <span className="visually-hidden">Command menu:</span>{' '}
          <span className="wide-only">Go to</span>{' '}
          <kbd className="wide-only" aria-hidden="true">
            Ctrl K
          </kbd>
        </Button>
        <ViewButtons />
        <Button variant="plain" aria-label="View and help" onClick={onView} icon={<Icon name="dots" />} />
      </div>
    </header>
  )
}

/** A small moon beside a full one: the second day. */
function BrandMark(): ReactNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle cx="10" cy="16" r="6" fill="none" stroke="currentColor" strokeWidth="3" />
      <circle cx="22.5" cy="16" r="7.5" fill="currentColor" />
    </svg>
  )
}

const THEMES: Readonly<
  Record<Preferences['theme'], { readonly next: Preferences['theme']; readonly icon: ReactNode }>
> = {
  system: { next: 'light', icon: <Icon name="half-disc" /> },
  light: { next: 'dark', icon: <Icon name="sun" /> },
  dark: { next: 'system', icon: <Icon name="moon" /> },
}

/** On a phone these live in the view dialog. */
function ViewButtons(): ReactNode {
  const { theme, zone, density } = usePreferences()
  const isDense = density === 'dense'
  return (
    <span className={classNames(styles.view, 'wide-only')}>
      <Tip says={zone === 'utc' ? 'Times are in UTC' : 'Times are in your zone'}>
        <Button
          variant="plain"
          className={styles.zone}
          onClick={() => {
            setPreference('zone', zone === 'utc' ? 'local' : 'utc')
          }}
          aria-label={zone === 'utc' ? 'Times in UTC: change to local' : 'Times are local: change to UTC'}
        >
          {zone === 'utc' ? 'UTC' : 'Local'}
        </Button>
      </Tip>
      <Tip says={isDense ? 'Dense rows' : 'Comfortable rows'}>
        <Button
          variant="plain"
          onClick={() => {
            setPreference('density', isDense ? 'comfortable' : 'dense')
          }}
          aria-label={isDense ? 'Rows are dense: change to comfortable' : 'Rows are comfortable: change to dense'}
          icon={isDense ? <Icon name="expand" /> : <Icon name="compress" />}
        />
      </Tip>
      <Tip says={`Theme: ${theme}`}>
        <Button
          variant="plain"
          onClick={() => {
            setPreference('theme', THEMES[theme].next)
          }}
          aria-label={`Theme ${theme}: change to ${THEMES[theme].next}`}
          icon={THEMES[theme].icon}
        />
      </Tip>
    </span>
  )
}
