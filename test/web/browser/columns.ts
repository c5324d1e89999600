import type { Locator } from 'playwright-core'

/** Pixels; what rounding makes of a width. */
const APART_PX = 1

/** Cells of a table that do not stand below their head, as what they say. Rows of long tables are placed one by one. */
export async function columnsApart(table: Locator): Promise<readonly string[]> {
  return table.evaluate((element: HTMLTableElement, apartPx) => {
    const cellsOf = (row: HTMLTableRowElement): readonly (readonly [string, DOMRect])[] =>
      [...row.cells].flatMap((cell) => {
        const box = cell.getBoundingClientRect()
        return box.width === 0 ? [] : [[cell.innerText, box] as const]
      })
    const [head, ...rows] = [...element.rows].map(cellsOf)
    return rows.flatMap((row) =>
      row.flatMap(([text, box], i) => {
        const over = head?.[i]?.[1]
        const isBelow =
          over !== undefined &&
          Math.abs(over.left - box.left) <= apartPx &&
          (row.length < (head?.length ?? 0) || Math.abs(over.right - box.right) <= apartPx)
        return isBelow ? [] : [text]
      }),
    )
  }, APART_PX)
}
