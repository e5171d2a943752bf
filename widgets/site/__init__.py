"""The course as static pages: opened from disk or any web server, without a network and without a kernel."""
