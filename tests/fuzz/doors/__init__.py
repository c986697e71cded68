"""The doors, one a module: ``DOOR`` says what goes in and what it is compared with."""
