"""What snapshots of all engines have in common: their outer form, and what must hold before anything is made of one."""
