import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './version-mark.module.css'

/** By minors behind the newest: the newest is ink, older ones are paler. */
const RAMP = ['var(--dt-text)', 'var(--dt-ramp-6)', 'var(--dt-ramp-4)', 'var(--dt-ramp-3)', 'var(--dt-ramp-2)']

interface VersionMarkProps {
  readonly version: string | null
  /** 0 is the newest minor of the fleet (darkest); absent: not known. */
  readonly age: number | undefined
}

/** A version with its age on the ramp every page uses: old is pale. Words say it where it matters. */
export function VersionMark({ version, age }: VersionMarkProps): ReactNode {
  if (version === null) return <span className="quiet">not told</span>
  return (
    <span className={`mark nums ${styles.root}`}>
      <span
        className={classNames('keeps-color', styles.swatch, age === undefined && styles.unknown)}
        {...(age === undefined ? {} : { style: { background: RAMP[Math.min(age, RAMP.length - 1)] } })}
        aria-hidden="true"
      />
      {version}
    </span>
  )
}
