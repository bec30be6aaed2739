import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createTask,
  json,
  page,
  problem,
  type Respond,
  type StubServer,
  startStubServer,
} from '../../packages/client/test/stub-server.js';
import { runCommandLine } from '../../src/cli/main.js';
import { listCommands } from '../../src/cli/parse.js';
import { commandGroups } from '../../src/cli/table-of-commands.js';
import { createTestTerminal, type TestTerminalOptions } from './capture.js';

let server: StubServer;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startStubServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-cli-'));
  env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: 'key', POSTRIDER_API_SECRET: 'secret' };
  return () => rm(folder, { recursive: true });
});

async function run(words: string, options: TestTerminalOptions = {}) {
  const terminal = createTestTerminal({ folder, env, ...options });
  const code = await runCommandLine(words === '' ? [] : words.split(' '), terminal);
  return { code, out: terminal.out.text, err: terminal.err.text };
}

const completed = (changes = {}) => {
  const task = createTask({
    stage: 'completed',
    counts: { total: 1, unsent: 0, rejected: 0, unknown: 0, awaiting: 0, delivered: 1, undelivered: 0, expired: 0 },
    ...changes,
  });
  return { ...task, amounts: { ...task.amounts, frozen: '0.050000', charged: '0.050000' } };
};
const receipt = {
  task_no: 'T-1',
  seq: 1,
  phone: '13800139001',
  result: 'delivered',
  code: 'DELIVRD',
  parts: 1,
  price: '0.050000',
  charged: '0.050000',
};

/** Answers by what is asked, for commands that ask several things at once. */
function route(answers: Record<string, Respond>): Respond {
  return (request, response) => {
    const key = Object.keys(answers).find((target) => request.target.startsWith(target));
    (answers[key ?? ''] ?? problem(404, 'not_found'))(request, response);
  };
}

test('every command has help that teaches, and every example is a command', async () => {
  const commands = listCommands(commandGroups);
  for (const command of commands) {
    const { code, out } = await run(`${command.path.join(' ')} --help`);
    expect(code).toBe(0);
    expect(out).toContain(`postrider ${command.path.join(' ')}`);
    // The first is of the command itself; another may show what comes next.
    const [first, ...others] = command.examples ?? [];
    if (first !== undefined) expect(first.command).toContain(`postrider ${command.path.join(' ')}`);
    for (const { command: example } of others) {
      expect(commands.filter(({ path }) => example.includes(`postrider ${path.join(' ')}`))).not.toEqual([]);
    }
  }
  expect(new Set(commands.map((command) => command.path.join(' '))).size).toBe(commands.length);
});

test('what is not understood is answered with what was probably meant', async () => {
  expect(await run('recipts')).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "receipts"?') });
  expect(await run('receipts --tsak 1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean --task?'),
  });
  expect(await run('tasks --sate completed')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean --stage?'),
  });
  for (const line of ['task list', 'task list --sate completed']) {
    expect(await run(line)).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean: postrider tasks') });
  }
  expect(await run('receipts --result lost')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--result takes delivered'),
  });
  expect(await run('task')).toMatchObject({ code: 2, err: expect.stringContaining('TASK is missing') });
  expect(await run('account extra')).toMatchObject({ code: 2, err: expect.stringContaining('one argument too many') });
  expect(await run('customer crate')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean: postrider customer create'),
  });
  expect(await run('task sumbit T-1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean: postrider task submit'),
  });
  expect(await run('task cancle')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean: postrider task cancel'),
  });
  server.script(json({ batch_id: 'cancle' }));
  expect(await run('batch cancle')).toMatchObject({ code: 0, out: expect.stringContaining('cancle') });
  expect(await run('account --url localhost:8080')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is no address'),
  });
  expect(await run('customer create')).toMatchObject({ code: 2, err: expect.stringContaining('--name is required') });
});

test('without credentials it says how to get some', async () => {
  const { code, err } = await run('account', { env: {} });
  expect(code).toBe(2);
  expect(err).toContain('npm start');
});

