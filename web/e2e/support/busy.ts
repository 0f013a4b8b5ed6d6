import type { APIResponse } from '@playwright/test'

const MAX_REPETITIONS = 5

/** Repeats a call while the server reports an overload, as clients do. A call with this response has changed nothing. */
export async function repeatWhileBusy(call: () => Promise<APIResponse>): Promise<APIResponse> {
  for (let repetitions = 0; ; repetitions++) {
    const response = await call()
    if (response.status() !== 503 || repetitions === MAX_REPETITIONS || ((await response.json()) as { code?: string }).code !== 'BUSY') return response
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}
