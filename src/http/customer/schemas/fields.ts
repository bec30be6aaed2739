// Fields that answers of the customer API have in common.

import { Type } from '@sinclair/typebox';

export const Amount = (description?: string) =>
  Type.String({ pattern: '^-?\\d+\\.\\d{6}$', examples: ['0.150000'], ...(description && { description }) });
export const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });
export const Position = () => Type.Integer({ minimum: 1, description: 'Position of the number in the request.' });
export const Phone = Type.String({ description: 'As the customer wrote it.' });
