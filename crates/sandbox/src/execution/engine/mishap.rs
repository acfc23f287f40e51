//! How a step that is meant to fail fails: a story worth diagnosing, by the kind of its work.

use serde_json::Value;

/// What a failing step says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mishap {
    /// The failure message of the step.
    pub(crate) message: &'static str,
    /// What its log says just before: level and text.
    pub(crate) lines: &'static [(Level, &'static str)],
}

/// Level of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// `INFO`.
    Info,
    /// `WARN`.
    Warn,
    /// `ERROR`.
    Error,
}

impl Level {
    /// The word in a log line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
        }
    }
}

use Level::{Error, Info, Warn};

const TEST: Mishap = Mishap {
    message: "exit status 1: 1 of 48 tests failed: checkout::applies_discount_once",
    lines: &[
        (Info, "running 48 tests"),
        (Info, "test cart::adds_an_item ... \u{1b}[32mok\u{1b}[0m"),
        (Info, "test cart::keeps_prices_in_cents ... \u{1b}[32mok\u{1b}[0m"),
        (Error, "test checkout::applies_discount_once ... \u{1b}[31mFAILED\u{1b}[0m"),
        (Error, "---- checkout::applies_discount_once ----"),
        (Error, "assertion `left == right` failed: the discount was applied twice"),
        (Error, "  left: 8100"),
        (Error, " right: 9000"),
        (Error, "  at src/checkout/discount.rs:3:5"),
        (Error, "test result: \u{1b}[31mFAILED\u{1b}[0m. 47 passed; 1 failed; finished in 3.18s"),
    ],
};

const IMAGE: Mishap = Mishap {
    message: "Deployment `storefront` is not ready: container `app` cannot pull image `registry.example.com/shop/storefront:1.42.0`: manifest unknown",
    lines: &[
        (Info, "deployment.apps/storefront configured"),
        (
            Info,
            "Waiting for deployment \"storefront\" rollout to finish: 0 of 3 updated replicas are available...",
        ),
        (
            Warn,
            "Pod/storefront-7c9f6d5b8-x2lqv: Failed to pull image \"registry.example.com/shop/storefront:1.42.0\": manifest unknown",
        ),
        (Warn, "Pod/storefront-7c9f6d5b8-x2lqv: Error: ErrImagePull"),
        (
            Warn,
            "Pod/storefront-7c9f6d5b8-x2lqv: Back-off pulling image, Error: \u{1b}[31mImagePullBackOff\u{1b}[0m",
        ),
        (Error, "error: deployment \"storefront\" exceeded its progress deadline"),
    ],
};

const HELM: Mishap = Mishap {
    message: "Helm upgrade of release `storefront` failed: timed out waiting for the condition",
    lines: &[
        (Info, "helm upgrade storefront ./chart --install --atomic --timeout 5m0s"),
        (Info, "Readiness probe of pod storefront-0: connection refused on :8080/healthz"),
        (Warn, "1 of 3 pods of StatefulSet/storefront ready"),
        (
            Error,
            "Error: \u{1b}[31mUPGRADE FAILED\u{1b}[0m: release storefront failed, and has been rolled back due to atomic being set: timed out waiting for the condition",
        ),
    ],
};

const TERRAFORM: Mishap = Mishap {
    message: "terraform apply failed: bucket name `shop-assets` is already taken",
    lines: &[
        (Info, "Plan: 3 to add, 1 to change, 0 to destroy."),
        (Info, "aws_s3_bucket.assets: Creating..."),
        (Error, "\u{1b}[31mError:\u{1b}[0m creating S3 Bucket (shop-assets): BucketAlreadyExists"),
        (
            Error,
            "  with aws_s3_bucket.assets, on main.tf line 12, in resource \"aws_s3_bucket\" \"assets\"",
        ),
    ],
};

const HTTP: Mishap = Mishap {
    message: "assertion `<+httpResponseCode> == 200` failed: the service answered 503",
    lines: &[
        (Info, "GET https://storefront.example.com/healthz"),
        (Warn, "HTTP 503: {\"status\":\"starting\",\"database\":\"unreachable\"}"),
        (Error, "assertion failed: response code is \u{1b}[31m503\u{1b}[0m, wanted 200"),
    ],
};

const PUSH: Mishap = Mishap {
    message: "push of `registry.example.com/shop/storefront` was denied: the token lacks the `push` scope",
    lines: &[
        (Info, "#12 exporting layers done"),
        (Info, "#12 pushing layers"),
        (
            Error,
            "#12 ERROR: failed to push registry.example.com/shop/storefront:1.42.0: denied: requested access to the resource is denied",
        ),
    ],
};

const SCAN: Mishap = Mishap {
    message: "2 critical vulnerabilities exceed the limit of 0",
    lines: &[
        (Info, "scanned 214 packages"),
        (Warn, "CVE-2026-21004 critical openssl 3.0.2 (fixed in 3.0.19)"),
        (Warn, "CVE-2026-18377 critical libxml2 2.9.14 (fixed in 2.9.18)"),
        (Error, "fail_on_severity=critical: \u{1b}[31m2 findings\u{1b}[0m"),
    ],
};

const SCRIPT: Mishap = Mishap {
    message: "the script exited with status 1: connection to `db.internal:5432` refused",
    lines: &[
        (Info, "checking that the database answers"),
        (Warn, "attempt 1 of 3: could not connect to server: Connection refused"),
        (Warn, "attempt 3 of 3: could not connect to server: Connection refused"),
        (
            Error,
            "\u{1b}[31mFATAL\u{1b}[0m: is the server running on host \"db.internal\" and accepting TCP/IP connections on port 5432?",
        ),
        (Error, "Command finished with exit code 1"),
    ],
};

/// The story of a failing step, by its type and, where that says little, by its script.
pub(crate) fn of(kind: &str, spec: &Value) -> Mishap {
    let script = || {
        let text = spec.get("command").or_else(|| spec.pointer("/source/spec/script"));
        text.and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
    };
    match kind {
        k if k.starts_with("K8s") => IMAGE,
        k if k.starts_with("Helm") => HELM,
        k if k.starts_with("Terra") || k == "IACMTerraformPlugin" => TERRAFORM,
        "Http" => HTTP,
        k if k.starts_with("BuildAndPush") => PUSH,
        "RunTests" | "Test" => TEST,
        "Security" | "AquaTrivy" | "Semgrep" | "Snyk" | "Owasp" | "Grype" | "Sonarqube" => SCAN,
        "Run" if script().contains("helm ") => HELM,
        "Run" if script().contains("terraform ") => TERRAFORM,
        "Run" | "Action" | "Plugin" => TEST,
        "ShellScript" if script().contains("test") => TEST,
        _ => SCRIPT,
    }
}
