"""Plain text of replies as chatbots write them, with offsets into the logged text; sentences and their kinds."""
