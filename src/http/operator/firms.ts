import { listFromArray } from '../../store/list.js';
import { changeFirm, createFirm, type Firm, readFirm, readFirms } from '../../store/operator/firm.js';
import { notFound, Problem } from '../problem.js';
import { FirmAnswer } from './answers.js';
import { checkBody } from './check-body.js';
import {
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  takeIn,
} from './operator-route.js';
import { ChangeFirm, CreateFirm } from './schemas.js';

const tag = 'Firms';

export function makeFirmRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/firms',
      name: 'createFirm',
      tag,
      summary: 'Create a firm',
      body: { schema: CreateFirm, example: { firm: 'cmcc', name: 'China Mobile', prefixes: ['86134', '86139'] } },
      answer: { status: 201, schema: FirmAnswer, description: 'The firm.' },
      problems: ['already_exists'],
      handle: async (call) => {
        const { firm, name = firm, prefixes } = checkBody(CreateFirm, call.body, { defaults: true });
        const created = await createFirm(deps.sql, firm, { name, prefixes: withoutPlus(prefixes) });
        if (created === undefined) throw new Problem('already_exists', `There is a firm ${firm} already.`);
        await takeIn(deps);
        return renderFirm(created);
      },
    }),
    defineOperation({
      method: 'PATCH',
      path: '/firms/{firm}',
      name: 'changeFirm',
      tag,
      summary: 'Change a firm',
      body: { schema: ChangeFirm },
      answer: { status: 200, schema: FirmAnswer, description: 'The firm as it then is.' },
      handle: async (call) => {
        const firm = readParam(call, 'firm');
        if ((await readFirm(deps.sql, firm)) === undefined) throw notFound();
        const { name, prefixes } = checkBody(ChangeFirm, call.body, {
          defaults: false,
          refine: (body) =>
            body.firm === undefined || body.firm === firm
              ? []
              : [{ pointer: '/firm', code: 'out_of_range', message: 'a firm keeps its code for good' }],
        });
        const changed = await changeFirm(deps.sql, firm, {
          ...(name === undefined ? {} : { name }),
          ...(prefixes === undefined ? {} : { prefixes: withoutPlus(prefixes) }),
        });
        if (changed === undefined) throw notFound();
        await takeIn(deps);
        return renderFirm(changed);
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/firms/{firm}',
      name: 'getFirm',
      tag,
      summary: 'Show a firm',
      answer: { status: 200, schema: FirmAnswer, description: 'The firm.' },
      handle: async (call) => {
        const firm = await readFirm(deps.sql, readParam(call, 'firm'));
        if (firm === undefined) throw notFound();
        return renderFirm(firm);
      },
    }),
    defineList({
      path: '/firms',
      name: 'listFirms',
      item: FirmAnswer,
      tag,
      summary: 'List firms',
      list: { name: 'firms', timed: false, filters: {}, isKey: () => true },
      source: async () => listFromArray(await readFirms(deps.sql), (firm) => firm.firm),
      render: renderFirm,
    }),
  ];
}

/** Stored as numbers are: digits alone. */
function withoutPlus(prefixes: readonly string[]): string[] {
  return [...new Set(prefixes.map((prefix) => prefix.replace(/^\+/, '')))];
}

function renderFirm({ firm, name, prefixes, created_at, updated_at }: Firm) {
  return { firm, name, prefixes, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}
