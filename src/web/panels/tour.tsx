import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { readTourProgress, tourSteps, type TourProgress } from '../lib/tour.ts'
import { useAlerts, useNow } from '../query/use-fleet.ts'
import { useModifications } from '../query/use-modifications.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { keptAs } from '../ui/kept.ts'
import styles from './tour.module.css'

/** Also dismissed by tests of pages (test/web/browser/open-page.ts). */
const PROGRESS = keptAs('daytwo.tour', readTourProgress)

/** The tour of a demo, over every page until it is dismissed. Closed at first where it would cover the page. */
export function Tour(): ReactNode {
  const progress = PROGRESS.use()
  return progress.isDismissed ? null : <Steps progress={progress} />
}

/** Calls the API: a dismissed tour does not. */
function Steps({ progress }: { readonly progress: TourProgress }): ReactNode {
  const { data } = useNow()
  const edits = useModifications({ kind: 'out_of_band', component: 'kubevirt' }).data?.modifications ?? []
  const alerts = useAlerts().data?.alerts ?? []
  const steps = data === undefined ? [] : tourSteps(data, edits, alerts)
  if (steps.length === 0) return null
  const isWide = matchMedia('(min-width: 64rem)').matches
  return (
    <aside className={classNames('raised screen-only', styles.root)} aria-label="Tour of the demo">
      <details open={isWide}>
        <summary>
          Tour: {steps.length} cases in this fleet{' '}
          <span className="quiet">{steps.filter(({ key }) => progress.opened.includes(key)).length} opened</span>
        </summary>
        <ol>
          {steps.map(({ key, title, note, path }) => (
            <li key={key} className={progress.opened.includes(key) ? styles.opened : undefined}>
              <Link
                href={path}
                onClick={() => {
                  PROGRESS.set({ ...progress, opened: [...new Set([...progress.opened, key])] })
                }}
              >
                {title}
              </Link>
              <span className="quiet text-small">{note}</span>
            </li>
          ))}
        </ol>
        <Button
          size="sm"
          onClick={() => {
            PROGRESS.set({ ...progress, isDismissed: true })
          }}
        >
          Dismiss the tour
        </Button>
      </details>
    </aside>
  )
}