test('with nothing given, the demo that a first start leaves behind is used', async () => {
  const demo = {
    url: server.url,
    api_key: 'demo-key',
    api_secret: 's',
    customer_no: 'C',
    template_no: 'DEMO',
    service_account_no: 'S',
  };
  await writeFile(join(folder, 'demo.json'), JSON.stringify(demo));
  await writeFile(join(folder, 'operator-token'), 'tok\n');
  server.script(
    route({
      '/openapi/v1/messages/send/': json(completed()),
      '/openapi/v1/messages/receipts/': page([receipt]),
      '/operator/v1/customers': page([]),
    }),
  );
  const { code, out, err } = await run('send 13800139001 --var p1=Ann', { env: { POSTRIDER_DATA_DIR: folder } });
  expect(err).toContain('completed · 1 number: 1 delivered · charged 0.05 CNY');
  expect(out).toContain('13800139001  delivered');
  expect(code).toBe(0);
  expect(server.seen[0]?.headers['x-api-key']).toBe('demo-key');
  const body = JSON.parse(server.seen[0]?.body ?? '');
  expect(body).toMatchObject({
    template_no: 'DEMO',
    phones: ['13800139001'],
    variable_values: { p1: 'Ann' },
    auto_prepare: true,
    auto_freeze: true,
    auto_submit: true,
  });
  await run('customer list', { env: { POSTRIDER_DATA_DIR: folder } });
  expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer tok');
  // The demo's token belongs to the demo: another address does not get it.
  const elsewhere = await run('customer list --url http://127.0.0.1:9', { env: { POSTRIDER_DATA_DIR: folder } });
  expect(elsewhere.code).toBe(2);
});

test('a problem of the service is reported with its faults, its request id and what to do', async () => {
  const errors = [{ pointer: '/phones/0', code: 'type', message: 'must be a string' }];
  server.script(problem(409, 'idempotency_conflict', { detail: 'Used before.', errors }));
  const { code, err } = await run('send 1380 --template T --id order');
  expect(code).toBe(3);
  expect(err).toContain('409 idempotency_conflict: Used before.');
  expect(err).toContain('/phones/0: must be a string (type)');
  expect(err).toContain('request id req-1');
  expect(err).toContain('choose a new --id');
});

test('a variable that is missing is reported with the option that gives it', async () => {
  const fault = { pointer: '/variable_values', code: 'required', message: 'has no value for p1' };
  server.script(problem(400, 'invalid_request', { errors: [fault] }));
  const { code, err } = await run('send 13800139001 --template T');
  expect(code).toBe(3);
  expect(err).toContain('Variables come from --var p1=TEXT');
});

test('a month that there is not is a mistake of the command line', async () => {
  expect(await run('statement 2026-13')).toMatchObject({ code: 2, err: expect.stringContaining('is no month') });
});

test('a service that is not there is distinguished from one that refuses', async () => {
  server.script((_request, response) => response.end('<html>'));
  const { code, err } = await run('account');
  expect(code).toBe(4);
  expect(err).toContain('is it the address of Postrider?');
});

test('a service that is not running is reported at once, and waited for while one can end it', async () => {
  const gone = await startStubServer();
  await gone.stop();
  const controller = new AbortController();
  const terminal = createTestTerminal({ folder, env: { ...env, POSTRIDER_URL: gone.url }, signal: controller.signal });
  const write = terminal.err.write.bind(terminal.err);
  terminal.err.write = async (text) => {
    await write(text);
    controller.abort();
  };
  expect(await runCommandLine(['account'], terminal)).toBe(130);
  expect(terminal.err.text).toBe(
    `Nothing answers at ${gone.url}. Trying again for some seconds; Ctrl-C ends it.\nInterrupted.\n`,
  );
});

