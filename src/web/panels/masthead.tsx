import type { ReactNode } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import AdjustIcon from '@patternfly/react-icons/dist/esm/icons/adjust-icon'
import CompressIcon from '@patternfly/react-icons/dist/esm/icons/compress-icon'
import EllipsisVIcon from '@patternfly/react-icons/dist/esm/icons/ellipsis-v-icon'
import ExpandIcon from '@patternfly/react-icons/dist/esm/icons/expand-icon'
import MoonIcon from '@patternfly/react-icons/dist/esm/icons/moon-icon'
import SearchIcon from '@patternfly/react-icons/dist/esm/icons/search-icon'
import SunIcon from '@patternfly/react-icons/dist/esm/icons/sun-icon'
import { Link } from 'wouter'
import { ROUTES } from '../lib/paths.ts'
import { useSettings } from '../query/use-fleet.ts'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import type { Preferences } from '../ui/preferences.ts'
import { Tip } from '../ui/tip.tsx'
import { FreshnessMark } from './freshness-mark.tsx'
import { PlaceNav } from './place-nav.tsx'

interface MastheadProps {
  readonly onCommands: () => void
  readonly onView: () => void
}

export function Masthead({ onCommands, onView }: MastheadProps): ReactNode {
  const settings = useSettings()
  return (
    <header className="masthead">
      <Link href={ROUTES.now} className="brand">
        <BrandMark />
        Daytwo
      </Link>
      <PlaceNav />
      {settings.data?.isDemo === true ? (
        <span
          className="demo-badge"
          title="Started as a demo: the clusters, their samples and their alerts are simulated"
        >
          Demo<span className="wide-only">: simulated fleet</span>
        </span>
      ) : null}
      <div className="masthead-tools">
        <FreshnessMark />
        <Button variant="plain" className="commands-button" onClick={onCommands}>
          <SearchIcon /> <span className="visually-hidden">Command menu:</span> <span className="wide-only">Go to</span>{' '}
          <kbd className="wide-only" aria-hidden="true">
            Ctrl K
          </kbd>
        </Button>
        <ViewButtons />
        <Button variant="plain" aria-label="View and help" onClick={onView} icon={<EllipsisVIcon />} />
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
  system: { next: 'light', icon: <AdjustIcon /> },
  light: { next: 'dark', icon: <SunIcon /> },
  dark: { next: 'system', icon: <MoonIcon /> },
}

/** On a phone these live in the view dialog. */
function ViewButtons(): ReactNode {
  const { theme, zone, density } = usePreferences()
  const isDense = density === 'dense'
  return (
    <span className="wide-only view-buttons">
      <Tip says={zone === 'utc' ? 'Times are in UTC' : 'Times are in your zone'}>
        <Button
          variant="plain"
          className="zone-button"
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
          icon={isDense ? <ExpandIcon /> : <CompressIcon />}
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
