import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { ROUTES } from '../lib/paths.ts'
import { OutcomePage } from '../panels/outcomes/outcome-page.tsx'
import { OutcomesPage } from '../panels/outcomes/outcomes-page.tsx'
import { ReviewPage } from '../panels/outcomes/review-page.tsx'

/** The pages about outcomes of alerts, loaded together: the first screen has one route for them. */
export function OutcomePages(): ReactNode {
  return (
    <Switch>
      <Route path={ROUTES.outcomes} component={OutcomesPage} />
      <Route path={`${ROUTES.outcomes}/:name`}>{({ name }) => <OutcomePage key={name} name={name} />}</Route>
      <Route path="/alerts/review/:fingerprint/:activeAt">
        {({ fingerprint, activeAt }) => (
          <ReviewPage key={`${fingerprint} ${activeAt}`} fingerprint={fingerprint} activeAtMs={Number(activeAt)} />
        )}
      </Route>
    </Switch>
  )
}
