import type { ReactNode } from 'react'
import { changesText, type ListChanges } from '../lib/stable-list.ts'
import styles from './list-changes-bar.module.css'
import { Button } from '../ui/button.tsx'

interface ListChangesBarProps {
  readonly news: ListChanges
  /** The noun of one row: `alert`. */
  readonly noun: string
  readonly onShow: () => void
}

/** Offers to update a list that has changed; until then its rows do not move. */
export function ListChangesBar({ news, noun, onShow }: ListChangesBarProps): ReactNode {
  const words = changesText(news, noun)
  return (
    <div className={`screen-only ${styles.root}`} role="status" aria-label={`Changes of the ${noun} list`}>
      {words === '' ? null : (
        <Button size="sm" onClick={onShow}>
          {words}: show <kbd aria-hidden="true">u</kbd>
        </Button>
      )}
    </div>
  )
}
