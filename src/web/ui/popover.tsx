import { useEffect, useId, useRef, useState, type ReactNode } from 'react'

interface PopoverProps {
  /** What the button shows and is called; says what is chosen too. */
  readonly button: ReactNode
  /** What is below it, for those who hear it. */
  readonly label: string
  readonly className?: string | undefined
  /** On which side of the button it begins. */
  readonly side?: 'left' | 'right'
  readonly children: (close: () => void) => ReactNode
}

/** A button with something below it until it is pressed again, left, or Esc is pressed. The focus goes back to it. */
export function Popover({ button, label, className = '', side = 'left', children }: PopoverProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const id = useId()
  const openerId = `${id}-opener`
  const close = (): void => {
    setIsOpen(false)
    document.getElementById(openerId)?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    place.current?.querySelector<HTMLElement>('[data-first]')?.focus()
    const onPointer = (event: PointerEvent): void => {
      if (!(event.target instanceof Node) || place.current?.contains(event.target) !== true) setIsOpen(false)
    }
    window.addEventListener('pointerdown', onPointer)
    return () => {
      window.removeEventListener('pointerdown', onPointer)
    }
  }, [isOpen])
  return (
    <div
      ref={place}
      className={`popover ${className}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        close()
      }}
    >
      <button
        id={openerId}
        type="button"
        className="popover-button"
        aria-expanded={isOpen}
        {...(isOpen ? { 'aria-controls': id } : {})}
        onClick={() => {
          setIsOpen(!isOpen)
        }}
      >
        {button}
      </button>
      {isOpen ? (
        <div id={id} className={`popover-body raised popover-${side}`} role="group" aria-label={label}>
          {children(close)}
        </div>
      ) : null}
    </div>
  )
}
