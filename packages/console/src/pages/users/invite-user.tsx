// The form that invites a user, and what the calls on users look like on either side.

import type { ReactElement } from 'react';
import { FormDialog } from '../../parts/forms/form-dialog.js';
import { sayValue, useWords } from '../../words/say.js';

export interface ConsoleUser<Role extends string> {
  readonly user_no: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly status: 'active' | 'disabled';
  readonly accepted_at: string | null;
  readonly invitation_expires_at: string | null;
  readonly last_signed_in_at: string | null;
}

export interface Invited {
  readonly name: string;
  readonly invitation_url: string;
}

export interface PasswordReset {
  readonly name: string;
  readonly password_reset_url: string;
}

export interface UserActions<Role extends string> {
  create(body: { readonly email: string; readonly name: string; readonly role: Role }): Promise<Invited>;
  invite(userNo: string): Promise<Invited>;
  resetPassword(userNo: string): Promise<PasswordReset>;
  update(userNo: string, change: { readonly role?: Role; readonly status?: 'active' | 'disabled' }): Promise<unknown>;
  remove(userNo: string): Promise<unknown>;
}

interface UserInvitationProps<Role extends string> {
  readonly roles: readonly Role[];
  /** The role that the form begins with. */
  readonly proposed: Role | undefined;
  readonly actions: UserActions<Role>;
  readonly onInvited: (invited: Invited) => void;
}

export function UserInvitation<Role extends string>(props: UserInvitationProps<Role>): ReactElement {
  const { roles, proposed, actions, onInvited } = props;
  const say = useWords();
  const isCustomers = roles.some((role) => role === 'sender');
  const choices = roles.map((value) => ({
    value,
    label: sayValue(say, isCustomers ? 'customerRole' : 'role', value),
  }));
  return (
    <div>
      <FormDialog
        label={say('users.invite')}
        isPrimary
        fields={[
          { name: 'email', label: say('session.email'), kind: 'text', isRequired: true },
          { name: 'name', label: say('customers.name'), kind: 'text', isRequired: true },
          { name: 'role', label: say('operators.role'), kind: 'choice', isRequired: true, choices },
        ]}
        initial={{ role: proposed }}
        onSubmit={async (body) =>
          onInvited(await actions.create(body as unknown as Parameters<UserActions<Role>['create']>[0]))
        }
      />
    </div>
  );
}
