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

test('there is a dashboard for each question that has one', () => {
  expect(catalog.dashboards.map(({ name }) => name).sort()).toEqual([
    'daytwo',
    'fleet-upgrade-health',
    'golden-images',
    'hco-configuration',
    'version-adoption',
    'workload-updates',
  ])
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

  test('every panel says what it shows, and every kind, unit and key in it is drawn', () => {
    expect(dashboard.faults).toEqual([])
    expect(dashboard.model.panels.filter(({ title, description }) => title === '' || description === '')).toEqual([])
  })

  test('what clusters send is counted once for each cluster, whoever else sends it', () => {
    for (const query of dashboard.queries.filter((one) => /\b(?:kubevirt|csv|kube|cluster)_(?!erased)/.test(one))) {
      expect(query).toContain('cluster=~"$cluster"')
      expect(query).toMatch(/\b(?:max|count) by \(cluster\b|^(?:max|count)\b/)
    }
  })

  test('every variable is used', () => {
    for (const { name } of dashboard.model.variables) expect(dashboard.text).toContain(`$${name}`)
  })
})
