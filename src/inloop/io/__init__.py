"""File formats: import of mechanisms (`load`), export of plants to FMUs, boards and pages."""
