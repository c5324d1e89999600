import type { ReactNode } from 'react'
import { newsWords } from '../lib/steady-list.ts'
import type { ListNews } from '../lib/steady-list.ts'
import styles from './news-bar.module.css'
import { Button } from '../ui/button.tsx'

interface NewsBarProps {
  readonly news: ListNews
  /** The noun of one row: `alert`. */
  readonly noun: string
  readonly onShow: () => void
}

/** Offers to update a list that has changed; until then its rows do not move. */
export function NewsBar({ news, noun, onShow }: NewsBarProps): ReactNode {
  const words = newsWords(news, noun)
  return (
    <div className={styles.root} role="status" aria-label={`News of the ${noun} list`}>
      {words === '' ? null : (
        <Button variant="secondary" size="sm" onClick={onShow}>
          {words}: show <kbd aria-hidden="true">u</kbd>
        </Button>
      )}
    </div>
  )
}
