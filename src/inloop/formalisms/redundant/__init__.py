"""The motion of every body by itself, held together by the forces in the joints."""
