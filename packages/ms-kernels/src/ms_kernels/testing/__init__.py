"""What the tests of ops are made of; also for packages that declare ops of their own."""
