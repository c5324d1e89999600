import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { shippedCatalog } from './content.ts'

interface Item {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly content: { readonly $ref: string }
}

interface Board {
  readonly kind: string
  readonly spec: {
    readonly panels: Readonly<Record<string, unknown>>
    readonly layouts: readonly { readonly kind: string; readonly spec: { readonly items: readonly Item[] } }[]
  }
}

const catalog = shippedCatalog()

test('there is a dashboard about the configuration of HCO', () => {
  expect(catalog.dashboards.map(({ name }) => name)).toContain('hco-configuration')
})

describe.each(catalog.dashboards.map((dashboard) => [dashboard.name, dashboard] as const))('%s', (_, dashboard) => {
  const board = parse(dashboard.text) as Board
  const grids = board.spec.layouts.map(({ spec }) => spec.items)

  test('is in the form that a Perses server takes', () => {
    expect(board.kind).toBe('Dashboard')
    expect(board.spec.layouts.map(({ kind }) => kind)).toEqual(grids.map(() => 'Grid'))
    expect(dashboard.queries.length).toBeGreaterThan(0)
  })

  test('shows every panel once', () => {
    const shown = grids.flat().map((item) => item.content.$ref.replace('#/spec/panels/', ''))
    expect(shown.sort()).toEqual(Object.keys(board.spec.panels).sort())
  })

  test('panels stay inside 24 columns and do not overlap', () => {
    for (const items of grids) {
      const cells = items.flatMap((item) =>
        Array.from({ length: item.width * item.height }, (_, i) => {
          const x = item.x + (i % item.width)
          expect(x).toBeLessThan(24)
          return `${x},${item.y + Math.floor(i / item.width)}`
        }),
      )
      expect(new Set(cells).size).toBe(cells.length)
    }
  })

  test('every query is about the chosen clusters and survives HA pairs', () => {
    for (const query of dashboard.queries) {
      expect(query).toContain('cluster=~"$cluster"')
      expect(query).toMatch(/\b(count|max)\b/)
      expect(query).not.toMatch(/\bsum\b/)
    }
  })
})
