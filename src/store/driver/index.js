import os from 'os'

import { mergeUserTypes, Parameter, Identifier, Builder } from './types.js'
import { Connection } from './connection.js'
import { Query } from './query.js'
import { Queue } from './queue.js'
import { Errors, PostgresError, TransactionEndedError, TransactionLostError } from './errors.js'

export { PostgresError }

export const BIGINT = {
  to: 20,
  from: [20],
  parse: x => BigInt(x),
  serialize: x => x.toString()
}

export function postgres(a, b) {
  const options = parseOptions(a, b)

  let ending = false

  const queries = Queue()
      , connecting = Queue()
      , reserved = Queue()
      , closed = Queue()
      , ended = Queue()
      , open = Queue()
      , busy = Queue()
      , full = Queue()
      , queues = { connecting, reserved, closed, ended, open, busy, full }

  const connections = [...Array(options.max)].map(() => Connection(options, queues, { onopen, onend, onclose }))

  const sql = Sql(handler, { options, listen, begin, reserve, end })

  return sql

  function Sql(handler, methods) {
    return Object.assign(sql, { unsafe, json, intercept, send: handler, ...methods })

    function sql(strings, ...args) {
      return strings && Array.isArray(strings.raw)
        ? new Query(strings, args, handler)
        : typeof strings === 'string' && !args.length
          ? new Identifier(strings)
          : new Builder(strings, args)
    }

    function unsafe(string, args = [], options = {}) {
      return new Query([string], args, handler, {
        prepare: false,
        ...options,
        simple: 'simple' in options ? options.simple : args.length === 0
      })
    }

    // Postrider: the same pool or transaction, each statement of which goes to `fn`, with what sends it.
    function intercept(fn) {
      return Sql(q => {
        try {
          fn(q, handler)
        } catch (error) {
          q.reject(error)
        }
      }, methods)
    }
  }

  async function listen(name, fn) {
    const listener = { fn }

    const sql = listen.sql || (listen.sql = postgres({
      ...options,
      max: 1,
      idle_timeout: null,
      max_lifetime: null,
      onfault: null,
      onclose() {
        Object.entries(listen.channels).forEach(([name, { listeners }]) => {
          delete listen.channels[name]
          Promise.all(listeners.map(l => listen(name, l.fn).catch(() => { /* noop */ })))
        })
      },
      onnotify(c, x) {
        c in listen.channels && listen.channels[c].listeners.forEach(l => l.fn(x))
      }
    }))

    const channels = listen.channels || (listen.channels = {})
        , exists = name in channels

    if (exists) {
      channels[name].listeners.push(listener)
      await channels[name].result
      return { unlisten }
    }

    channels[name] = { result: sql`listen ${
      sql.unsafe('"' + name.replace(/"/g, '""') + '"')
    }`, listeners: [listener] }
    await channels[name].result
    return { unlisten }

    async function unlisten() {
      if (name in channels === false)
        return

      channels[name].listeners = channels[name].listeners.filter(x => x !== listener)
      if (channels[name].listeners.length)
        return

      delete channels[name]
      return sql`unlisten ${
        sql.unsafe('"' + name.replace(/"/g, '""') + '"')
      }`
    }
  }

  async function begin(mode, fn) {
    !fn && (fn = mode, mode = '')
    const held = await hold('begin ' + mode.replace(/[^a-z ]/ig, ''), false)

    return await Promise.race([scope(), held.lost])

    async function scope() {
      const tx = Sql(held.send, { pool: sql })
      let result

      try {
        result = await fn(tx)
        if (held.error)
          throw held.error
      } catch (e) {
        await held.finish('rollback')
        throw e instanceof PostgresError && e.code === '25P02' && held.error || e
      }

      await held.finish('commit')
      return result
    }
  }

  async function reserve() {
    const held = await hold('select', true)
    return Sql(held.send, { pool: sql, release: held.release })
  }

  // Postrider: the driver rejects when the connection of a transaction ends, but its function runs on. What that sends goes to the same
  // connection object: closed, which ends the process, or open again, in another session, outside of a transaction or inside of another one,
  // without the locks under which it was computed. So nothing is sent once the connection or the transaction has ended.
  async function hold(first, isSession) {
    const queries = Queue()
    let connection
      , lose
      , Ended = null

    const held = {
      error: null,
      lost: new Promise((_, reject) => lose = reject),
      send,
      finish,
      release
    }
    held.lost.catch(() => { /* not waited for once the transaction has ended */ })

    await sql.unsafe(first, [], { onexecute }).execute()
    return held

    function send(q) {
      q.catch(e => held.error || (held.error = e))
      if (Ended)
        return q.reject(new Ended())

      connection.queue === full
        ? queries.push(q)
        : connection.execute(q) || move(connection, full)
    }

    function finish(command) {
      return new Query([command], [], q => {
        send(q)
        Ended = Ended || TransactionEndedError
      })
    }

    function release() {
      if (Ended)
        return

      Ended = TransactionEndedError
      connection.reserved = null
      onopen(connection)
    }

    function onexecute(c) {
      connection = c
      move(c, reserved)
      c.reserved = () => queries.length
        ? c.execute(queries.shift())
        : move(c, reserved)
      c.reserved.release = isSession
      c.onclose = error => {
        Ended = Ended || TransactionLostError
        while (queries.length)
          queries.shift().reject(new TransactionLostError())
        options.onfault && options.onfault(error)
        lose(error)
      }
    }
  }

  function move(c, queue) {
    c.queue.remove(c)
    queue.push(c)
    c.queue = queue
    queue === open
      ? c.idleTimer.start()
      : c.idleTimer.cancel()
    return c
  }

  function json(x) {
    return new Parameter(x, 3802)
  }

  // Postrider: the driver sends further statements behind one that is under way, and also `begin`. As the last that fits into the pipeline
  // of a connection, a transaction is opened there and abandoned: what others write there is not committed. So each statement, and each
  // transaction, has a connection to itself, and waits for one that is free.
  function handler(query) {
    if (ending)
      return query.reject(Errors.connection('CONNECTION_ENDED', options, options))

    open.length
      ? go(open.shift(), query)
      : closed.length
        ? connect(closed.shift(), query)
        : queries.push(query)
  }

  function go(c, query) {
    return c.execute(query)
      ? move(c, busy)
      : move(c, full)
  }

  async function end({ timeout = null } = {}) {
    if (ending)
      return ending

    await 1
    let timer
    return ending = Promise.race([
      new Promise(r => timeout !== null && (timer = setTimeout(destroy, timeout * 1000, r))),
      Promise.all(connections.map(c => c.end()).concat(
        listen.sql ? listen.sql.end({ timeout: 0 }) : []
      ))
    ]).then(() => clearTimeout(timer))
  }

  async function destroy(resolve) {
    await Promise.all(connections.map(c => c.terminate()))
    while (queries.length)
      queries.shift().reject(Errors.connection('CONNECTION_DESTROYED', options))
    resolve()
  }

  function connect(c, query) {
    move(c, connecting)
    c.connect(query)
    return c
  }

  function onend(c) {
    move(c, ended)
  }

  function onopen(c) {
    queries.length
      ? go(c, queries.shift())
      : move(c, open)
  }

  function onclose(c, e) {
    move(c, closed)
    c.reserved = null
    c.onclose && (c.onclose(e), c.onclose = null)
    options.onclose && options.onclose(c.id)
    queries.length && connect(c, queries.shift())
  }
}

