import { useEffect, useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import styles from './dialog.module.css'

interface DialogProps {
  readonly title: string
  /** A title for screen readers only, when the content says by itself what it is. */
  readonly isTitleHidden?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A modal window. The browser's own element keeps the focus inside, closes on Esc and gives the focus back. */
export function Dialog({ title, isTitleHidden = false, onClose, children }: DialogProps): ReactNode {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    // The browser would begin at the close button.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => {
      dialog?.close()
      // The browser gives the focus back to whoever had it, but not from an element that was taken away already.
      if (document.activeElement === document.body && before instanceof HTMLElement)
        before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={element}
      className={styles.root}
      aria-label={title}
      onClose={onClose}
      onCancel={onClose}
      onClick={(event) => {
        if (event.target === element.current) onClose() // the backdrop
      }}
    >
      <div className={styles.body}>
        {isTitleHidden ? null : (
          <header className={`row row-nowrap row-apart ${styles.head}`}>
            <h2>{title}</h2>
            <Button variant="plain" aria-label="Close" onClick={onClose} icon={<Icon name="cross" />} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  )
}
