import { queryOptions } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from './client'
import { queryKeys } from './queryKeys'
import type { Job } from './types'

const PER_PAGE = 200

/** Query of the imports and bulk changes of the last 90 days, newest first. The server deletes older jobs. */
export const jobsQuery = queryOptions({
  queryKey: queryKeys.jobs,
  queryFn: async ({ signal }): Promise<Job[]> => {
    const jobs: Job[] = []
    for (let page = 0; ; page++) {
      const { jobs: more, meta } = await unwrapResponse(apiClient.GET('/jobs', { params: { query: { page, per_page: PER_PAGE } }, signal }), 'jobs*')
      jobs.push(...more)
      if (more.length === 0 || jobs.length >= meta.total_count) return jobs
    }
  },
})
