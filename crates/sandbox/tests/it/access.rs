//! People, groups, roles and what they are assigned.

use serde_json::json;

use crate::client::{STOREFRONT, Shop};

#[tokio::test]
async fn the_current_user_is_known_for_people_but_not_for_service_accounts() {
    let shop = Shop::open().await;
    let me = shop.get("/ng/api/user/currentUser").await;
    assert_eq!(
        (me.at("/data/email"), me.at("/data/token")),
        (json!("riley.chen@example.com"), json!(null))
    );
    let account = me.at("/data/defaultAccountId");
    assert_eq!(account.as_str().unwrap().len(), 22);
    let bot = [("x-api-key", "sat.Sandbox_Account_000001.token.secret")];
    let refused = shop.send_with("GET", "/ng/api/user/currentUser", &bot, b"").await.unwrap();
    assert_eq!(refused.status, 400);
}

#[tokio::test]
async fn users_are_listed_with_their_roles_searched_and_invited() {
    let shop = Shop::open().await;
    let list = "/ng/api/user/aggregate";
    let all = shop.post(list, json!({})).await;
    assert_eq!(all.at("/data/totalItems"), 6);
    let riley = shop.post(&format!("{list}?searchTerm=riley"), json!({})).await;
    assert_eq!(riley.at("/data/content/0/roleAssignmentMetadata/0/roleName"), "Account Admin");
    let invitation = json!({
        "emails": ["new@example.com", "noor.haddad@example.com", "ines.moreau@example.com", "nobody"],
        "userGroups": ["release_managers"],
        "roleBindings": [{"roleIdentifier": "_account_viewer",
            "resourceGroupIdentifier": "_all_account_level_resources"}],
    });
    let answer = shop.post("/ng/api/user/users", invitation).await;
    assert_eq!(
        answer.at("/data/addUserResponseMap"),
        json!({
            "new@example.com": "USER_INVITED_SUCCESSFULLY",
            "noor.haddad@example.com": "USER_ALREADY_ADDED",
            "ines.moreau@example.com": "USER_ALREADY_INVITED",
            "nobody": "FAIL",
        })
    );
    let invited = shop.post(&format!("{list}?searchTerm=new@"), json!({})).await;
    let id = invited.at("/data/content/0/user/uuid");
    let group = shop.get("/ng/api/user-groups/release_managers").await;
    assert!(group.at("/data/users").as_array().unwrap().contains(&id));
    assert_eq!(
        shop.post("/ng/api/user/users", json!({"emails": []})).await.at("/errors/0/fieldId"),
        "emails"
    );
    assert_eq!(shop.delete("/ng/api/user/usr_riley_sandbox_0001").await.status, 400);
}

#[tokio::test]
async fn groups_that_come_from_elsewhere_cannot_be_changed() {
    let shop = Shop::open().await;
    for id in ["directory_admins", "_account_all_users"] {
        let refused = shop.delete(&format!("/ng/api/user-groups/{id}")).await;
        assert_eq!(refused.status, 400, "{id}");
    }
    let stranger = json!({"identifier": "g", "name": "G", "users": ["nobody"]});
    assert_eq!(shop.post("/ng/api/user-groups", stranger).await.status, 400);
    let member = "/ng/api/user-groups/platform_team/member/usr_mateo_sandbox_0005";
    assert_eq!(shop.send("PUT", member, "").await.at("/data/users").as_array().unwrap().len(), 3);
    assert_eq!(shop.delete(member).await.at("/data/users").as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn managed_roles_are_seen_where_they_apply_and_cannot_be_changed() {
    let shop = Shop::open().await;
    let at_project = shop.get(&format!("/authz/api/roles?{STOREFRONT}")).await.json().to_string();
    assert!(at_project.contains("_project_admin") && !at_project.contains("_account_admin"));
    assert_eq!(
        shop.get(&format!("/authz/api/roles/_project_admin?{STOREFRONT}")).await.status,
        200
    );
    assert_eq!(shop.delete("/authz/api/roles/_account_admin").await.status, 400);
    let own = json!({"identifier": "_mine", "name": "Mine"});
    assert_eq!(shop.post("/authz/api/roles", own).await.at("/errors/0/fieldId"), "identifier");
    let odd = json!({"identifier": "mine", "name": "Mine", "permissions": ["core_pipeline_sing"]});
    let refused = shop.post("/authz/api/roles", odd).await;
    assert!(refused.at("/message").as_str().unwrap().contains("core_pipeline_sing"));
    let good = json!({"identifier": "mine", "name": "Mine", "permissions": ["core_pipeline_view"]});
    let made = shop.post("/authz/api/roles", good).await;
    assert_eq!(
        (made.at("/data/role/identifier"), made.at("/data/harnessManaged")),
        (json!("mine"), json!(false))
    );
}

#[tokio::test]
async fn a_role_is_assigned_once_and_only_to_somebody() {
    let shop = Shop::open().await;
    let all = "/authz/api/roleassignments";
    let assignment = |principal: &str| {
        json!({
            "roleIdentifier": "_pipeline_executor",
            "resourceGroupIdentifier": "_all_account_level_resources",
            "principal": {"type": "USER_GROUP", "identifier": principal},
        })
    };
    let made = shop.post(all, assignment("platform_team")).await;
    let id = made.at("/data/roleAssignment/identifier");
    assert!(id.as_str().unwrap().starts_with("role_assignment_"), "{}", made.json());
    assert_eq!(shop.post(all, assignment("platform_team")).await.at("/code"), "DUPLICATE_FIELD");
    let nobody = shop.post(all, assignment("nobody")).await;
    assert!(nobody.at("/message").as_str().unwrap().contains("Did not find user group [nobody]"));
    let filter =
        json!({"principalFilter": [{"type": "USER_GROUP", "identifier": "platform_team"}]});
    let found = shop.post(&format!("{all}/filter"), filter).await;
    assert_eq!(
        (found.at("/data/totalItems"), found.at("/data/content/0/roleAssignment/identifier")),
        (json!(1), id.clone())
    );
    assert_eq!(shop.delete(&format!("{all}/{}", id.as_str().unwrap())).await.status, 200);
    // A group of the account is assigned in a project by saying where it lives.
    let mut below = assignment("platform_team");
    below["resourceGroupIdentifier"] = json!("_all_project_level_resources");
    assert_eq!(shop.post(&format!("{all}?{STOREFRONT}"), below.clone()).await.status, 400);
    below["principal"]["scopeLevel"] = json!("account");
    assert_eq!(shop.post(&format!("{all}?{STOREFRONT}"), below).await.status, 200);
}

#[tokio::test]
async fn permissions_depend_on_the_level() {
    let shop = Shop::open().await;
    let all = shop.get("/authz/api/permissions").await.at("/data").as_array().unwrap().len();
    let some = shop
        .get("/authz/api/permissions?scopeLevel=project")
        .await
        .at("/data")
        .as_array()
        .unwrap()
        .len();
    assert!(some < all && some > 10, "{some} of {all}");
}

#[tokio::test]
async fn service_accounts_are_listed_bare_and_aggregated() {
    let shop = Shop::open().await;
    let bare = shop.get("/ng/api/serviceaccount").await;
    assert_eq!(bare.at("/data/0/identifier"), "ci_bot");
    let page = shop.get("/ng/api/serviceaccount/aggregate").await;
    assert_eq!(
        page.at("/data/content/0/roleAssignmentsMetadataDTO/0/roleName"),
        "Pipeline Executor"
    );
}