test('lists are tables for people, JSON lines and CSV for machines', async () => {
  const items = [{ ...receipt, description: 'He said "ok", twice', firm: null }];
  server.script(page(items, 'more'));
  const table = await run('receipts --task T-1 --limit 1');
  expect(table.out.split('\n')[1]).toMatch(/^13800139001 {2}delivered {2}DELIVRD {9}1 {2}0\.050000 {2}–/);
  expect(table.err).toContain('--all shows the rest');
  expect(server.seen[0]?.target).toContain('task_no=T-1&page_size=1');
  // The default limit is reported, a limit that was given is not.
  const twenty = Array.from({ length: 20 }, () => receipt);
  server.script(page(twenty, 'more'));
  expect((await run('receipts --json')).err).toContain('--all shows the rest');
  server.script(page(twenty, 'more'));
  expect((await run('receipts --json --limit 20')).err).toBe('');
  server.script(page(items));
  expect(JSON.parse((await run('receipts --json')).out)).toEqual(items[0]);
  const csv = await run('receipts --csv');
  expect(csv.out.split('\r\n')[0]).toBe(
    'task_no,client_request_id,seq,phone,firm,result,code,description,parts,price,charged,submitted_at,done_at,received_at',
  );
  expect(csv.out).toContain('"He said ""ok"", twice"');
  expect((await run('receipts --csv --json')).code).toBe(2);
});

test('what a handset wrote is neither a formula nor a command to the terminal', async () => {
  const uplink = {
    uplink_no: 'U-1',
    phone: '+8613800139001',
    content: '=HYPERLINK("http://x")\u001b]0;x\u0007\u009b2J\u202e',
  };
  server.script(page([uplink]), page([uplink]), page([uplink]));
  const csv = await run('uplinks --csv');
  expect(csv.out).toContain(`U-1,+8613800139001,,,"'=HYPERLINK(""http://x"")`);
  const json = await run('uplinks --json');
  expect(JSON.parse(json.out)).toEqual(uplink);
  for (const { out } of [csv, json, await run('uplinks')])
    expect(out).not.toMatch(/(?![\r\n])[\p{Cc}\p{Bidi_Control}]/u);
});

test('an empty CSV still has its header, and an empty table says so', async () => {
  server.script(page([]));
  expect((await run('uplinks --csv')).out).toBe(
    'uplink_no,phone,service_account_no,firm,content,task_no,received_at\r\n',
  );
  expect(await run('uplinks')).toMatchObject({ code: 0, out: '', err: 'No replies.\n' });
});

test('--all walks every page', async () => {
  server.script(page([{ seq: 1 }], 'c1'), page([{ seq: 2 }], 'c2'), page([{ seq: 3 }]));
  expect((await run('ledger --all --json')).out.trim().split('\n')).toHaveLength(3);
});

test('a CSV goes out in chunks, and the same file makes the same requests', async () => {
  const rows = ['phone,name,city', '13800139001,"Ann, A.",Bonn', '13800139002,Bob,', '13800139003,退,Rom'];
  await writeFile(join(folder, 'numbers.csv'), `\ufeff${rows.join('\r\n')}\r\n`);
  server.script(route({ '/openapi/v1/messages/send/': json(completed()) }));
  const command = 'send --file numbers.csv --template T --map name=p1 --ignore city --var p2=x --chunk 2 --no-wait';
  expect((await run(command)).code).toBe(0);
  const bodies = () => server.seen.flatMap(({ body }) => (body === '' ? [] : [body])).sort();
  const first = bodies().map((body) => JSON.parse(body));
  expect(first.flatMap((body) => body.recipients).sort((a, b) => a.phone.localeCompare(b.phone))).toEqual([
    { phone: '13800139001', variable_values: { p1: 'Ann, A.', p2: 'x' } },
    { phone: '13800139002', variable_values: { p1: 'Bob', p2: 'x' } },
    { phone: '13800139003', variable_values: { p1: '退', p2: 'x' } },
  ]);
  const sent = bodies();
  server.seen.length = 0;
  await run(command);
  expect(bodies()).toEqual(sent);
  server.seen.length = 0;
  await run(`${command} --again`);
  expect(bodies()).not.toEqual(sent);
});

