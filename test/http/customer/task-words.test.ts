// Tasks by words anywhere in their title, template and values, a bounded number of tasks a page, and never by what is hidden.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_SEARCHED_TASKS } from '../../../src/store/lists/tasks-by-words.js';
import { credentialContext } from '../../../src/store/secrets/seal.js';
import { type HttpService, signHeaders, startHttpService, type TestCustomer } from '../../support/http-service.js';

const SEND = '/openapi/v1/messages/send/';
const TASKS = '/openapi/v1/messages/tasks/';

let service: HttpService;
let ann: TestCustomer;

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann', { templateBody: 'Dear {p1}, the sale begins.' });
  await service.change(async (sql, version) => {
    await sql`
      insert into template (template_no, customer_id, name, body, service_account_id, status, class, version)
      select 'M_code', customer_id, 'Login', 'Code {p1}', service_account_id, 'active', 'otp', ${version} from template`;
    await sql`
      insert into credential (api_key, customer_id, secret_sealed, ip_allow, scopes, status, version)
      values ('pk_masked', ${ann.customerId}, ${service.sealer.seal(ann.secret, credentialContext(ann.customerId, 'pk_masked'))},
        '{}', ${['read', 'masked']}, 'active', ${version})`;
  });
  const send = (title: string, template: string, p1: string) =>
    service.call(ann, SEND, {
      body: { template_no: template, phones: ['13800138001'], variable_values: { p1 }, title, auto_prepare: false },
    });
  await send('Spring offer', 'M_ann', 'Zoë "the best"');
  await send('100% cotton_shirts', 'M_ann', 'Bob');
  await send('Sign-in of 13912345678', 'M_code', '482913');
});
afterAll(() => service.stop());

async function titles(words: string, more = ''): Promise<string[]> {
  const { body } = await service.call(ann, `${TASKS}?words=${encodeURIComponent(words)}${more}`);
  return body.items.map(({ title }: { title: string }) => title);
}

describe('words', () => {
  it.each([
    ['OFFER', ['Spring offer']],
    ['100% cotton_', ['100% cotton_shirts']],
    ['100_', []],
    ['the sale', ['100% cotton_shirts', 'Spring offer']],
    ['login', ['Sign-in of 13912345678']],
    ['zoë "the', ['Spring offer']],
    ['482913', ['Sign-in of 13912345678']],
    ['nothing of the kind', []],
  ])('%s', async (words, expected) => {
    expect(await titles(words)).toEqual(expected);
  });

  it('narrow other filters down', async () => {
    expect(await titles('the sale', '&title=Spring')).toEqual(['Spring offer']);
    expect(await titles('the sale', '&stage=completed')).toEqual([]);
  });

  it('end a page after a number of tasks, and continue behind them', async () => {
    await service.sql`
      insert into task select (jsonb_populate_record(null::task, to_jsonb(t) || jsonb_build_object('task_id', t.task_id + i,
        'title', 'Filler', 'request_key', 'c:filler-' || i))).*
      from (select * from task order by task_id desc limit 1) as t, generate_series(1, ${MAX_SEARCHED_TASKS + 5}) as i`;
    const first = (await service.call(ann, `${TASKS}?words=spring`)).body;
    expect(first).toMatchObject({ items: [], total: 0, total_is_exact: false, next_cursor: expect.any(String) });
    const second = (await service.call(ann, `${TASKS}?words=spring&cursor=${first.next_cursor}`)).body;
    expect(second.items).toMatchObject([{ title: 'Spring offer' }]);
    expect(second.next_cursor).toBeNull();
    await service.sql`delete from task where title = 'Filler'`;
  });

  it('find nothing in what is masked, and each digit of a title whatever digit is asked for', async () => {
    const ask = async (words: string) => {
      const target = `${TASKS}?words=${encodeURIComponent(words)}`;
      const headers = signHeaders({ apiKey: 'pk_masked', secret: ann.secret }, { method: 'GET', target });
      const { statusCode, body } = await service.app.inject({ url: target, headers });
      return { statusCode, body: JSON.parse(body) };
    };
    expect((await ask('Spring')).body.items).toHaveLength(1);
    expect((await ask('Zoë')).body.items).toEqual([]);
    expect((await ask('482913')).body.items).toEqual((await ask('000000')).body.items);
    for (const digits of ['139', '138', '1390', '1391']) expect((await ask(`of ${digits}`)).body.items).toHaveLength(1);
    expect((await ask('000% cotton')).body.items).toHaveLength(1);
    expect((await ask('of １３９')).body.items).toHaveLength(1);
  });
});
