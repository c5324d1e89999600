import type { ReactNode } from 'react'
import { formatCount } from '../lib/format-number.ts'
import { describeUnavailable } from '../lib/unavailable-words.ts'
import { useUnavailable } from '../query/use-unavailable.ts'
import { classNames } from '../ui/class-names.ts'
import { Popover } from '../ui/popover.tsx'

/** Fields of the page that are not stored for past moments. */
export function UnavailableNote({ pathname }: { readonly pathname: string }): ReactNode {
  const words = describeUnavailable(useUnavailable(pathname))
  return (
    <span className={classNames('screen-only', 'moment-unavailable', words.length === 0 && 'is-empty')}>
      <Popover
        label="Data not available for this time"
        button={
          <>
            Not available: <span className="nums">{formatCount(words.length)}</span>
          </>
        }
      >
        {() => (
          <div className="moment-list">
            <p>Only the current state of these is stored. The page omits them or shows them in part:</p>
            <ul className="bullets">
              {words.map((word) => (
                <li key={word}>{word}</li>
              ))}
            </ul>
          </div>
        )}
      </Popover>
    </span>
  )
}
