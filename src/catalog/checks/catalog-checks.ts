/** All checks, in the order of the README. */
import type { Check } from '../../rules/checks/check.ts'
import { RULE_CHECKS } from '../../rules/checks/rule-checks.ts'
import { suppressionCheck } from '../../rules/checks/suppression.ts'
import { aliasCollision } from './alias-collision.ts'
import type { CatalogContent } from './catalog-content.ts'
import { commandKind } from './command-kind.ts'
import { commandTwin } from './command-twin.ts'
import { dashboardInvalid, dashboardUnread } from './dashboard-invalid.ts'
import { linkBroken } from './link-broken.ts'
import { metricMentioned } from './metric-mentioned.ts'
import { panelUnalerted } from './panel-unalerted.ts'
import { placeholderUnbound } from './placeholder-unbound.ts'
import { placeholderUnknown } from './placeholder-unknown.ts'
import { runbookBlocks } from './runbook-blocks.ts'
import { runbookFrontMatter } from './runbook-front-matter.ts'
import { runbookMissing } from './runbook-missing.ts'
import { runbookDuration, runbookThreshold } from './runbook-numbers.ts'
import { runbookOrphan } from './runbook-orphan.ts'
import { runbookSections } from './runbook-sections.ts'
import { runbookSeverity } from './runbook-severity.ts'
import { runbookTitle } from './runbook-title.ts'

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
