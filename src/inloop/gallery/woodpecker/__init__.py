"""The woodpecker toy: it jams on its pole, swings, pecks, and so descends."""