test('a replay says that nothing was created', async () => {
  await writeFile(join(folder, 'numbers.txt'), '# friends, all of them\n13800139001\n\n+8613800139002\n');
  server.script(json(createTask(), { 'idempotent-replayed': 'true' }));
  const { err, code } = await run('send --file numbers.txt --template T --no-wait');
  expect(code).toBe(0);
  expect(err).toMatch(/^Nothing was sent: all of it had been accepted before \(.* UTC\)\. .* add --again/m);
  expect(JSON.parse(server.seen[0]?.body ?? '').phones).toEqual(['13800139001', '+8613800139002']);
});

test('mistakes in the input are found with their line', async () => {
  server.script(json(completed()));
  const send = (input: string) => run('send - --template T --no-wait', { input });
  expect((await send('phone,p1\n1,a,b\n')).err).toContain('Line 2 has 3 columns where 2 are expected');
  expect((await send('phone,city\n1,a\n')).err).toContain('--map city=p1');
  expect((await send('city,p1\nx,a\n')).err).toContain('no column is called "phone"');
  expect((await send('')).err).toContain('no numbers');
  expect(server.seen).toHaveLength(0);
  // The error comes first, and nothing is said about going on where nothing was accepted.
  expect((await run('send --file missing.csv --template T')).err).toBe('There is no file missing.csv.\n');
});

test('a CSV may have semicolons or tabs', async () => {
  server.script(json(completed()));
  const send = async (input: string) => {
    server.seen.length = 0;
    const { code, err } = await run('send - --template T --no-wait --json', { input });
    return code === 0 ? JSON.parse(server.seen[0]?.body ?? '').recipients : err;
  };
  const expected = [{ phone: '13800139001', variable_values: { p1: 'a, b' } }];
  expect(await send('phone;p1\n13800139001;a, b\n')).toEqual(expected);
  expect(await send('phone\tp1\n13800139001\ta, b\n')).toEqual(expected);
  expect(await send('13800139001;"a, b"\n')).toEqual(expected);
  expect(await send('phone,p1\n13800139001,"a, b"\n')).toEqual(expected);
  expect(await send('\n\nphone;p1\r\n13800139001;"a, b"')).toEqual(expected);
});

test('what is no list of numbers is refused with its line, and never sent as one', async () => {
  server.script(json(completed()));
  const refuse = async (words: string, input?: string) => {
    const { code, err } = await run(`${words} --template T --no-wait`, input === undefined ? {} : { input });
    expect(code).toBe(2);
    return err;
  };
  expect(await refuse('send -', 'Telefon;Name\n13800139001;Ann\n')).toContain(
    'Line 1: "Telefon;Name" is more than one',
  );
  expect(await refuse('send -', '13800139001\n13800139002;Bob\n')).toContain('Line 2: "13800139002;Bob"');
  expect(await refuse('send -', 'phone,p1\n1.38001E+10,Ann\n')).toMatch(/Line 2: "1.38001E\+10" .* digits are lost/);
  expect(await refuse('send -', '1,38001E+10;Ann\n')).toContain('1,38001E+10');
  for (const row of ['13800139001;13800139002', '13800139001,+86 138 0013 9002,\n', '13800139001\t13800139002\n']) {
    expect(await refuse('send -', row)).toContain('Line 1 has several numbers.\nGive one number a line.');
  }
  expect(await refuse('send 1.38001e10')).toContain('Format the column as text');
  expect(await refuse('send 13800139001,13800139002')).toContain('more than one number');
  expect(server.seen).toHaveLength(0);
});

test('a variable that is given twice is refused', async () => {
  server.script(json(completed()));
  const send = async (words: string, input?: string) =>
    (await run(`send ${words} --template T --no-wait`, input === undefined ? {} : { input })).err;
  expect(await send('13800139001 --var p1=a --var p1=b')).toContain('--var p1 was given twice');
  expect(await send('- --map name=p1', 'phone,p1,name\n1380,a,b\n')).toContain('Two columns are p1');
  expect(await send('- --map name=p1 --map name=p2', 'phone,name\n')).toContain('--map name was given twice');
  expect(server.seen).toHaveLength(0);
});

