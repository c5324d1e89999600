import {
  BehindAnswer,
  BehindQuery,
  OlderQuery,
  OperatorsAnswer,
  ShareAnswer,
  ShareQuery,
  SpreadAnswer,
  SpreadQuery,
  UsageAnswer,
  UsageQuery,
  WorkloadsAnswer,
  WorkloadsQuery,
} from '../../contract/adoption.ts'
import type { Operations } from './openapi-operation.ts'

/** Who runs what, and how it spreads. */
export const ADOPTION_OPERATIONS: Operations = {
  'GET /api/adoption/v1/share': {
    summary: 'Shares of clusters over time, by version or another dimension.',
    tag: 'adoption',
    query: ShareQuery,
    answer: ShareAnswer,
  },
  'GET /api/adoption/v1/older-than': {
    summary: 'The share of clusters below a version over time.',
    tag: 'adoption',
    query: OlderQuery,
    answer: ShareAnswer,
  },
  'GET /api/adoption/v1/spread': {
    summary: 'How fast each version came and went: days to a tenth, a half and nine tenths, half-life, stage.',
    tag: 'adoption',
    query: SpreadQuery,
    answer: SpreadAnswer,
  },
  'GET /api/adoption/v1/behind': {
    summary: 'How far clusters are behind the newest version that any of them runs.',
    tag: 'adoption',
    query: BehindQuery,
    answer: BehindAnswer,
  },
  'GET /api/adoption/v1/workloads': {
    summary: 'The version of the control plane against the machines that really run its launcher.',
    tag: 'adoption',
    query: WorkloadsQuery,
    answer: WorkloadsAnswer,
  },
  'GET /api/adoption/v1/usage': {
    summary: 'Instance types, preferences and deprecated API versions in use.',
    tag: 'adoption',
    query: UsageQuery,
    answer: UsageAnswer,
  },
  'GET /api/adoption/v1/operators': {
    summary: 'Which operators were ever counted, and over which days.',
    tag: 'adoption',
    answer: OperatorsAnswer,
  },
}
