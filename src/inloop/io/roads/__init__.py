"""Roads from files: OpenCRG and OpenDRIVE."""
