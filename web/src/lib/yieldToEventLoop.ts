/** Returns a promise that resolves in a later task, so that a long computation lets input events, messages and rendering run in between. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => { setTimeout(resolve) })
