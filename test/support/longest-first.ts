import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, longest first: begun last, they would run alone at the end. All others follow as they come. */
const LONGEST = [
  'e2e/web',
  'cli/commands',
  'content/alert-rules',
  'web/browser/accessibility',
  'e2e/crash',
  'web/browser/alerts',
  'e2e/rules-reference',
  'web/browser/alerting-pages',
  'e2e/',
  'web/browser/',
  'store/crash',
  'cli/',
]

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((part) => moduleId.includes(`/test/${part}`))
  return place === -1 ? LONGEST.length : place
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => placeOf(a) - placeOf(b))
  }
}
