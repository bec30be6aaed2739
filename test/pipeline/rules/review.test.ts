// Templates that customers submit are sent when an operator has approved them; tasks keep the text that they were accepted with.

import { type ErrorCode, PostriderClient, PostriderError } from '@postrider/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../../support/network/receiver.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => service.stop());

const PHONE = '13910000001';
/** More than one part, so that receipts say which text was sent. */
const LONG = `Long ${'x'.repeat(300)}`;

const draft = (customer: ServiceCustomer, more: object = {}) => ({
  name: 'Shipped',
  body: 'On its way',
  service_account_no: customer.serviceAccountNo,
  ...more,
});

async function refusal(call: Promise<unknown>): Promise<{ status: number; code: ErrorCode }> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PostriderError)) return expect.fail(`no problem but ${error}`);
  return { status: error.status, code: error.code as ErrorCode };
}

async function waiting(customer: ServiceCustomer) {
  return (await service.operator.reviews({ customerNo: customer.customerNo }).page()).items;
}

const UNAVAILABLE = { status: 422, code: 'template_unavailable' };

test('a submitted template waits for its review, and the customer hears of the decision', async () => {
  const ann = await service.addCustomer();
  const receiver = await startReceiver();
  try {
    await ann.client.createWebhook({ url: receiver.url, events: ['template.reviewed'] });
    const one = await ann.client.submitTemplate(draft(ann, { class: 'otp', body: 'Code {p1}' }));
    const two = await ann.client.submitTemplate(draft(ann));
    expect(one).toMatchObject({ status: 'pending', class: 'otp', revision: 1, reason: null, reviewed_at: null });
    expect(await refusal(ann.send([PHONE], { template_no: two.template_no }))).toEqual(UNAVAILABLE);
    const preview = ann.client.preview({ template_no: two.template_no, phones: [PHONE] });
    expect(await refusal(preview)).toEqual(UNAVAILABLE);

    const [first, second] = await waiting(ann);
    expect([first?.template_no, second?.template_no]).toEqual([one.template_no, two.template_no]);
    expect(first).toMatchObject({
      customer_no: ann.customerNo,
      sender: ann.sender,
      example: { text: 'Code 123456', encoding: 'gsm7', parts: 1 },
      approved_body: null,
      decisions: [],
    });

    const reviewOf = (templateNo: string, decision: 'approved' | 'rejected', reason?: string) =>
      service.operator.reviewTemplate(ann.customerNo, templateNo, { decision, reason: reason ?? null, revision: 1 });
    expect(await reviewOf(one.template_no, 'rejected', 'Name your shop.')).toMatchObject({ status: 'rejected' });
    expect(await reviewOf(two.template_no, 'approved')).toMatchObject({ status: 'active', reason: null });
    // The same decision again is no second one, and another one does not undo it.
    expect(await reviewOf(two.template_no, 'approved')).toMatchObject({ status: 'active' });
    expect(await refusal(reviewOf(two.template_no, 'rejected'))).toEqual({ status: 409, code: 'invalid_stage' });

    expect(await ann.client.template(one.template_no)).toMatchObject({ status: 'rejected', reason: 'Name your shop.' });
    const pending = await ann.client.templates({ status: 'pending' }).page();
    const rejected = await ann.client.templates({ status: 'rejected' }).page();
    expect([pending.items.length, rejected.items.map(({ template_no }) => template_no)]).toEqual([
      0,
      [one.template_no],
    ]);
    expect(await refusal(ann.send([PHONE], { template_no: one.template_no }))).toEqual(UNAVAILABLE);
    const { task_no } = await ann.send([PHONE], { template_no: two.template_no });
    expect((await ann.completed(task_no)).counts.delivered).toBe(1);

    await until(async () => receiver.accepted.length >= 2);
    const pushed = receiver.accepted;
    expect(pushed.map(({ type, data }) => [type, data.template_no, data.decision, data.status, data.reason])).toEqual([
      ['template.reviewed', one.template_no, 'rejected', 'rejected', 'Name your shop.'],
      ['template.reviewed', two.template_no, 'approved', 'active', null],
    ]);
  } finally {
    await receiver.kill();
  }
});

