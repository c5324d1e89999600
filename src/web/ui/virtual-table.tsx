import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { usePreferences } from './preferences.ts'
import { classNames } from './class-names.ts'
import { useKeys } from './use-keys.ts'
import { useIsPrinting } from './printing.ts'
import { VirtualRow, type RowPlace } from './virtual-row.tsx'
import styles from './virtual-table.module.css'

/** What a table of rows in view has beside the rows. */
export interface VirtualRows {
  /** Rows there are; more than are read when the rest is asked for as it comes into view. All of them are read by default. */
  readonly total?: number
  /** False: there are more than `total`, and nobody counted them. */
  readonly isTotalKnown?: boolean
  readonly onNeedMore?: () => void
  /** What `x` does to the row that has the focus. */
  readonly onToggleRow?: (index: number) => void
  /** A row that is brought into view, and gets the focus, when it becomes another one. */
  readonly shown?: number | undefined
  /** Walked as pages of traces are: besides `j` and `k` by `f` and `b`, and by `s` and `w` as many rows as are seen. */
  readonly hasTraceKeys?: boolean
}

interface VirtualTableProps extends VirtualRows {
  readonly label: string
  readonly className?: string | undefined
  /** Cells of the head. */
  readonly head: ReactNode
  /** Rows that are there. */
  readonly loaded: number
  /** A `VirtualRow` whose link has the attribute `data-row`. */
  readonly renderRow: (index: number, place: RowPlace) => ReactNode
}

const NO_KEYS = {} as const

/** More than anybody reads on paper. */
const PRINTED_ROWS = 1000
/** Rows drawn beyond those in view, for a fast finger. */
const OVERSCAN = 12
/** The rest is asked for before it comes into view: many rows that appear at once would stop the scrolling. */
const READ_AHEAD_ROWS = 40
const ROW_PX = { comfortable: 36, dense: 27 } as const
/** Rows of the page before that stay in view when a page is walked. */
const PAGE_LEAVES_ROWS = 4
/** What stands over the rows: the masthead and the head of the table; and below them, on a phone, the places. */
const COVERED_PX = { top: 92, bottom: 72 } as const

/**
 * A real table of which only the rows in view are drawn. It scrolls with the page, says how long it is and where each row
 * stands, and is walked by `j` and `k`. Roles are said: not every browser takes them from elements that the styles place.
 */
export function VirtualTable(props: VirtualTableProps): ReactNode {
  const { label, className, head, loaded, total = loaded, isTotalKnown = true } = props
  const { onNeedMore, renderRow, onToggleRow, shown, hasTraceKeys = false } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [topPx, setTopPx] = useState(0)
  const { density } = usePreferences()
  useLayoutEffect(() => {
    const place = (): void => {
      if (body.current !== null) setTopPx(Math.round(body.current.getBoundingClientRect().top + window.scrollY))
    }
    place()
    const observer = new ResizeObserver(place)
    observer.observe(document.body)
    return () => {
      observer.disconnect()
    }
  }, [])
  const isOnPaper = useIsPrinting()
  const virtual = useWindowVirtualizer({
    // Paper cannot be scrolled: what is read is drawn whole.
    count: isOnPaper ? loaded : total,
    estimateSize: () => ROW_PX[density],
    overscan: isOnPaper ? PRINTED_ROWS : OVERSCAN,
    scrollMargin: topPx,
    scrollPaddingStart: COVERED_PX.top,
    scrollPaddingEnd: COVERED_PX.bottom,
  })
  const items = virtual.getVirtualItems()
  const lastIndex = items.at(-1)?.index ?? 0
  const isMissing = loaded < total && lastIndex >= loaded - READ_AHEAD_ROWS
  useEffect(() => {
    if (isMissing) onNeedMore?.()
  }, [isMissing, loaded, onNeedMore])
  useEffect(() => {
    virtual.measure()
  }, [density, virtual])

  const step = (by: number): void => {
    const at = focusedIndex(body.current)
    const next = Math.min(Math.max(at === undefined ? (items[0]?.index ?? 0) : at + by, 0), loaded - 1)
    if (next < 0) return
    virtual.scrollToIndex(next, { align: 'auto' })
    focusRow(body.current, next)
  }
  const showRow = useEffectEvent((index: number) => {
    virtual.scrollToIndex(index, { align: 'auto' })
    focusRow(body.current, index)
  })
  useEffect(() => {
    if (shown !== undefined && shown >= 0) showRow(shown)
  }, [shown])
  const page = (by: number): void => {
    step(by * Math.max(1, Math.floor(window.innerHeight / ROW_PX[density]) - PAGE_LEAVES_ROWS))
  }
  const traceKeys = {
    f: () => {
      step(1)
    },
    b: () => {
      step(-1)
    },
    s: () => {
      page(1)
    },
    w: () => {
      page(-1)
    },
  }
  useKeys(hasTraceKeys ? traceKeys : NO_KEYS)
  useKeys({
    j: () => {
      step(1)
    },
    k: () => {
      step(-1)
    },
    x: () => {
      const at = focusedIndex(body.current)
      if (at !== undefined) onToggleRow?.(at)
    },
  })
  return (
    <table
      role="table"
      aria-label={label}
      aria-rowcount={isTotalKnown ? total + 1 : -1}
      className={classNames('data-table alert-table', styles.root, className)}
    >
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          {head}
        </tr>
      </thead>
      <tbody ref={body} role="rowgroup" style={{ blockSize: `${virtual.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const place = { index, topPx: start - topPx, measure: virtual.measureElement }
          return index < loaded ? renderRow(index, place) : <WaitingRow key={index} place={place} />
        })}
      </tbody>
    </table>
  )
}

function WaitingRow({ place }: { readonly place: RowPlace }): ReactNode {
  return (
    <VirtualRow {...place} className="row-waiting">
      <td className="quiet">…</td>
    </VirtualRow>
  )
}

function focusedIndex(body: HTMLElement | null): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>('tr[data-index]')
  return row === null || row === undefined || body?.contains(row) !== true ? undefined : Number(row.dataset['index'])
}

/** The row may have to be drawn first. */
const FRAMES_MAX = 20

function focusRow(body: HTMLElement | null, index: number, frame = 0): void {
  const link = body?.querySelector<HTMLElement>(`tr[data-index="${index}"] [data-row]`)
  if (link !== null && link !== undefined) link.focus({ preventScroll: true })
  else if (frame < FRAMES_MAX)
    requestAnimationFrame(() => {
      focusRow(body, index, frame + 1)
    })
}
