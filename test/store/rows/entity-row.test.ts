import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelFields } from '../../../src/domain/entities/channel.js';
import { CredentialFields } from '../../../src/domain/entities/credential.js';
import { CustomerFields } from '../../../src/domain/entities/customer.js';
import { toCode } from '../../../src/domain/entities/fields.js';
import { FirmFields } from '../../../src/domain/entities/firm.js';
import { RateFields } from '../../../src/domain/entities/rate.js';
import { ServiceAccountFields } from '../../../src/domain/entities/service-account.js';
import { StoredTemplateFields } from '../../../src/domain/entities/template.js';
import { checkFields } from '../../../src/domain/request/check-fields.js';
import { columnsOf, fieldsOf, insertOf, updateOf } from '../../../src/store/rows/entity-row.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const described = {
  firm: FirmFields,
  channel: ChannelFields,
  customer: CustomerFields,
  credential: CredentialFields,
  service_account: ServiceAccountFields,
  template: StoredTemplateFields,
  price: RateFields,
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function fill(given: object) {
  const checked = checkFields(CustomerFields, given, { defaults: true });
  if (checked.value === undefined) throw new Error(JSON.stringify(checked.faults));
  return checked.value;
}

describe('a described entity', () => {
  it.each(Object.entries(described))('%s has a column for every field', async (table, schema) => {
    const { sql } = database;
    await expect(sql`select ${columnsOf(sql, table, schema)} from ${sql(table)} limit 1`).resolves.toEqual([]);
  });

  it('comes back from its row as it was written, groups, amounts and all', async () => {
    const { sql } = database;
    const terms = fill({ name: 'Ann', unit_price: '0.05', policy: { submit: 'always' } });
    await sql`insert into customer ${insertOf(sql, CustomerFields, terms, { customer_no: 'C1', version: 1n })}`;
    const read = async () => {
      const [row] = await sql`select ${columnsOf(sql, 'customer', CustomerFields)} from customer`;
      return fieldsOf(CustomerFields, row ?? {});
    };
    expect(await read()).toEqual(terms);
    const changed = fill({ name: 'Bob', unit_price: '7', policy: { freeze: 'manual' }, refund_on_failure: true });
    await sql`update customer set ${updateOf(sql, CustomerFields, changed)}`;
    expect(await read()).toEqual(changed);
    expect(toCode(changed)).toMatchObject({ unitPrice: 7_000_000n, refundOnFailure: true, requestsPerSecond: 1000 });
  });
});
