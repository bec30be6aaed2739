const originCache = new Map()
    , originStackCache = new Map()
    , originError = Symbol('OriginError')
    , settle = Symbol('Settle')

export class Query extends Promise {
  constructor(strings, args, handler, options = {}) {
    let resolve
      , reject

    super((a, b) => {
      resolve = a
      reject = b
    })

    this.tagged = Array.isArray(strings.raw)
    this.strings = strings
    this.args = args
    this.handler = handler
    this.options = options

    this.state = null
    this.statement = null

    // Postrider: set by an interceptor, which gives this query another text.
    this.rewrite = null
    this.rewrittenFor = ''

    this[settle] = { resolve, reject }

    this.active = false
    this.executed = false
    this.signature = ''

    this[originError] = this.tagged && cachedError(this.strings)
  }

  // Postrider: the driver writes these functions anew for each query. V8 makes such functions old at birth, and an old one keeps the rows of
  // its query until the old part of the heap is collected: it grew to four times of what was alive.
  resolve(x) {
    this.active = false
    this[settle].resolve(x)
  }

  reject(x) {
    this.active = false
    this[settle].reject(x)
  }

  get origin() {
    if (!this.tagged)
      return ''

    originStackCache.has(this.strings) || originStackCache.set(this.strings, this[originError].stack)
    return originStackCache.get(this.strings)
  }

  static get [Symbol.species]() {
    return Promise
  }

  simple() {
    this.options.simple = true
    this.options.prepare = false
    return this
  }

  async handle() {
    !this.executed && (this.executed = true) && await 1 && this.handler(this)
  }

  execute() {
    this.handle()
    return this
  }

  then() {
    this.handle()
    return super.then.apply(this, arguments)
  }

  catch() {
    this.handle()
    return super.catch.apply(this, arguments)
  }

  finally() {
    this.handle()
    return super.finally.apply(this, arguments)
  }
}

function cachedError(xs) {
  if (originCache.has(xs))
    return originCache.get(xs)

  const x = Error.stackTraceLimit
  Error.stackTraceLimit = 4
  originCache.set(xs, new Error())
  Error.stackTraceLimit = x
  return originCache.get(xs)
}
