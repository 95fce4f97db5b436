"""Results of a store as tables, explanations, forms and exports."""
