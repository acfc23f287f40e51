//! Replies in the platform's own envelopes.

use serde_json::{Value, json};

use crate::ids;
use crate::paging::Page;
use crate::store::StoreError;

/// One field that bean validation refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    field: String,
    error: String,
}

impl FieldError {
    /// A field and what is wrong with it.
    pub fn new(field: &str, error: &str) -> Self {
        Self { field: field.to_owned(), error: error.to_owned() }
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers beside those the server adds itself.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// A JSON body as it is: code service, v1 objects.
    pub fn bare(body: &Value) -> Self {
        Self::json_with(200, body)
    }

    /// A JSON body with a status of its own.
    pub fn json_with(status: u16, body: &Value) -> Self {
        Self::raw(status, "application/json", body.to_string().into_bytes())
    }

    /// A body of any type.
    pub fn raw(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { status, headers, body }
    }

    /// Plain text.
    pub fn text(status: u16, body: &str) -> Self {
        Self::raw(status, "text/plain; charset=utf-8", body.as_bytes().to_vec())
    }

    /// An HTML page, as gateways answer when what is behind them is away.
    pub fn html(status: u16, title: &str) -> Self {
        let page = format!(
            "<html>\r\n<head><title>{status} {title}</title></head>\r\n<body>\r\n\
             <center><h1>{status} {title}</h1></center>\r\n<hr><center>nginx</center>\r\n\
             </body>\r\n</html>\r\n"
        );
        Self::raw(status, "text/html", page.into_bytes())
    }

    /// 204 without a body.
    pub fn no_content() -> Self {
        Self { status: 204, headers: Vec::new(), body: Vec::new() }
    }

    /// The NG success envelope.
    pub fn ng(data: Value) -> Self {
        Self::bare(&json!({
            "status": "SUCCESS", "data": data, "metaData": null, "correlationId": ids::uuid(),
        }))
    }

    /// An NG page of items already cut to the page; `total` counts all of them.
    pub fn ng_page(content: Vec<Value>, page: Page, total: usize) -> Self {
        Self::ng(ng_page(content, page, total))
    }

    /// A Spring page of items already cut to the page.
    pub fn spring_page(content: Vec<Value>, page: Page, total: usize) -> Self {
        Self::ng(spring_page(content, page, total))
    }

    /// The old manager's envelope.
    pub fn rest_resource(resource: Value) -> Self {
        Self::bare(&json!({"metaData": {}, "resource": resource, "responseMessages": []}))
    }

    /// A v1 list: a bare array, its totals in headers.
    pub fn v1_list(items: Vec<Value>, page: Page, total: usize) -> Self {
        Self::bare(&Value::Array(items))
            .with_header("x-total-elements", &total.to_string())
            .with_header("x-page-number", &page.index.to_string())
            .with_header("x-page-size", &page.size.to_string())
    }

    /// The common error of the NG services.
    pub fn ng_error(status: u16, code: &str, message: &str) -> Self {
        Self::ng_error_with(status, code, message, Value::Null)
    }

    /// The common error with typed metadata (`yaml schema`, `input set`, …).
    pub fn ng_error_with(status: u16, code: &str, message: &str, metadata: Value) -> Self {
        Self::json_with(
            status,
            &json!({
                "status": "ERROR", "code": code, "message": message,
                "correlationId": ids::uuid(), "detailedMessage": null,
                "responseMessages": [{
                    "code": code, "level": "ERROR", "message": message, "exception": null,
                    "failureTypes": ["APPLICATION_ERROR"],
                }],
                "metadata": metadata,
            }),
        )
    }

    /// 400 `INVALID_REQUEST`.
    pub fn invalid(message: &str) -> Self {
        Self::ng_error(400, "INVALID_REQUEST", message)
    }

    /// 400 of bean validation: which fields are wrong.
    pub fn field_failure(errors: &[FieldError]) -> Self {
        let said: Vec<String> =
            errors.iter().map(|e| format!("{}: {}", e.field, e.error)).collect();
        let errors: Vec<Value> =
            errors.iter().map(|e| json!({"fieldId": e.field, "error": e.error})).collect();
        Self::failure("INVALID_REQUEST", &format!("Invalid request: {}", said.join(", ")), errors)
    }

    /// A 400 in the `FAILURE` form.
    pub fn failure(code: &str, message: &str, errors: Vec<Value>) -> Self {
        Self::json_with(
            400,
            &json!({
                "status": "FAILURE", "code": code, "message": message,
                "correlationId": ids::uuid(), "errors": errors,
            }),
        )
    }

    /// 403 with the permission that is missing.
    pub fn access_denied(permission: &str, resource_type: &str, id: &str, scope: Value) -> Self {
        let message =
            format!("Missing permission {permission} on {resource_type} with identifier {id}");
        Self::json_with(
            403,
            &json!({
                "status": "ERROR", "code": "NG_ACCESS_DENIED", "message": message,
                "correlationId": ids::uuid(),
                "failedPermissionChecks": [{
                    "resourceScope": scope, "resourceType": resource_type,
                    "resourceIdentifier": id, "permission": permission,
                }],
            }),
        )
    }

    /// 400 of a JSON body that does not parse.
    pub fn unreadable(details: &str) -> Self {
        Self::json_with(
            400,
            &json!({"code": 400, "message": "Unable to process JSON", "details": details}),
        )
    }

    /// An error of the code service.
    pub fn code_error(status: u16, message: &str) -> Self {
        Self::code_error_with(status, message, Value::Null)
    }

    /// An error of the code service with values beside the message.
    pub fn code_error_with(status: u16, message: &str, values: Value) -> Self {
        let mut body = json!({"message": message});
        if let (Some(fields), false) = (body.as_object_mut(), values.is_null()) {
            fields.insert("values".to_owned(), values);
        }
        Self::json_with(status, &body)
    }

    /// 400 of a write that names an older version of the entity.
    pub fn stale_version() -> Self {
        Self::failure(
            "OPTIMISTIC_LOCKING_EXCEPTION",
            "An older version of this entity was used; read it again and retry",
            Vec::new(),
        )
    }

    /// The same reply with one more header; `name` in lower case.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same reply with the version of the entity as `ETag`.
    #[must_use]
    pub fn with_etag(self, version: u64) -> Self {
        self.with_header("etag", &format!("\"{version}\""))
    }

    /// The same reply with another status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// True below 400.
    pub fn is_success(&self) -> bool {
        self.status < 400
    }

    /// The body as JSON, when it is some.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// The fields of an NG page.
pub fn ng_page(content: Vec<Value>, page: Page, total: usize) -> Value {
    let count = content.len();
    json!({
        "totalPages": page.pages(total), "totalItems": total, "pageItemCount": count,
        "pageSize": page.size, "content": content, "pageIndex": page.index,
        "empty": count == 0, "pageToken": null,
    })
}

/// The fields of a Spring page.
pub fn spring_page(content: Vec<Value>, page: Page, total: usize) -> Value {
    let (count, pages) = (content.len(), page.pages(total));
    let sort = json!({"sorted": true, "unsorted": false, "empty": false});
    json!({
        "content": content,
        "pageable": {
            "sort": sort.clone(), "pageNumber": page.index, "pageSize": page.size,
            "offset": page.index.saturating_mul(page.size), "paged": true, "unpaged": false,
        },
        "totalElements": total, "totalPages": pages, "last": page.index + 1 >= pages,
        "size": page.size, "number": page.index, "sort": sort,
        "numberOfElements": count, "first": page.index == 0, "empty": count == 0,
    })
}

impl From<StoreError> for Reply {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Exists { .. } => Self::ng_error(400, "DUPLICATE_FIELD", &error.to_string()),
            _ => Self::ng_error(500, "UNKNOWN_ERROR", &error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
