security-prove = ログイン方法を変更するには、まず本人確認をしてください。
security-prove-button = 本人確認をする
