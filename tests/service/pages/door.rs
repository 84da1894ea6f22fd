//! The pages for signing in and up, and the links in mails that lead to them.

use mail_parser::MessageParser;
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::service::Service;

#[tokio::test]
async fn pages_for_signing_in_are_small_and_have_books() {
    let service = Service::empty().await;
    let mut browser = PageClient::new(&service);
    for path in [
        "/sign-in",
        "/sign-up",
        "/forgot-password",
        "/verify-email?token=a",
    ] {
        let page = browser.get(path).await;
        page.assert_status(200);
        let door = page.after("class=\"door\"");
        assert_eq!(door.matches("class=\"cover book").count(), 6, "{path}");
        door.assert_has("<ul class=\"shelf\" aria-hidden=\"true\">");
        assert!(page.text().len() < 30_000, "{path}");
    }
}

#[tokio::test]
async fn bad_reset_link_shows_no_form() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut browser = PageClient::new(&service);
    let page = browser.get("/forgot-password").await;
    let email = [("email", "mitsuha@example.com")];
    browser.submit(&page, "/forgot-password", &email).await;
    let token = service.mailed_token("mitsuha@example.com").unwrap();
    let good = format!("/reset-password?token={token}");
    // Opening the page does not use up the link.
    for _ in 0..2 {
        let page = browser.get(&good).await;
        page.assert_status(200);
        page.assert_has("type=\"password\"");
    }
    let page = browser.get(&good).await;
    let password = [("password", "new pass word")];
    let reset = browser.submit(&page, "/reset-password", &password).await;
    reset.assert_status(200);
    for used in [&good, "/reset-password?token=a", "/reset-password"] {
        let page = browser.get(used).await;
        page.assert_status(400);
        let main = page.after("<main");
        main.assert_has("has already been used");
        main.assert_has("href=\"/forgot-password\"");
        main.assert_lacks("<form");
    }
    let again = browser.submit(&page, "/reset-password", &password).await;
    again.assert_status(400);
    again.after("<main").assert_lacks("<form");
}

#[tokio::test]
async fn mail_has_a_text_and_a_page_with_the_same_link() {
    let service = Service::empty().await;
    service.register("mitsuha").await;
    let mail = service.mail_to("mitsuha@example.com");
    mail.assert_has("Content-Type: multipart/alternative");
    let mail = MessageParser::new().parse(&mail).unwrap();
    let text = mail.body_text(0).unwrap();
    let mut links = text.lines().filter(|line| line.starts_with("https://"));
    let link = links.next().unwrap();
    let page = mail.body_html(0).unwrap();
    page.assert_has(&format!("<a href=\"{link}\" style="));
    page.assert_has("Hi mitsuha,");
    page.assert_has("If you did not register");
    page.assert_lacks("<img");
}
