import { Menu } from '@mantine/core';
import type { ChannelKindDescription, ChannelRequest } from '@postrider/client';
import { type ReactElement, useEffect, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { Icon } from '../../../design/icons.js';
import { Button } from '../../../parts/controls/button.js';
import { useFilters } from '../../../parts/forms/filters.js';
import { FormDrawer } from '../../../parts/forms/form-drawer.js';
import { usePreferences } from '../../../preferences.js';
import { useWords } from '../../../words/say.js';
import { channelFields, nameKind, settingDefaults } from './channel-fields.js';
import { useFirmChoices } from './firm-choices.js';

/** One button for all kinds of channels: each has a form of its own. */
export function AddChannel({ kinds }: { readonly kinds: readonly ChannelKindDescription[] | undefined }): ReactElement {
  const say = useWords();
  // The address of the page with its menu open: so the palette leads to it.
  const filters = useFilters(['add'] as const);
  const operator = useOperator();
  const firms = useFirmChoices();
  const { language } = usePreferences();
  const [chosen, setChosen] = useState<ChannelKindDescription>();
  const [isOpen, setOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const isAsked = filters.values.add !== undefined && kinds !== undefined;
  useEffect(() => {
    if (isAsked) setMenuOpen(true);
  }, [isAsked]);
  const changeMenu = (isWanted: boolean) => {
    setMenuOpen(isWanted);
    if (!isWanted && filters.values.add !== undefined) filters.set('add', null);
  };
  const label = chosen === undefined ? '' : say('channels.add', { kind: nameKind(kinds, chosen.kind, language) });
  return (
    <>
      <Menu
        withInitialFocusPlaceholder={false}
        position="bottom-end"
        width={240}
        opened={isMenuOpen}
        onChange={changeMenu}
      >
        <Menu.Target>
          <Button disabled={kinds === undefined} icon={<Icon name="plus" size={16} />}>
            {say('channels.addAny')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {kinds?.map((described) => (
            <Menu.Item
              key={described.kind}
              onClick={() => {
                setChosen(described);
                setOpen(true);
              }}
            >
              {nameKind(kinds, described.kind, language)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {chosen !== undefined && (
        <FormDrawer
          key={chosen.kind}
          title={label}
          submit={label}
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          fields={channelFields(say, language, chosen, firms, false)}
          initial={{ status: 'active', config: settingDefaults(chosen) }}
          onSubmit={(body) => operator.createChannel({ ...body, kind: chosen.kind } as unknown as ChannelRequest)}
        />
      )}
    </>
  );
}
