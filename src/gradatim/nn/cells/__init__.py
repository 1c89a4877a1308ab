"""Recurrent cells, one file each: functions from state and input to state and output."""
