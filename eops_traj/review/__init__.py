"""What people say of episodes: labels as the viewer takes them in, and how far readers agree."""