function parseOptions(a, b) {
  if (a && a.shared)
    return a

  const env = process.env
      , o = (!a || typeof a === 'string' ? b : a) || {}
      , { url, multihost } = parseUrl(a)
      , query = [...url.searchParams].reduce((a, [b, c]) => (a[b] = c, a), {})
      , host = o.hostname || o.host || multihost || url.hostname || env.PGHOST || 'localhost'
      , port = o.port || url.port || env.PGPORT || 5432
      , user = o.user || o.username || url.username || env.PGUSERNAME || env.PGUSER || osUsername()

  query.sslmode && (query.ssl = query.sslmode, delete query.sslmode)
  query.sslrootcert === 'system' && (query.ssl = 'verify-full')

  const ints = ['idle_timeout', 'connect_timeout', 'max_lifetime', 'max_pipeline', 'backoff', 'keep_alive']
  const defaults = {
    max             : 10,
    ssl             : false,
    sslnegotiation  : null,
    idle_timeout    : null,
    connect_timeout : 30,
    max_lifetime    : max_lifetime,
    max_pipeline    : 100,
    backoff         : backoff,
    keep_alive      : 60,
    prepare         : true
  }

  return {
    host            : Array.isArray(host) ? host : host.split(',').map(x => x.split(':')[0]),
    port            : Array.isArray(port) ? port : host.split(',').map(x => parseInt(x.split(':')[1] || port)),
    path            : o.path || host.indexOf('/') > -1 && host + '/.s.PGSQL.' + port,
    database        : o.database || o.db || (url.pathname || '').slice(1) || env.PGDATABASE || user,
    user            : user,
    pass            : o.pass || o.password || url.password || env.PGPASSWORD || '',
    ...Object.entries(defaults).reduce(
      (acc, [k, d]) => {
        const value = k in o ? o[k] : k in query
          ? (query[k] === 'disable' || query[k] === 'false' ? false : query[k])
          : env['PG' + k.toUpperCase()] || d
        acc[k] = typeof value === 'string' && ints.includes(k)
          ? +value
          : value
        return acc
      },
      {}
    ),
    connection      : {
      application_name: env.PGAPPNAME || 'postgres.js',
      ...o.connection,
      ...Object.entries(query).reduce((acc, [k, v]) => (k in defaults || (acc[k] = v), acc), {})
    },
    onnotice        : o.onnotice,
    onnotify        : o.onnotify,
    onclose         : o.onclose,
    onfault         : o.onfault,
    debug           : o.debug,
    socket          : o.socket,
    shared          : { retries: 0 },
    ...mergeUserTypes(o.types)
  }
}

function backoff(retries) {
  return (0.5 + Math.random() / 2) * Math.min(3 ** retries / 100, 20)
}

function max_lifetime() {
  return 60 * (30 + Math.random() * 30)
}

function parseUrl(url) {
  if (!url || typeof url !== 'string')
    return { url: { searchParams: new Map() } }

  let host = url
  host = host.slice(host.indexOf('://') + 3).split(/[?/]/)[0]
  host = decodeURIComponent(host.slice(host.indexOf('@') + 1))

  const urlObj = new URL(url.replace(host, host.split(',')[0]))

  return {
    url: {
      username: decodeURIComponent(urlObj.username),
      password: decodeURIComponent(urlObj.password),
      host: urlObj.host,
      hostname: urlObj.hostname,
      port: urlObj.port,
      pathname: urlObj.pathname,
      searchParams: urlObj.searchParams
    },
    multihost: host.indexOf(',') > -1 && host
  }
}

function osUsername() {
  try {
    return os.userInfo().username
  } catch (_) {
    return process.env.USERNAME || process.env.USER || process.env.LOGNAME
  }
}
