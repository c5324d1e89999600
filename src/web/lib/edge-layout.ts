import type { EdgeItem } from '../../contract/fleet-edges.ts'

/** The graph of versions as it is drawn: places of versions and lines between them. */
export interface EdgeLayout {
  readonly width: number
  readonly height: number
  readonly nodes: readonly { readonly version: string; readonly x: number; readonly y: number }[]
  readonly lines: readonly {
    readonly edge: EdgeItem
    readonly points: readonly { readonly x: number; readonly y: number }[]
    /** Middle of its label. */
    readonly x: number
    readonly y: number
  }[]
}

export const NODE_WIDTH = 72
export const NODE_HEIGHT = 26
