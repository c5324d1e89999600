import type { Block, Fence, Heading } from './markdown-scan.ts'

/** A ` ```promql live ` block of a runbook page: a query that runs in the page. */
export interface PageCell {
  /** Section and number: `diagnosis-2`. Unique on the page. */
  readonly id: string
  readonly fence: Fence
}

export function isLive(fence: Fence): boolean {
  return /^promql\s+live$/.test(fence.info)
}

export function cellsOf(blocks: readonly Block[], headings: readonly Heading[]): PageCell[] {
  const counts = new Map<string, number>()
  return blocks
    .filter((block) => block.kind === 'fence')
    .filter(isLive)
    .map((fence) => {
      const section = headings.findLast((heading) => heading.level === 2 && heading.from < fence.from)?.title ?? 'page'
      const slug = section.toLowerCase().replace(/[^a-z0-9]+/g, '-')
      const count = (counts.get(slug) ?? 0) + 1
      counts.set(slug, count)
      return { id: `${slug}-${count}`, fence }
    })
}
