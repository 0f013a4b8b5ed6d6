const running = new Set<IDBTransaction>()
let isCached = false

/**
 * Aborts the transactions of a database while the page enters or is in the back/forward cache. WebKit suspends a cached page with its
 * transactions open, and an open transaction would block every write of the next page. No save is lost silently, because a screen reports
 * a save only after its transaction has completed.
 */
export function abortTransactionsInBfcache(database: IDBDatabase): void {
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