test('receipts of a batch are those of all its tasks, and tasks can be named one by one', async () => {
  server.script(
    route({
      '/openapi/v1/messages/receipts/?batch_id=may&': page([receipt, { ...receipt, phone: '2' }]),
      '/openapi/v1/messages/receipts/?task_no=A&': page([{ ...receipt, phone: 'a' }]),
      '/openapi/v1/messages/receipts/?task_no=B&': page([{ ...receipt, phone: 'b' }]),
    }),
  );
  const phones = async (words: string) =>
    (await run(`${words} --all --json`)).out.match(/"phone":"\w+"/g)?.map((match) => match.slice(9, -1));
  expect(await phones('receipts --batch may')).toEqual(['13800139001', '2']);
  expect(await phones('receipts --task A --task B')).toEqual(['a', 'b']);
  const limited = await run('receipts --task A --task B --limit 1');
  expect(limited.err).toContain('1 of more than 1 receipts; --all shows the rest');
});

test('receipts of one request say when it is not the whole send', async () => {
  const answers = {
    '/openapi/v1/messages/receipts/': page([receipt]),
    '/openapi/v1/messages/tasks/?client_request_id=may': page([createTask({ batch_id: 'may' })]),
    '/openapi/v1/messages/tasks/?client_request_id=alone': page([createTask({ batch_id: null })]),
  };
  const say = async (requestId: string, tasks: number) => {
    server.script(route({ ...answers, '/openapi/v1/messages/batches/may/': json({ batch_id: 'may', tasks }) }));
    return (await run(`receipts --request-id ${requestId}`)).err;
  };
  expect(await say('may', 3)).toContain('one request of a batch of 3. All of them: postrider receipts --batch may\n');
  expect(await say('may', 1)).not.toContain('batch');
  expect(await say('alone', 3)).not.toContain('batch');
});

test('a folder or file that cannot be used is reported in a sentence', async () => {
  await writeFile(join(folder, 'file'), '');
  const options = { env: { XDG_CONFIG_HOME: join(folder, 'file') }, input: 'secret\n' };
  const add = await run('profile add prod --url http://127.0.0.1:9 --api-key k', options);
  expect(add).toMatchObject({ code: 1, err: expect.stringMatching(/cannot be .*: a part of the path is a file/) });
  const token = await run(`profile add prod --url http://127.0.0.1:9 --operator-token-file ${folder}/none`);
  expect(token).toMatchObject({ code: 1, err: expect.stringContaining('none cannot be opened: it does not exist.') });
});

test('settings of the service that are wrong are a usage error of a command that reads them', async () => {
  expect(await run('audit', { env: { POSTRIDER_PORT: 'x' } })).toMatchObject({
    code: 2,
    err: expect.stringContaining('POSTRIDER_PORT must be a whole number'),
  });
});

test('without credentials it says where it looked', async () => {
  const { err } = await run('account', { env: {} });
  expect(err).toContain(`no profile in ${join(folder, '.config/postrider/profiles.json')}`);
  expect(err).toContain(`no service in ${join(folder, 'data')}`);
});

test('numbers typed by hand are a new message each time, unless an id says otherwise', async () => {
  server.script(json(createTask()));
  const ids = () => server.seen.map((seen) => JSON.parse(seen.body).client_request_id);
  await run('send 13800139001 --template T --no-wait');
  await run('send 13800139001 --template T --no-wait');
  await run('send 13800139001 --template T --no-wait --id order-1');
  expect(ids()[0]).not.toBe(ids()[1]);
  expect(ids()[2]).toBe('order-1');
});

