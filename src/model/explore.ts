/** The maximum of queries on the Explore page; more of them belong into a dashboard. */
export const EXPLORE_QUERIES_MAX = 8
