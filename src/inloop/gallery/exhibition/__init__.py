"""What all exhibits share: how they describe themselves, how they are found, how they are drawn."""
