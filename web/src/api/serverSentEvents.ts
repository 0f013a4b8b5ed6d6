/** One event of a text/event-stream response (server-sent events). */
export interface ServerSentEvent {
  event: string
  data: string
}

/**
 * Yields the events of a text/event-stream response as they arrive. Calls `onBytes` for every chunk, including chunks that contain only
 * comments (keep-alives).
 */
export async function* readServerSentEvents(response: Response, onBytes: () => void = () => undefined): AsyncGenerator<ServerSentEvent> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventOf(block)
      if (event !== null) yield event
    }
  }
}

function eventOf(block: string): ServerSentEvent | null {
  const lines = block.split('\n')
  const valuesOf = (field: string) => lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).trimStart())
  const data = valuesOf('data')
  return data.length === 0 ? null : { event: valuesOf('event')[0] ?? 'message', data: data.join('\n') }
}
