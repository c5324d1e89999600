import { useEffect, useState, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** A pointer that only passes by asks nothing. */
const HOVER_MS = 300

interface TipProps {
  /** For those who see; the control inside has a name of its own. */
  readonly says: string
  readonly className?: string | undefined
  readonly children: ReactNode
}

/**
 * Says what a control without words is for, while the pointer rests on it or the keyboard is there; Esc hides it. Until then
 * it costs a page nothing: the library's, which places its words anywhere, is 66 kB of script and asks for the layout at once.
 */
export function Tip({ says, className, children }: TipProps): ReactNode {
  const [state, setState] = useState<'hidden' | 'asked' | 'shown'>('hidden')
  useEffect(() => {
    if (state !== 'shown') return
    // Anywhere: the keyboard need not be where the pointer is.
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') setState('hidden')
    }
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onKey)
    }
  }, [state])
  useEffect(() => {
    if (state !== 'asked') return
    const timer = setTimeout(() => {
      setState('shown')
    }, HOVER_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [state])
  const hide = (): void => {
    setState('hidden')
  }
  return (
    <span
      className={classNames('tip', className)}
      onPointerEnter={({ pointerType }) => {
        if (pointerType === 'mouse') setState('asked')
      }}
      onPointerLeave={hide}
      onFocus={({ target }) => {
        if (target.matches(':focus-visible')) setState('shown')
      }}
      onBlur={hide}
    >
      {children}
      {state === 'shown' ? (
        <span className="tip-words" aria-hidden="true">
          {says}
        </span>
      ) : null}
    </span>
  )
}
