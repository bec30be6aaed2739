import { FirmChanges, FirmFields } from '../../../domain/entities/firm.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault, type Fault, joinPointer } from '../../../domain/fault/fault.js';
import { addCountryCode } from '../../../domain/phone/national-prefix.js';
import type { Region } from '../../../domain/phone/phone.js';
import { toPlain } from '../../../domain/plain.js';
import { listFromArray } from '../../../store/list.js';
import { changeFirm, createFirm, readFirm, readFirms } from '../../../store/operator/firm.js';
import { checkBody } from '../../body/check-body.js';
import { notFound, Problem } from '../../problem/problem.js';
import { FirmAnswer } from '../answers.js';
import {
  defineChange,
  defineShowAndList,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
} from '../operator-route.js';

const tag = 'Firms';

export function createFirmRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineChange(deps, {
      method: 'POST',
      path: '/firms',
      name: 'createFirm',
      tag,
      summary: 'Create a carrier',
      body: { schema: FirmFields, example: { firm: 'cmcc', name: 'China Mobile', prefixes: ['86134', '86139'] } },
      answer: { status: 201, schema: FirmAnswer, description: 'The carrier.' },
      problems: ['already_exists'],
      change: async (call, context) => {
        const {
          firm,
          name = firm,
          prefixes,
        } = checkBody(FirmFields, call.body, {
          defaults: true,
          refine: (body) => checkPrefixes(body.prefixes, deps.defaultRegion),
        });
        const created = await createFirm(context, { firm, name, prefixes: withoutPlus(prefixes) });
        if (created === undefined) throw new Problem('already_exists', errorText('firm_exists', { firm }));
        return toPlain(created);
      },
    }),
    defineChange(deps, {
      method: 'PATCH',
      path: '/firms/{firm}',
      name: 'changeFirm',
      tag,
      summary: 'Change a carrier',
      body: { schema: FirmChanges },
      answer: { status: 200, schema: FirmAnswer, description: 'The carrier as it then is.' },
      change: async (call, context) => {
        const firm = readParam(call, 'firm');
        if ((await readFirm(deps.sql, firm)) === undefined) throw notFound();
        const { name, prefixes } = checkBody(FirmChanges, call.body, {
          defaults: false,
          refine: (body) => [
            ...(body.firm === undefined || body.firm === firm
              ? []
              : [createFault('/firm', 'out_of_range', errorText('firm_code_fixed'))]),
            ...checkPrefixes(body.prefixes, deps.defaultRegion),
          ],
        });
        return changeFirm(context, firm, {
          ...(name === undefined ? {} : { name }),
          ...(prefixes === undefined ? {} : { prefixes: withoutPlus(prefixes) }),
        });
      },
      render: toPlain,
    }),
    ...defineShowAndList({
      tag,
      path: '/firms',
      key: 'firm',
      item: FirmAnswer,
      render: toPlain,
      show: {
        name: 'getFirm',
        summary: 'Show a carrier',
        answer: 'The carrier.',
        find: (_, firm) => readFirm(deps.sql, firm),
      },
      list: {
        name: 'listFirms',
        summary: 'List carriers',
        definition: { name: 'firms', timed: false, filters: {}, isKey: () => true },
        source: async () => listFromArray(await readFirms(deps.sql), (firm) => firm.firm),
      },
    }),
  ];
}

/** One without a country code would match no number, and all numbers of the firm would have no route. */
function checkPrefixes(prefixes: readonly string[] = [], region: Region): Fault[] {
  return prefixes.flatMap((prefix, at) => {
    const suggestion = addCountryCode(prefix, region);
    if (suggestion === undefined) return [];
    const text = errorText('prefix_without_country_code', { suggestion, prefix });
    return [createFault(joinPointer('/prefixes', at), 'out_of_range', text)];
  });
}

/** Stored as numbers are: digits alone. */
function withoutPlus(prefixes: readonly string[]): string[] {
  return [...new Set(prefixes.map((prefix) => prefix.replace(/^\+/, '')))];
}
