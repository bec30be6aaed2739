// From what the operator's lists name to its page. Customers and channels go by the names that people gave them; the number is
// at hand.

import type { ReactElement, ReactNode } from 'react';
import { nameOf, useChannelNames, useCustomerNames } from '../../api/names.js';
import { RowLink } from '../../parts/tables/row-link.js';

const NONE = <span className="soft">–</span>;

export function CustomerLink({ customerNo }: { readonly customerNo: string | null }): ReactElement {
  const names = useCustomerNames();
  if (customerNo === null) return NONE;
  return (
    <RowLink to="/operator/customers" name={customerNo} title={customerNo}>
      {nameOf(names, customerNo) ?? customerNo}
    </RowLink>
  );
}

export function ChannelLink({ channelNo }: { readonly channelNo: string | null }): ReactElement {
  const names = useChannelNames();
  if (channelNo === null) return NONE;
  return (
    <RowLink to="/operator/channels" name={channelNo} title={channelNo}>
      {nameOf(names, channelNo) ?? channelNo}
    </RowLink>
  );
}

export function OperatorPhoneLink({ phone }: { readonly phone: string | null }): ReactElement {
  if (phone === null) return NONE;
  return (
    <RowLink to="/operator/numbers" name={phone} className="mono">
      {phone}
    </RowLink>
  );
}

interface OperatorTaskLinkProps {
  readonly taskNo: string | null;
  readonly children?: ReactNode;
}

export function OperatorTaskLink({ taskNo, children }: OperatorTaskLinkProps): ReactElement {
  if (taskNo === null) return NONE;
  return (
    <RowLink to="/operator/tasks" name={taskNo} className="mono">
      {children ?? taskNo}
    </RowLink>
  );
}

export function linkOperatorTask(taskNo: string): ReactElement {
  return <OperatorTaskLink taskNo={taskNo} />;
}

/** What an entry of the audit log is about, by the letter that its number begins with. */
export function SubjectLink({ subject }: { readonly subject: string }): ReactElement {
  if (/^C[0-9A-Z]{8,}$/.test(subject)) return <CustomerLink customerNo={subject} />;
  if (/^H[0-9A-Z]{8,}$/.test(subject)) return <ChannelLink channelNo={subject} />;
  if (/^T[0-9A-Z]{8,}$/.test(subject)) return <OperatorTaskLink taskNo={subject} />;
  if (/^\+\d{6,}$/.test(subject)) return <OperatorPhoneLink phone={subject} />;
  return <code title={subject}>{subject}</code>;
}
