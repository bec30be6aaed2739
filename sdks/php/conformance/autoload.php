<?php

// The classes of this checkout, and the interfaces that Debian packages: for tests without composer.

declare(strict_types=1);

require 'Psr/Http/Client/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Postrider\\')) {
        $file = dirname(__DIR__) . '/src/' . strtr(substr($class, strlen('Postrider\\')), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
