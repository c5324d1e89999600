import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { upgradePath } from '../lib/paths.ts'
import type { UpgradeBand } from '../lib/upgrade-bands.ts'
import { UpgradeStateMark } from '../ui/outcome-marks.tsx'
import { Moment } from '../ui/time.tsx'
import styles from './upgrade-band-list.module.css'

interface UpgradeBandListProps {
  readonly bands: readonly UpgradeBand[]
  /** Clusters whose upgrades are loaded. */
  readonly loaded: readonly string[]
  /** Clusters whose query failed. */
  readonly failed: readonly string[]
}

/** The upgrades that are marked in graphs as a list: outcome, time and link. */
export function UpgradeBandList({ bands, loaded, failed }: UpgradeBandListProps): ReactNode {
  return (
    <section className={`rigid scrolls text-small spaced ${styles.root}`} aria-label="Upgrades in this range">
      {failed.length === 0 ? null : <p className="quiet">Could not load the upgrades of {failed.join(', ')}.</p>}
      {bands.length === 0 && loaded.length > 0 ? (
        <p className="quiet">No upgrade of {loaded.join(', ')} in this range.</p>
      ) : null}
      {bands.length === 0 ? null : (
        <ul className="plain-list">
          {bands.map(({ id, cluster, step, state, fromMs, toMs }) => (
            <li key={id}>
              <UpgradeStateMark state={state} /> <Link href={upgradePath(id)}>{step}</Link>
              <span className="quiet">
                {loaded.length > 1 ? ` on ${cluster}` : null} from <Moment atMs={fromMs} />
                {toMs === undefined ? null : (
                  <>
                    {' '}
                    to <Moment atMs={toMs} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface UpgradeToggleProps {
  readonly isShown: boolean
  readonly onChange: (isShown: boolean) => void
}

/** Whether graphs of a few clusters mark their upgrades. */
export function UpgradeToggle({ isShown, onChange }: UpgradeToggleProps): ReactNode {
  return (
    <label className="row text-small">
      <input
        type="checkbox"
        checked={isShown}
        onChange={({ target: { checked } }) => {
          onChange(checked)
        }}
      />{' '}
      Mark upgrades
    </label>
  )
}
