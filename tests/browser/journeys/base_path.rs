//! The pages below a path of a host.

use anyhow::{Result, ensure};
use browser::{at_each_width_below_a_path, walk};
use serde_json::json;

use super::{BEBOP, plan};

const ME: &str = "Returns the user that the access token belongs to, with all fields";

#[tokio::test]
async fn service_shares_a_host() -> Result<()> {
    at_each_width_below_a_path("base-path", async |page, service| {
        page.add_authenticator().await?;
        walk! {page, "
            open /sign-up
            fill Name: mitsuha | fill E-mail address: mitsuha@example.com | press Sign up with a passkey
            press Create the passkey > What have you seen? # welcome
        "}
        assert_eq!(page.manifest_errors().await?, json!([[], []]));

        // The script reads the address of the results page from the form, and the address of its own requests from the
        // page.
        page.open("/anime").await?;
        page.type_at("#search", "cowboy bepop").await?;
        page.wait_for_status("1 anime").await?;
        let address = "return location.pathname + location.search";
        let address = page.run(address, vec![]).await?;
        assert_eq!(address, "/kiroku/anime?search=cowboy+bepop");
        plan(page, BEBOP).await?;
        walk! {page, "
            open /list?status=1 # list
            click +1: episode 1 = Cowboy Bebop Episode 1 marked as watched.
        "}
        let token = service.register("taki").await?;
        walk! {page, "
            open /reference/auth
            expand Try it: {ME}
        "}
        page.enter_at("#me-access-token", &token).await?;
        page.wait_for_status("Status: 200").await?;

        for cookie in page.cookies().await? {
            let (name, path) = (cookie.name(), cookie.path());
            // The script of the page sets one of the cookies, for the folder of the page.
            let is_below = ["/kiroku", "/kiroku/"].map(Some).contains(&path);
            ensure!(is_below, "{name}: {path:?}");
        }
        walk! {page, "
            open /profile
            press Sign out
            open /sign-in?next=/calendar > Calendar
        "}
        Ok(())
    })
    .await
}
