import { DashboardAnswer, DashboardList } from '../../contract/dashboards.ts'
import type { Operations } from './openapi-operation.ts'

/** Dashboards. */
export const DASHBOARD_OPERATIONS: Operations = {
  'GET /api/dashboards/v1': { summary: 'All dashboards.', tag: 'dashboards', answer: DashboardList },
  'GET /api/dashboards/v1/:name': {
    summary: 'One dashboard as it is drawn and as it is written, with the alerts on what its panels show.',
    tag: 'dashboards',
    path: { name: '`metadata.name` of the file.' },
    answer: DashboardAnswer,
  },
}