test('a send follows its task to the end and tells machines how it went', async () => {
  const ended = completed({ counts: { ...createTask().counts, unsent: 0, undelivered: 1 } });
  server.script(json(createTask()), json(createTask({ stage: 'waiting_receipt' })), json(ended));
  const { code, out, err } = await run('send 13800139002 --template T --json');
  expect(code).toBe(5);
  expect(JSON.parse(out)).toMatchObject({ task_no: 'T-1', stage: 'completed' });
  expect(err).toContain('1 undelivered');
});

test('Ctrl-C while waiting ends at once, and says that what was accepted goes on', async () => {
  const controller = new AbortController();
  server.script(json(createTask()), (request, response) => {
    json(createTask())(request, response);
    controller.abort();
  });
  const { code, err } = await run('send 13800139002 --template T --id x', { signal: controller.signal });
  expect(code).toBe(130);
  expect(err).toContain(
    'Everything was accepted and continues automatically. Go on watching: postrider task T-1 --follow',
  );
});

test('an adjustment may be negative', async () => {
  server.script(json({ ledger_no: 'L-1', seq: 1 }));
  env = { POSTRIDER_URL: server.url, POSTRIDER_OPERATOR_TOKEN: 'tok' };
  expect((await run('adjustment C-1 -5.00 --remark oops')).code).toBe(0);
  expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ amount: '-5.00', remark: 'oops' });
});

test('options of a change become the fields that were given, and no others', async () => {
  server.script(json({ customer_no: 'C-1' }));
  env = { POSTRIDER_URL: server.url, POSTRIDER_OPERATOR_TOKEN: 'tok' };
  await run('customer update C-1 --submit manual --freeze always --no-refund-on-failure --requests-per-second 5');
  expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
    policy: { submit: 'manual', freeze: 'always' },
    refund_on_failure: false,
    requests_per_second: 5,
  });
});

test('profiles are kept for their owner alone, and used by name', async () => {
  const options = { env: {}, input: 'the-secret\n' };
  expect((await run(`profile add prod --url ${server.url} --api-key prod-key`, options)).code).toBe(0);
  const path = join(folder, '.config/postrider/profiles.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await run('profile add other --url http://127.0.0.1:9 --api-key other-key', options);
  // Keeping one is not using it.
  const unused = await run('profile list', { env: {} });
  expect(unused.out).not.toContain('*');
  expect(unused.err).toContain('As a customer: no credentials were found');
  expect((await run('account', { env: {} })).err).toContain('kept are prod, other');
  expect((await run('profile use prod', { env: {} })).code).toBe(0);
  const listed = await run('profile list', { env: {} });
  expect(listed.out).toContain('* prod');
  expect(listed.err).toContain('As an operator: profile "prod", ');
  expect(listed.err).toContain('which has not got an operator token');
  expect(listed.out).not.toContain('the-secret');
  // What the environment decides is what is shown.
  expect((await run('profile list', { env: { POSTRIDER_PROFILE: 'other' } })).out).toContain('* other');
  expect((await run('profile list')).out).not.toContain('*');
  server.script(json({ currency: 'CNY' }));
  await run('account', { env: {} });
  expect(server.seen[0]?.headers['x-api-key']).toBe('prod-key');
  expect((await run('account', { env: { POSTRIDER_PROFILE: 'none' } })).err).toContain('Known: prod, other');
});

test('completion offers the commands, their options and the values of those', async () => {
  const { out } = await run('completion bash');
  const complete = (words: string[]) => {
    const script = `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}\n_postrider; echo "\${COMPREPLY[*]}"`;
    return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split(' ');
  };
  expect(complete(['postrider', 'rece'])).toEqual(['receipts']);
  expect(complete(['postrider', 'task', ''])).toEqual(expect.arrayContaining(['prepare', 'resolve', '--follow']));
  expect(complete(['postrider', 'task', 'T-1', '--fo'])).toEqual(['--follow']);
  expect(complete(['postrider', 'receipts', '--result', 'un'])).toEqual(['undelivered']);
  expect(complete(['postrider', 'customer', 'c'])).toEqual(['create']);
});
