// Signatures, filings and blocked words, from the operator's call to the text on the wire.

import { PostriderError } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function faultsOf(call: Promise<unknown>): Promise<string[]> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PostriderError)) throw new Error('the call was not refused');
  return [error.code, ...error.errors.map(({ pointer, code }) => `${pointer} ${code}`)];
}

async function receiptsOf(customer: ServiceCustomer, phones: readonly string[], variables?: readonly string[]) {
  const recipients = variables?.map((p1, index) => ({ phone: phones[index] ?? '', variable_values: { p1 } }));
  const request = recipients === undefined ? {} : { recipients };
  const { task_no: taskNo } = await (recipients === undefined
    ? customer.send(phones)
    : customer.client.send({
        template_no: customer.templateNo,
        ...request,
        recipients,
        auto_prepare: true,
        auto_freeze: true,
        auto_submit: true,
      }));
  await customer.completed(taskNo);
  const { items } = await customer.client.receipts({ taskNo }).page();
  return items.sort((one, other) => one.seq - other.seq);
}

describe('a signature', () => {
  it('is sent, counted and priced with the text', async () => {
    const customer = await service.addCustomer({ body: 'x'.repeat(65) });
    const { operator } = service;
    const plain = await customer.client.preview({ template_no: customer.templateNo, phones: ['13800138000'] });
    expect(plain.samples[0]).toMatchObject({ text: 'x'.repeat(65), parts: 1, encoding: 'gsm7' });
    await operator.updateServiceAccount(customer.customerNo, customer.serviceAccountNo, { signature: '快递通知' });
    const head = await customer.client.preview({ template_no: customer.templateNo, phones: ['13800138000'] });
    expect(head.samples[0]).toMatchObject({ text: `【快递通知】${'x'.repeat(65)}`, parts: 2, price: '0.100000' });
    const tail = { signature_position: 'tail' } as const;
    await operator.updateServiceAccount(customer.customerNo, customer.serviceAccountNo, tail);
    const end = await customer.client.preview({ template_no: customer.templateNo, phones: ['13800138000'] });
    expect(end.samples[0]?.text).toBe(`${'x'.repeat(65)}【快递通知】`);
    expect(await receiptsOf(customer, ['13800138000'])).toMatchObject([{ parts: 2, price: '0.100000' }]);
  });

  it('has 2 to 20 characters and no brackets', async () => {
    const customer = await service.addCustomer();
    const change = (signature: string) =>
      faultsOf(service.operator.updateServiceAccount(customer.customerNo, customer.serviceAccountNo, { signature }));
    expect(await change('a')).toEqual(['invalid_request', '/signature too_short']);
    expect(await change('a'.repeat(21))).toEqual(['invalid_request', '/signature too_long']);
    for (const wrong of ['【Acme】', '{p1}', '[Acme]', '(Acme)']) {
      expect([wrong, ...(await change(wrong))]).toEqual([wrong, 'invalid_request', '/signature format']);
    }
  });
});

describe('a channel that requires filing', () => {
  it('carries only what is filed with it; others are tried, else there is no route', async () => {
    const { operator } = service;
    const strict = await service.addChannel(['cmcc']);
    await operator.updateChannel(strict, { requires_filing: true });
    const customer = await service.addCustomer({ channelNos: [strict], signature: undefined } as never);
    const account = [customer.customerNo, customer.serviceAccountNo] as const;
    await operator.updateServiceAccount(...account, { signature: 'Acme' });
    expect(await receiptsOf(customer, ['13800138000'])).toMatchObject([{ result: 'rejected', code: 'no_route' }]);
    const reasonOf = async () => {
      const { channels, code } = await operator.explainRoute('13800138000', customer.templateNo);
      return [code, channels.find(({ channel_no }) => channel_no === strict)?.reason];
    };
    expect(await reasonOf()).toEqual(['no_route', 'not_filed']);
    await operator.setFiling(...account, { channel_no: strict });
    expect(await reasonOf()).toEqual(['no_route', 'filing_pending']);
    await operator.setFiling(...account, { channel_no: strict, status: 'filed' });
    expect(await reasonOf()).toEqual([null, null]);
    expect(await receiptsOf(customer, ['13800138000'])).toMatchObject([{ result: 'delivered' }]);
    await operator.updateServiceAccount(...account, { signature: 'Other' });
    expect(await reasonOf()).toEqual(['no_route', 'signature_changed']);
    await operator.grantChannel(customer.customerNo, service.channelNo);
    const [receipt] = await receiptsOf(customer, ['13800138000']);
    expect(receipt).toMatchObject({ result: 'delivered' });
    const { items } = await operator.filings(...account).page();
    expect(items).toMatchObject([{ channel_no: strict, status: 'filed', signature: 'Acme' }]);
  });
});

