export class PostgresError extends Error {
  constructor(x) {
    super(x.message)
    this.name = this.constructor.name
    Object.assign(this, x)
  }
}

// Postrider: a statement, commit or rollback of a transaction whose connection has ended. It was not sent, or not answered.
export class TransactionLostError extends Error {
  constructor() {
    super('the connection of this transaction has ended: nothing more of it is written or committed')
    this.name = 'TransactionLostError'
    this.code = 'CONNECTION_CLOSED' // as the driver reports a lost connection
  }
}

// Postrider: a statement that was sent behind the commit or rollback of its transaction.
export class TransactionEndedError extends Error {
  constructor() {
    super('this transaction has ended: the statement would run outside of it')
    this.name = 'TransactionEndedError'
  }
}

export const Errors = {
  connection,
  postgres,
  generic
}

function connection(x, options, socket) {
  const { host, port } = socket || options
  const error = Object.assign(
    new Error(('write ' + x + ' ' + (options.path || (host + ':' + port)))),
    {
      code: x,
      errno: x,
      address: options.path || host
    }, options.path ? {} : { port: port }
  )
  Error.captureStackTrace(error, connection)
  return error
}

function postgres(x) {
  const error = new PostgresError(x)
  Error.captureStackTrace(error, postgres)
  return error
}

function generic(code, message) {
  const error = Object.assign(new Error(code + ': ' + message), { code })
  Error.captureStackTrace(error, generic)
  return error
}

