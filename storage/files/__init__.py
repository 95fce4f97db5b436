"""Files of a store on a disk or in object storage."""
