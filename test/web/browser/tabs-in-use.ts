import type { Page } from 'playwright-core'

/** Tabs in use. Those that are left when their server closes would ask the next one, which has the same address. */
export const tabsInUse = new Set<Page>()

/** Closes the tabs of tests that failed, or left their page open. */
export async function closeTabsInUse(): Promise<void> {
  const tabs = [...tabsInUse]
  tabsInUse.clear()
  await Promise.all(tabs.map(async (tab) => tab.context().close()))
}
