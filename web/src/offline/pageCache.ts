const running = new Set<IDBTransaction>()
let isCached = false

/**
 * Aborts the transactions of a database while the page enters or is in the back/forward cache.
 * WebKit stops a cached page with its transactions open. An open transaction blocks the writes of the next page until the browser drops the
 * cached page, so that no save would end. A screen reports a save only after its transaction has ended, so that an aborted save is not
 * reported.
 */
export function abortTransactionsInPageCache(database: IDBDatabase): void {
  const begin = database.transaction.bind(database)
  database.transaction = (...parameters) => {
    const transaction = begin(...parameters)
    const forget = () => running.delete(transaction)
    transaction.addEventListener('complete', forget)
    transaction.addEventListener('abort', forget)
    running.add(transaction)
    if (isCached) abort(transaction)
    return transaction
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch {
    // The transaction has already ended, but its event was not delivered yet.
  }
}

if (typeof window !== 'undefined') {
  window.addEventListener('pagehide', ({ persisted }) => {
    isCached = persisted
    if (isCached) running.forEach(abort)
  })
  window.addEventListener('pageshow', () => {
    isCached = false
  })
}
