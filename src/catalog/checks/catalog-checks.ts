/** All checks, in the order of the README. */
import type { Check } from '../../rules/checks/check.ts'
import { RULE_CHECKS } from '../../rules/checks/rule-checks.ts'
import { suppressionCheck } from '../../rules/checks/suppression.ts'
import type { CatalogContent } from './catalog-content.ts'
import { commandKind, commandTwin } from './commands.ts'
import { dashboardInvalid, dashboardUnread, panelUnalerted } from './dashboards.ts'
import { linkBroken } from './link-broken.ts'
import {
  metricMentioned,
  placeholderUnbound,
  runbookDuration,
  runbookSeverity,
  runbookThreshold,
} from './page-claims.ts'
import { placeholderUnknown, runbookBlocks, runbookFrontMatter, runbookSections, runbookTitle } from './runbook-form.ts'
import { aliasCollision, runbookMissing, runbookOrphan } from './runbook-names.ts'

export const CATALOG_CHECKS: readonly Check<CatalogContent>[] = [
  ...RULE_CHECKS,
  runbookMissing,
  runbookOrphan,
  runbookTitle,
  runbookSections,
  runbookFrontMatter,
  runbookBlocks,
  aliasCollision,
  linkBroken,
  placeholderUnknown,
  placeholderUnbound,
  runbookSeverity,
  runbookDuration,
  runbookThreshold,
  metricMentioned,
  commandKind,
  commandTwin,
  dashboardInvalid,
  dashboardUnread,
  panelUnalerted,
  suppressionCheck,
]
