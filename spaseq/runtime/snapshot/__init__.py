"""Snapshots of any kind of data: their outer form, and what must hold before anything is made of one."""
