// Network connection between a browser and Patio that a test can cut.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** Forwards connections from a free local port to Patio. While the network is cut, connections are refused. */
export async function startNetwork(patio) {
  const { hostname, port } = new URL(patio)
  const sockets = new Set()
  const keep = (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((socket) => {
    const beyond = connect(Number(port), hostname)
    ;[socket, beyond].forEach(keep)
    socket.pipe(beyond).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = server.address().port
  const cut = async () => {
    server.close()
    sockets.forEach((socket) => socket.destroy())
    await once(server, 'close')
  }
  return {
    url: `http://127.0.0.1:${own}`,
    cut,
    restore: async () => {
      if (server.listening) return
      server.listen(own, '127.0.0.1')
      await once(server, 'listening')
    },
    stop: () => (server.listening ? cut() : undefined),
  }
}