test('another text is reviewed again, while tasks keep the text that they were accepted with', async () => {
  const ann = await service.addCustomer();
  const { template_no } = await ann.client.submitTemplate(draft(ann));
  await service.operator.reviewTemplate(ann.customerNo, template_no, { decision: 'approved' });
  const unprepared = { template_no, auto_prepare: false, auto_freeze: false, auto_submit: false };
  const before = await ann.send([PHONE], unprepared);
  const changed = await ann.client.updateTemplate(template_no, { body: LONG });
  expect(changed).toMatchObject({ status: 'pending', revision: 2, reviewed_at: null });
  expect(await refusal(ann.send([PHONE], { template_no }))).toEqual(UNAVAILABLE);

  // Prepared while its template waits, and while its template is rejected: the text was approved.
  await ann.client.prepareTask(before.task_no);
  await ann.taskWhen(before.task_no, ({ stage }) => stage === 'prepared');
  const [review] = await waiting(ann);
  expect(review).toMatchObject({
    body: LONG,
    approved_body: 'On its way',
    revision: 2,
    decisions: [{ decision: 'approved', body: 'On its way', revision: 1, reviewed_by: 'root' }],
  });
  await service.operator.reviewTemplate(ann.customerNo, template_no, { decision: 'rejected', reason: 'Too long' });
  await ann.client.freezeTask(before.task_no);
  await ann.client.submitTask(before.task_no);
  await ann.completed(before.task_no);
  const [receipt] = (await ann.client.receipts({ taskNo: before.task_no }).page()).items;
  expect([receipt?.result, receipt?.parts]).toEqual(['delivered', 1]);

  // Rejected, changed and approved: the new text goes out.
  const better = `Better ${'y'.repeat(200)}`;
  await ann.client.updateTemplate(template_no, { body: better });
  const [again] = await waiting(ann);
  expect([again?.approved_body, again?.decisions.map(({ decision }) => decision)]).toEqual([
    'On its way',
    ['rejected', 'approved'],
  ]);
  await service.operator.reviewTemplate(ann.customerNo, template_no, { decision: 'approved', revision: 3 });
  const { task_no } = await ann.send([PHONE], { template_no });
  await ann.completed(task_no);
  expect((await ann.client.receipts({ taskNo: task_no }).page()).items[0]?.parts).toBe(2);
});

test('a decision on a text that has changed since is refused', async () => {
  const ann = await service.addCustomer();
  const { template_no } = await ann.client.submitTemplate(draft(ann));
  await ann.client.updateTemplate(template_no, { body: 'Something else' });
  const stale = service.operator.reviewTemplate(ann.customerNo, template_no, { decision: 'approved', revision: 1 });
  expect(await refusal(stale)).toEqual({ status: 409, code: 'invalid_stage' });
  expect((await ann.client.template(template_no)).status).toBe('pending');
});

test('templates of operators stay active, those of customers return to review after any change of the text', async () => {
  const ann = await service.addCustomer();
  const change = (templateNo: string, body: string) =>
    service.operator.updateTemplate(ann.customerNo, templateNo, { body });
  expect(await change(ann.templateNo, 'Other words')).toMatchObject({ status: 'active', revision: 2 });
  const { template_no } = await ann.client.submitTemplate(draft(ann));
  await service.operator.reviewTemplate(ann.customerNo, template_no, { decision: 'approved' });
  expect((await service.operator.updateTemplate(ann.customerNo, template_no, { class: 'otp' })).status).toBe('active');
  expect((await change(template_no, 'Other words')).status).toBe('pending');
  // A status by the operator stands above the review, and takes nothing of it away.
  const setStatus = async (status: 'active' | 'disabled') =>
    (await service.operator.updateTemplate(ann.customerNo, template_no, { status })).status;
  expect([await setStatus('disabled'), await waiting(ann), await setStatus('active')]).toEqual([
    'disabled',
    [],
    'pending',
  ]);
  // The customer's own change of a template that an operator made is reviewed, too; a name is not.
  expect((await ann.client.updateTemplate(ann.templateNo, { name: 'Renamed' })).status).toBe('active');
  expect((await ann.client.updateTemplate(ann.templateNo, { body: 'Mine' })).status).toBe('pending');
  expect(await refusal(ann.send([PHONE]))).toEqual(UNAVAILABLE);
});

