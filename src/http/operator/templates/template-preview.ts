// Previews a template before it is stored, by the rules that prepare a task.

import { Type } from '@sinclair/typebox';
import { TemplateDraftFields } from '../../../domain/entities/template.js';
import type { Fault } from '../../../domain/fault/fault.js';
import { splitIntoParts } from '../../../domain/message/parts.js';
import { checkTemplateBody, draftText, parseTemplate } from '../../../domain/message/template.js';
import { readVariables } from '../../../domain/request/variables.js';
import { checkBody } from '../../body/check-body.js';
import { oneOf } from '../../query/list-query.js';
import { answerOf } from '../../resources/entity-answers.js';
import { defineOperation, type OperatorRoute } from '../operator-route.js';

const TemplatePreviewAnswer = answerOf('TemplatePreview', {
  text: Type.String({ description: 'With the values in their places.' }),
  encoding: oneOf(
    ['gsm7', 'ucs2'],
    'The alphabet on a channel that carries the GSM alphabet: 160 or 70 characters fit one segment, 153 or 67 each of several. Channels that carry ASCII instead cut at 140 and 134.',
  ),
  parts: Type.Array(Type.String(), { description: 'The text as it is cut; each is priced.' }),
  variables: Type.Array(Type.String(), { description: 'Those that the text has.' }),
});

export function createTemplatePreviewRoute(): OperatorRoute {
  return defineOperation({
    method: 'POST',
    path: '/templates/preview',
    name: 'previewTemplate',
    permission: 'read',
    tag: 'Templates',
    summary: 'Show what a text would look like on a handset',
    description: 'Stores nothing. Cut into segments by the same rules as a message.',
    body: { schema: TemplateDraftFields, example: { body: 'Hello {p1}', variable_values: { p1: 'Ann' } } },
    answer: { status: 200, schema: TemplatePreviewAnswer, description: 'The text and its segments.' },
    handle: async (call) => {
      const draft = checkBody(TemplateDraftFields, call.body, { defaults: true, refine: checkDraft });
      const template = parseTemplate(draft.body);
      const text = draftText(template, readVariables(draft.variable_values, '/variable_values', []));
      return { text, ...splitIntoParts(text, 'gsm7'), variables: template.used };
    },
  });
}

interface Draft {
  readonly body?: string | undefined;
  readonly variable_values?: unknown;
}

function checkDraft({ body, variable_values: values }: Draft): Fault[] {
  const faults = body === undefined ? [] : checkTemplateBody(body);
  if (values !== undefined) readVariables(values, '/variable_values', faults);
  return faults;
}
