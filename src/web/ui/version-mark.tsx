import type { ReactNode } from 'react'

interface VersionMarkProps {
  readonly version: string | null
  /** 0 is the newest minor of the fleet (darkest); absent: not known. */
  readonly age: number | undefined
}

/** A version with its age on the ramp every page uses: old is pale. Words say it where it matters. */
export function VersionMark({ version, age }: VersionMarkProps): ReactNode {
  if (version === null) return <span className="quiet">not told</span>
  return (
    <span className="version-mark nums">
      <span className={`version-swatch version-age-${age ?? 'unknown'}`} aria-hidden="true" />
      {version}
    </span>
  )
}
