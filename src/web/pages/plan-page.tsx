import type { ReactNode } from 'react'
import type { PlanAnswer } from '../../contract/fleet-plans.ts'
import { countOf } from '../lib/format-number.ts'
import { planPath } from '../lib/paths.ts'
import { clusterListOf, PLAN_VIEW, planRequestOf, type PlanView } from '../lib/plan-view.ts'
import { ActionFailure } from '../panels/action-form.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { NoClusterNote } from '../panels/fleet/fleet-coverage.tsx'
import { PlanForm } from '../panels/fleet/plan-form.tsx'
import { PlanResult } from '../panels/fleet/plan-result.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useView } from '../panels/use-view.ts'
import { useClusterCounts } from '../query/use-clusters.ts'
import { PLANS_PATH, usePlan, usePlanExport } from '../query/use-plan.ts'
import { Button } from '../ui/button.tsx'
import { saveFile } from '../ui/save-file.ts'

/** The plan of an upgrade: input, result and exports. */
export function PlanPage(): ReactNode {
  const { view, change } = useView(PLAN_VIEW, planPath)
  const counts = useClusterCounts(clusterListOf(view))
  const request = planRequestOf(view)
  const plan = usePlan(request)
  return (
    <div className="page">
      <title>Plan · Daytwo</title>
      <h1 className="visually-hidden">Fleet: plan of an upgrade</h1>
      <PagesNav place="Fleet" />
      <Answer query={counts} what="the clusters" skeletonLines={6}>
        {({ facets, total, coverage }) =>
          coverage.clusters === 0 || facets === null ? (
            <NoClusterNote />
          ) : (
            <PlanForm view={view} onChange={change} facets={facets} count={countText(view, total)} />
          )
        }
      </Answer>
      {view.target === '' ? (
        <p className="empty quiet">
          Select clusters and a target. The plan has the steps of each cluster with commands and checks, and the time
          until all are done.
        </p>
      ) : (
        <>
          <Answer query={plan} what="the plan" skeletonLines={12}>
            {(answer) => (
              <>
                <Exports view={view} plan={answer} />
                <PlanResult
                  plan={answer}
                  open={view.open}
                  onOpen={(open) => {
                    change({ open })
                  }}
                />
              </>
            )}
          </Answer>
          <ApiCallNote call={{ method: 'POST', path: PLANS_PATH, body: request }} />
        </>
      )}
    </div>
  )
}

function countText({ clusters }: PlanView, total: number): string {
  return clusters.length === 0 ? countOf(total, 'cluster') : `${countOf(clusters.length, 'cluster')} by name`
}

/** The plan as files. JSON is the answer that the page shows. */
function Exports({ view, plan }: { readonly view: PlanView; readonly plan: PlanAnswer }): ReactNode {
  const action = usePlanExport()
  const save = (format: 'markdown' | 'ics'): void => {
    action.mutate(planRequestOf(view, format), {
      onSuccess: ({ export: file }) => {
        if (file !== null) saveFile(file.fileName, file.text, file.mediaType)
      },
    })
  }
  return (
    <div className="row screen-only space-below">
      <Button
        variant="primary"
        isAriaDisabled={action.isPending}
        onClick={() => {
          save('markdown')
        }}
      >
        Runbook (Markdown)
      </Button>
      <Button
        isAriaDisabled={action.isPending}
        onClick={() => {
          save('ics')
        }}
      >
        Calendar (iCalendar)
      </Button>
      <Button
        onClick={() => {
          saveFile(`upgrade-to-${plan.target}.json`, JSON.stringify(plan, undefined, 2), 'application/json')
        }}
      >
        JSON
      </Button>
      {action.error === null ? null : <ActionFailure what="export the plan" failure={action.error} />}
    </div>
  )
}
