import { Fragment, useState, type CSSProperties, type ReactNode } from 'react'
import type { DashboardModel, DashboardPanel, Grid, GridItem } from '../../../model/dashboard.ts'
import type { VariableValues } from '../../lib/dashboards/interpolate.ts'
import {
  itemsOfRepeat,
  repeatedTitle,
  REPEATS_MAX,
  repeatsInRow,
  repeatsOf,
  type Repeat,
  type Repeatable,
} from '../../lib/dashboards/repeats.ts'
import { countOf } from '../../lib/format-number.ts'
import styles from './dashboard-grid.module.css'

interface DashboardGridsProps {
  readonly model: DashboardModel
  readonly values: VariableValues
  readonly variables: readonly Repeatable[]
  readonly renderPanel: (panel: DashboardPanel, repeat: Repeat | undefined) => ReactNode
}

/**
 * The panels in their places of 24 columns; on a narrow page one below the other. Panels in no layout stand at the end, and
 * a part that is repeated is there once for each value.
 */
export function DashboardGrids({ model, values, variables, renderPanel }: DashboardGridsProps): ReactNode {
  const byId = new Map(model.panels.map((panel) => [panel.id, panel]))
  const placed = new Set(model.grids.flatMap(({ items }) => items.map((item) => item.panel)))
  const left = model.panels.filter(({ id }) => !placed.has(id))
  const rest: Grid = {
    title: model.grids.length === 0 ? '' : 'Not in a layout',
    canCollapse: false,
    isOpen: true,
    repeatVariable: '',
    items: left.map(({ id }, i) => ({ x: (i % 2) * 12, y: Math.floor(i / 2) * 8, width: 12, height: 8, panel: id })),
  }
  const cells = (items: readonly GridItem[], repeat: Repeat | undefined, isNamed = false): ReactNode[] =>
    [...items]
      .sort((a, b) => a.y - b.y || a.x - b.x)
      .map(({ x, y, width, height, panel }) => {
        const found = byId.get(panel)
        const place = { '--x': x + 1, '--y': y + 1, '--w': width, '--h': height } as CSSProperties
        return found === undefined ? null : (
          <div key={`${panel} ${repeat?.value ?? ''}`} className={styles.cell} style={place}>
            {renderPanel(isNamed ? { ...found, title: repeatedTitle(found.title, values, repeat) } : found, repeat)}
          </div>
        )
      })
  const part = (grid: Grid, repeat: Repeat | undefined): ReactNode => (
    <GridPart key={repeat?.value ?? ''} grid={grid} title={repeatedTitle(grid.title, values, repeat)}>
      <div className={styles.root}>{cells(grid.items, repeat)}</div>
    </GridPart>
  )
  // There is no heading for each value, so the title of each panel has the value.
  const besideEachOther = (grid: Grid, repeats: readonly Repeat[], inRow: number): ReactNode => (
    <GridPart grid={grid} title="">
      <div className={styles.root}>
        {repeats.flatMap((repeat, i) => cells(itemsOfRepeat(grid.items, i, inRow), repeat, true))}
      </div>
    </GridPart>
  )
  return (
    <>
      {[...model.grids, ...(left.length === 0 ? [] : [rest])].map((grid, i) => {
        const repeats = grid.repeatVariable === '' ? [] : repeatsOf(grid.repeatVariable, variables)
        if (repeats.length === 0) return <Fragment key={i}>{part(grid, undefined)}</Fragment>
        const more = repeats.length - REPEATS_MAX
        const shown = repeats.slice(0, REPEATS_MAX)
        const inRow = repeatsInRow(grid)
        return (
          <Fragment key={i}>
            {inRow > 1 ? besideEachOther(grid, shown, inRow) : shown.map((repeat) => part(grid, repeat))}
            {more > 0 ? (
              <p className="quiet text-tiny">
                {countOf(more, 'more value')} of {grid.repeatVariable}not shown: select fewer.
              </p>
            ) : null}
          </Fragment>
        )
      })}
    </>
  )
}

interface GridPartProps {
  readonly grid: Grid
  readonly title: string
  readonly children: ReactNode
}

function GridPart({ grid, title, children }: GridPartProps): ReactNode {
  const [isOpen, setIsOpen] = useState(grid.isOpen)
  const count = grid.items.length
  if (title === '' && !grid.canCollapse) {
    return (
      <div className={styles.part}>
        {/* Titles of panels are one level further down. */}
        <h2 className="visually-hidden">Panels</h2>
        {children}
      </div>
    )
  }
  if (!grid.canCollapse) {
    return (
      <section className={styles.part} aria-label={title}>
        <h2 className={styles.title}>{title}</h2>
        {children}
      </section>
    )
  }
  return (
    <details
      className={styles.part}
      open={isOpen}
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open)
      }}
    >
      <summary className="row row-text">
        <h2 className={styles.title}>{title || 'More'}</h2>
        <span className="quiet nums">{count === 1 ? '1 panel' : `${count} panels`}</span>
      </summary>
      {isOpen ? children : null}
    </details>
  )
}
