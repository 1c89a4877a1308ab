"""What a run minimizes, one file each: functions of model and batch, some with state and players of their own."""
