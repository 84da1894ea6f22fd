proof-title = 本人確認
proof-explanation = アカウントの持ち主だけができる変更です。一度確認すると、10分間有効です。
proof-button = 確認する
proof-again-title = 別の方法
proof-again = いったんログアウトして、もう一度ログインしてください。その後、この画面の続きに戻ります。
proof-again-button = ログアウトしてもう一度ログインする
