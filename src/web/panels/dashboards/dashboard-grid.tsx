import { useState } from 'react'
import type { CSSProperties, ReactNode } from 'react'
import type { DashboardModel, DashboardPanel, Grid } from '../../../model/dashboard.ts'

interface DashboardGridsProps {
  readonly model: DashboardModel
  readonly renderPanel: (panel: DashboardPanel) => ReactNode
}

/** The panels in their places of 24 columns; on a narrow page one below the other. Panels in no layout stand at the end. */
export function DashboardGrids({ model, renderPanel }: DashboardGridsProps): ReactNode {
  const byId = new Map(model.panels.map((panel) => [panel.id, panel]))
  const placed = new Set(model.grids.flatMap(({ items }) => items.map((item) => item.panel)))
  const left = model.panels.filter(({ id }) => !placed.has(id))
  const rest: Grid = {
    title: model.grids.length === 0 ? '' : 'In no layout',
    canCollapse: false,
    isOpen: true,
    items: left.map(({ id }, i) => ({ x: (i % 2) * 12, y: Math.floor(i / 2) * 8, width: 12, height: 8, panel: id })),
  }
  return (
    <>
      {[...model.grids, ...(left.length === 0 ? [] : [rest])].map((grid, i) => (
        <GridPart key={i} grid={grid}>
          <div className="dash-grid">
            {[...grid.items]
              .sort((a, b) => a.y - b.y || a.x - b.x)
              .map(({ x, y, width, height, panel }) => {
                const found = byId.get(panel)
                const place = { '--x': x + 1, '--y': y + 1, '--w': width, '--h': height } as CSSProperties
                return found === undefined ? null : (
                  <div key={panel} className="dash-cell" style={place}>
                    {renderPanel(found)}
                  </div>
                )
              })}
          </div>
        </GridPart>
      ))}
    </>
  )
}

function GridPart({ grid, children }: { readonly grid: Grid; readonly children: ReactNode }): ReactNode {
  const [isOpen, setIsOpen] = useState(grid.isOpen)
  const count = grid.items.length
  if (grid.title === '' && !grid.canCollapse) return <div className="dash-part">{children}</div>
  if (!grid.canCollapse) {
    return (
      <section className="dash-part" aria-label={grid.title}>
        <h2 className="dash-part-title">{grid.title}</h2>
        {children}
      </section>
    )
  }
  return (
    <details
      className="dash-part"
      open={isOpen}
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open)
      }}
    >
      <summary>
        <h2 className="dash-part-title">{grid.title || 'More'}</h2>
        <span className="quiet nums">{count === 1 ? '1 panel' : `${count} panels`}</span>
      </summary>
      {isOpen ? children : null}
    </details>
  )
}
