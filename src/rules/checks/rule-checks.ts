/** The checks that need no page: rules, their tests, and PromQL in any file. In the order of the README. */
import type { Check } from './check.ts'
import { clusterDropped, clusterNotYielded } from './cluster-dropped.ts'
import { counterWithoutRate, rateOfGauge } from './counters.ts'
import { promqlDoubtful, promqlInvalid } from './promql.ts'
import type { RuleContent } from './rule-content.ts'
import {
  alertDuplicate,
  annotationMissing,
  labelMissing,
  recordingRuleName,
  ruleFileInvalid,
  runbookUrl,
} from './rule-form.ts'
import { textDuration, textThreshold } from './rule-numbers.ts'
import { testMissing, testNeverFires, testNeverQuiet, testOfNothing } from './unit-tests.ts'
import { labelUnknown, templateLabelUnknown } from './unknown-labels.ts'
import { alertUnknown, metricRetired, metricUnknown } from './unknown-names.ts'

export const RULE_CHECKS: readonly Check<RuleContent>[] = [
  ruleFileInvalid,
  alertDuplicate,
  labelMissing,
  annotationMissing,
  runbookUrl,
  templateLabelUnknown,
  textDuration,
  textThreshold,
  clusterDropped,
  clusterNotYielded,
  recordingRuleName,
  testMissing,
  testNeverFires,
  testNeverQuiet,
  testOfNothing,
  promqlInvalid,
  promqlDoubtful,
  metricUnknown,
  metricRetired,
  labelUnknown,
  counterWithoutRate,
  rateOfGauge,
  alertUnknown,
]
