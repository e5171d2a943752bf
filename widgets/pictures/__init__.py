"""One file per picture: a constructor that draws the furniture and one verb, `show`, that moves the artists."""
