security-prove = To change how you sign in, confirm first that it is you.
security-prove-button = Confirm that it is you
