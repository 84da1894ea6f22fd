//! The pages below a path of a host.

use anyhow::{Result, ensure};
use browser::at_each_width_below_a_path;
use serde_json::json;

use super::BEBOP;

const ME: &str = "Returns the user that the access token belongs to, with all fields";

#[tokio::test]
async fn service_shares_a_host() -> Result<()> {
    at_each_width_below_a_path("base-path", async |page, service| {
        page.add_authenticator().await?;
        page.open("/sign-up").await?;
        page.fill("Name", "mitsuha").await?;
        page.fill("E-mail address", "mitsuha@example.com").await?;
        page.press("Sign up with a passkey").await?;
        page.press("Create the passkey").await?;
        page.wait_for_heading("Welcome, mitsuha").await?;
        page.look("welcome").await?;
        assert_eq!(page.manifest_errors().await?, json!([[], []]));

        // The script reads the address of the results from the form, and that of the request from the page.
        page.open("/anime").await?;
        page.type_at("#search", "cowboy bepop").await?;
        page.wait_for_status("1 anime").await?;
        let address = "return location.pathname + location.search";
        let address = page.run(address, vec![]).await?;
        assert_eq!(address, "/kiroku/anime?search=cowboy+bepop");
        page.open(BEBOP).await?;
        page.press("Plan to watch").await?;
        page.open("/list").await?;
        page.look("list").await?;
        page.click("Episode 1").await?;
        page.wait_for_status("Cowboy Bebop Episode 1 marked as watched.")
            .await?;
        let token = service.register_for_token("taki").await?;
        page.open("/reference/auth").await?;
        page.expand(&format!("Try it: {ME}")).await?;
        page.enter_at("#me-access-token", &token).await?;
        page.wait_for_status("Status: 200").await?;

        for cookie in page.cookies().await? {
            let (name, path) = (cookie.name(), cookie.path());
            // The script of the page, which sets one of them, is in the folder.
            ensure!(
                ["/kiroku", "/kiroku/"].map(Some).contains(&path),
                "{name}: {path:?}"
            );
        }
        page.open("/profile").await?;
        page.press("Sign out").await?;
        page.open("/sign-in?next=/calendar").await?;
        page.wait_for_heading("Calendar").await
    })
    .await
}