test('the same submission again is the one that waits, and no more than a hundred wait', async () => {
  const ann = await service.addCustomer();
  const same = await Promise.all(Array.from({ length: 10 }, () => ann.client.submitTemplate(draft(ann))));
  expect(new Set(same.map(({ template_no }) => template_no)).size).toBe(1);
  await service.sql`
    insert into template (template_no, customer_id, name, body, service_account_id, status, version, review, submission_id)
    select template_no || n, customer_id, name || n, body, service_account_id, status, 0, review, submission_id + n
    from template cross join generate_series(1, 99) as n where template_no = ${same[0]?.template_no ?? ''}`;
  const tooMany = { status: 400, code: 'invalid_request' };
  expect(await refusal(ann.client.submitTemplate(draft(ann, { body: 'One more' })))).toEqual(tooMany);
  expect(await refusal(ann.client.updateTemplate(ann.templateNo, { body: 'One more' }))).toEqual(tooMany);
  expect((await ann.client.submitTemplate(draft(ann))).template_no).toBe(same[0]?.template_no);
});

test('what waits for review costs other nodes nothing: the configuration has no new version', async () => {
  const ann = await service.addCustomer();
  const readVersion = async () => (await service.sql`select version from config_version`)[0]?.version;
  const before = await readVersion();
  const { template_no } = await ann.client.submitTemplate(draft(ann));
  for (const body of ['One', 'Two', 'Three']) await ann.client.updateTemplate(template_no, { body });
  expect(await readVersion()).toBe(before);
});

test('bad submissions are refused with all faults at once, and belong to their customer alone', async () => {
  const [ann, bob] = [await service.addCustomer(), await service.addCustomer()];
  const faultsOf = async (body: object) => {
    const error = await ann.client.submitTemplate(body as never).catch((thrown: unknown) => thrown);
    if (!(error instanceof PostriderError)) return expect.fail(`no problem but ${error}`);
    return error.errors.map(({ pointer, code }) => `${pointer} ${code}`).sort();
  };
  expect(await faultsOf({ body: 'Hello {p19}', class: 'sms', status: 'active', firms: [] })).toEqual([
    '/body unknown_variable',
    '/class out_of_range',
    '/firms too_few',
    '/name required',
    '/service_account_no required',
    '/status unknown_field',
  ]);
  const submit = (more: object) => refusal(ann.client.submitTemplate(draft(ann, more)));
  expect((await submit({ service_account_no: bob.serviceAccountNo })).code).toBe('service_account_unavailable');
  expect((await submit({ firms: ['nobody'] })).code).toBe('firm_unavailable');
  const notFound = { status: 404, code: 'not_found' };
  expect(await refusal(bob.client.template(ann.templateNo))).toEqual(notFound);
  expect(await refusal(bob.client.updateTemplate(ann.templateNo, { body: 'x' }))).toEqual(notFound);
  const wrongOwner = service.operator.reviewTemplate(bob.customerNo, ann.templateNo, { decision: 'approved' });
  expect(await refusal(wrongOwner)).toEqual(notFound);
  // Nothing waits: the template is the operator's own.
  const own = service.operator.reviewTemplate(ann.customerNo, ann.templateNo, { decision: 'rejected' });
  expect(await refusal(own)).toEqual({ status: 409, code: 'invalid_stage' });
  const { api_key, api_secret } = await service.operator.createCredential(ann.customerNo, { scopes: ['read'] });
  const reader = new PostriderClient({ baseUrl: service.url, apiKey: api_key, apiSecret: api_secret });
  expect(await refusal(reader.submitTemplate(draft(ann)))).toEqual({ status: 403, code: 'not_permitted' });
});

test('the audit log has what was submitted and decided', async () => {
  const ann = await service.addCustomer();
  const { template_no } = await ann.client.submitTemplate(draft(ann));
  await ann.client.updateTemplate(template_no, { body: 'Changed' });
  await service.operator.reviewTemplate(ann.customerNo, template_no, { decision: 'rejected', reason: 'No' });
  const { items } = await service.operator.auditLog({ subject: ann.customerNo }).page();
  const entries = items.filter(({ action }) => action.startsWith('template.')).slice(0, 3);
  expect(entries.map(({ action, actor }) => [action, actor.startsWith('key ')])).toEqual([
    ['template.review', false],
    ['template.change', true],
    ['template.submit', true],
  ]);
  expect(entries[0]?.change).toMatchObject({ template_no, revision: 2, decision: 'rejected', reason: 'No' });
});
