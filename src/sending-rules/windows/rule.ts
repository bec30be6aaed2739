// Sending windows that reject: by the time at which the task is sent, which is now or the time that it is scheduled for. Messages that
// wait for their window wait in the queue of the channel (`pipeline/channel/sending/send-queue.ts`).

import { sendingHoursAt } from '../../domain/rules/send-windows.js';
import type { Rule } from '../rule.js';

export const windows: Rule = {
  code: 'outside_window',
  load: ({ snapshot, now }) => {
    return ({ task: { customerId, templateId, sendAt } }) => {
      const sendWindows = snapshot().customer(customerId)?.sendWindows ?? [];
      const atMs = Math.max(now.getTime(), sendAt?.getTime() ?? 0);
      const { isOpen, outside } = sendingHoursAt(sendWindows, snapshot().classOf(templateId), atMs);
      return isOpen || outside === 'hold' ? undefined : () => true;
    };
  },
};