describe('the explanation of a route', () => {
  it('names the carriers of a number that no channel takes', async () => {
    const { operator } = service;
    const customer = await service.addCustomer();
    await operator.createFirm({ firm: 'remote', prefixes: ['86199'] });
    await operator.updateTemplate(customer.customerNo, customer.templateNo, { firms: ['remote'] });
    const explain = async (phone: string) => {
      const { code, firm, firms } = await operator.explainRoute(phone, customer.templateNo);
      return { code, firm, firms };
    };
    expect(await explain('19912345678')).toEqual({ code: 'no_route', firm: null, firms: ['remote', 'cmcc'] });
    expect(await explain('13800138000')).toEqual({ code: 'no_route', firm: null, firms: ['cmcc'] });
    expect(await explain('nonsense')).toEqual({ code: 'invalid_number', firm: null, firms: [] });
  });

  it('names the rule that rejects the number: an opt-out, a window, a blocked word, a cap', async () => {
    const { operator } = service;
    const customer = await service.addCustomer({ body: 'A raffle' });
    const codeOf = async () => (await operator.explainRoute('13800138000', customer.templateNo)).code;
    expect(await codeOf()).toBeNull();
    const caps = [{ class: null, scope: 'customer', count: 1, per: '1h' }] as const;
    await operator.updateCustomer(customer.customerNo, { caps: [...caps] });
    expect(await receiptsOf(customer, ['13800138000'])).toMatchObject([{ result: 'delivered' }]);
    expect(await codeOf()).toBe('frequency_capped');
    const { blocked_word_no } = await operator.addBlockedWords({ words: ['raffle'], customer_no: customer.customerNo });
    expect(await codeOf()).toBe('blocked_content');
    const nextDay = ((new Date().getUTCDay() + 1) % 7) + 1;
    const window = {
      class: 'notice',
      from: '00:00',
      to: '24:00',
      time_zone: 'UTC',
      days: [nextDay],
      outside: 'reject',
    };
    await operator.updateCustomer(customer.customerNo, { send_windows: [window as never] });
    expect(await codeOf()).toBe('outside_window');
    await operator.addOptOut(customer.customerNo, '13800138000');
    expect(await codeOf()).toBe('opted_out');
    await operator.removeBlockedWords(blocked_word_no);
  });
});

describe('blocked words', () => {
  it('reject the numbers whose text contains one, and name the word to the operator alone', async () => {
    const { operator } = service;
    const customer = await service.addCustomer({ body: 'Dear {p1}' });
    const { blocked_word_no, words } = await operator.addBlockedWords({ words: ['Lottery', '中奖'] });
    expect(words).toEqual(['Lottery', '中奖']);
    const recipients = ['Ann', 'L O T T E R Y winner', '您中 奖了'].map((p1, index) => ({
      phone: `1380013800${index}`,
      variable_values: { p1 },
    }));
    const preview = await customer.client.preview({ template_no: customer.templateNo, recipients });
    expect(preview.rejections.map(({ code }) => code)).toEqual(['blocked_content', 'blocked_content']);
    const phones = recipients.map(({ phone }) => phone);
    const receipts = await receiptsOf(
      customer,
      phones,
      recipients.map(({ variable_values }) => variable_values.p1),
    );
    expect(receipts.map(({ code }) => code)).toEqual([expect.anything(), 'blocked_content', 'blocked_content']);
    expect(JSON.stringify(receipts)).not.toMatch(/lottery|中奖/i);
    const taskNo = receipts[0]?.task_no;
    const hits = (await operator.blockedContent().page()).items.filter(({ task_no }) => task_no === taskNo);
    expect(hits.map(({ word, numbers }) => [word, numbers]).sort()).toEqual([
      ['Lottery', 1],
      ['中奖', 1],
    ]);
    await operator.removeBlockedWords(blocked_word_no);
    expect((await operator.blockedWords().page()).items).toEqual([]);
    const again = await customer.client.preview({ template_no: customer.templateNo, recipients });
    expect(again.rejected).toBe(0);
  });

  it('may be those of one customer', async () => {
    const { operator } = service;
    const [one, other] = [await service.addCustomer({ body: 'casino' }), await service.addCustomer({ body: 'casino' })];
    await operator.addBlockedWords({ words: ['casino'], customer_no: one.customerNo });
    expect(await receiptsOf(one, ['13800138000'])).toMatchObject([{ code: 'blocked_content', price: '0.000000' }]);
    expect(await receiptsOf(other, ['13800138000'])).toMatchObject([{ result: 'delivered' }]);
  });

  it('have two letters and a customer that exists', async () => {
    const wrong = { words: ['a', 'b '], customer_no: null };
    expect(await faultsOf(service.operator.addBlockedWords(wrong))).toEqual([
      'invalid_request',
      '/words/0 too_short',
      '/words/1 too_short',
    ]);
    expect(await faultsOf(service.operator.addBlockedWords({ words: ['ab'], customer_no: 'C0' }))).toEqual([
      'invalid_request',
      '/customer_no out_of_range',
    ]);
  });
});
