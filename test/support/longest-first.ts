import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * One project after the other: a process takes another file, with the modules and the browser it has, only where the next
 * one in the row is of its project, and ends otherwise. Last come the many short ones, which end together.
 */
const PROJECTS = ['whole', 'pages', 'parts']

/** Of each project the files that take longest, longest first: begun last, they would run alone at the end. */
const LONGEST = [
  'e2e/processes',
  'chaos/deployment',
  'e2e/migrate',
  'e2e/forward',
  'e2e/rules-reference',
  'e2e/web',
  'e2e/first-light',
  'e2e/truth-over-http',
  'chaos/threads',
  'chaos/power-cuts',
  'cli/commands',
  'e2e/main-watch',
  'e2e/soak',
  'e2e/full-disk',
  'e2e/rules-kill',
  'e2e/',
  'web/browser/accessibility',
  'web/browser/stories',
  'web/browser/alerts',
  'web/browser/shell',
  'web/browser/baselines',
  'web/browser/explore',
  'web/browser/now',
  'web/browser/fleet',
  'content/alert-rules',
  'catalog/rule-tests',
  'store/shipping/spread-fleet',
  'store/migrations',
  'threads/start-thread',
  'api/jaeger',
  'foreign-keys',
  'store/facts/adoption',
  'store/crash',
]

function placeOf({ moduleId, project }: TestSpecification): number {
  const place = LONGEST.findIndex((part) => moduleId.includes(`/test/${part}`))
  const inProject = place === -1 ? LONGEST.length : place
  return PROJECTS.indexOf(project.name) * (LONGEST.length + 1) + inProject
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => placeOf(a) - placeOf(b))
  }
}
