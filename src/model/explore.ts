/** Queries that the page of PromQL shows at once: each is asked and drawn, and more of them are a dashboard. */
export const EXPLORE_QUERIES_MAX = 8
