//! The file store, sent as multipart.

use serde_json::json;

use crate::client::{Answer, STOREFRONT, Shop};

async fn send(shop: &Shop, method: &str, target: &str, fields: &[(&str, &str)]) -> Answer {
    let mut body = String::new();
    for (name, value) in fields {
        let file = if *name == "content" { "; filename=\"x.txt\"" } else { "" };
        body.push_str(&format!(
            "--edge\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n{value}\r\n"
        ));
    }
    body.push_str("--edge--\r\n");
    let kind = [("content-type", "multipart/form-data; boundary=edge")];
    shop.send_with(method, target, &kind, body.as_bytes()).await.unwrap()
}

#[tokio::test]
async fn files_lie_in_folders_are_read_back_and_go_with_them() {
    let shop = Shop::open().await;
    let all = format!("/ng/api/file-store?{STOREFRONT}");
    let folder = [("name", "configs"), ("type", "FOLDER"), ("parentIdentifier", "Root")];
    let made = send(&shop, "POST", &all, &folder).await;
    assert_eq!(made.at("/data/path"), "/configs", "{}", made.json());
    let file = [
        ("name", "a.txt"),
        ("identifier", "a"),
        ("type", "FILE"),
        ("parentIdentifier", "configs"),
        ("fileUsage", "CONFIG"),
        ("tags", "[{\"key\":\"k\",\"value\":\"v\"}]"),
        ("content", "hello"),
    ];
    let made = send(&shop, "POST", &all, &file).await;
    assert_eq!(
        (made.at("/data/path"), made.at("/data/tags/k")),
        (json!("/configs/a.txt"), json!("v"))
    );
    let read = shop.get(&format!("/ng/api/file-store/files/a/download?{STOREFRONT}")).await;
    assert_eq!(read.body, b"hello");
    let node = json!({"identifier": "configs", "name": "configs", "type": "FOLDER"});
    let inside = shop.post(&format!("/ng/api/file-store/folder?{STOREFRONT}"), node).await;
    assert_eq!(inside.at("/data/children/0/fileUsage"), "CONFIG");
    let changed =
        [("name", "b.txt"), ("type", "FILE"), ("parentIdentifier", "configs"), ("content", "bye")];
    let put = send(&shop, "PUT", &format!("/ng/api/file-store/a?{STOREFRONT}"), &changed).await;
    assert_eq!(put.at("/data/name"), "b.txt");
    shop.delete(&format!("/ng/api/file-store/configs?{STOREFRONT}")).await;
    assert_eq!(shop.get(&format!("/ng/api/file-store/a?{STOREFRONT}")).await.status, 404);
}

#[tokio::test]
async fn a_name_is_taken_once_per_folder_and_the_folder_must_be_there() {
    let shop = Shop::open().await;
    let all = format!("/ng/api/file-store?{STOREFRONT}");
    let file =
        |id| [("name", "a"), ("identifier", id), ("type", "FILE"), ("parentIdentifier", "Root")];
    assert_eq!(send(&shop, "POST", &all, &file("one")).await.status, 200);
    assert_eq!(send(&shop, "POST", &all, &file("two")).await.at("/code"), "DUPLICATE_FIELD");
    let lost = [("name", "a"), ("type", "FILE"), ("parentIdentifier", "nowhere")];
    assert_eq!(send(&shop, "POST", &all, &lost).await.status, 400);
    let half = shop
        .send_with("POST", &all, &[("content-type", "multipart/form-data; boundary=x")], b"--x\r\n")
        .await;
    assert_eq!(half.unwrap().status, 400);
}
