import type { ReactNode } from 'react'
import { cssColor, versionToken } from '../lib/palette.ts'
import { classNames } from './class-names.ts'
import styles from './version-mark.module.css'

interface VersionMarkProps {
  readonly version: string | null
  /** 0 is the newest minor of the fleet; absent: not known. */
  readonly age: number | undefined
}

/** A version with its age on the ramp every page uses: old is pale. Words say it where it matters. */
export function VersionMark({ version, age }: VersionMarkProps): ReactNode {
  if (version === null) return <span className="quiet">not reported</span>
  return (
    <span className={`mark nums ${styles.root}`}>
      <span
        className={classNames('keeps-color', styles.swatch, age === undefined && styles.unknown)}
        {...(age === undefined ? {} : { style: { background: cssColor(versionToken(age)) } })}
        aria-hidden="true"
      />
      {version}
    </span>
  )
}
