//! A [`ToolSet`] as the protocol library wants it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::admission::{Admission, MOST_RUNNING, MOST_WAITING};
use crate::confirm::Elicitation;
use crate::{Answer, Caller, Progress, ToolInfo, ToolSet, Update};

/// The list cannot change while the process runs.
const LIST_FRESH_FOR: Duration = Duration::from_secs(300);
/// A client may pipe its calls and close at once; they get this long to finish by themselves.
const GRACE_AFTER_THE_END: Duration = Duration::from_millis(500);
/// How long a cancelled call may take to put things in order.
const GRACE_AFTER_CANCEL: Duration = Duration::from_millis(250);

/// The longest text of an answer; no model reads as much, and clients break off at less.
const LONGEST_ANSWER: usize = 4 << 20;

/// Serves one tool set to one peer.
pub(crate) struct Server {
    tools: Arc<dyn ToolSet>,
    listed: OnceLock<Vec<Tool>>,
    admission: Admission,
    ended: CancellationToken,
}

impl Server {
    /// `ended` says that the peer will send nothing more.
    pub(crate) fn new(tools: Arc<dyn ToolSet>, ended: CancellationToken) -> Self {
        Self { tools, listed: OnceLock::new(), admission: Admission::new(), ended }
    }

    fn listed(&self) -> &[Tool] {
        self.listed.get_or_init(|| self.tools.tools().into_iter().map(tool).collect())
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let known = self.listed().iter().map(|tool| tool.name.as_ref());
        let nearest = known
            .clone()
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        let known = known.collect::<Vec<_>>().join(", ");
        let nearest = nearest.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        invalid_params(format!("unknown tool `{name}`{nearest} The tools are: {known}"))
    }

    /// Runs a call, passing its progress on, until it answers or nobody can want the answer.
    async fn run(
        &self,
        name: &str,
        arguments: serde_json::Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let (progress, mut reports) = Progress::channel();
        let token = context.meta.get_progress_token();
        let caller = Caller {
            cancel: context.ct.clone(),
            progress: token.is_some().then_some(progress),
            confirm: Arc::new(Elicitation::of(context)),
            client_name: context.client_info().map(|client| client.name),
        };
        let call = self.tools.call(name, arguments, caller);
        let overdue = overdue(&context.ct, &self.ended);
        tokio::pin!(call, overdue);
        loop {
            tokio::select! {
                biased;
                answer = &mut call => return answer,
                () = &mut overdue => return cancelled(),
                Some(update) = reports.recv() => {
                    if let Some(token) = &token {
                        tell(&context.peer, token.clone(), update).await;
                    }
                }
            }
        }
    }
}

/// Returns once a call has outlived its cancellation or its peer.
async fn overdue(cancel: &CancellationToken, ended: &CancellationToken) {
    tokio::select! {
        () = cancel.cancelled() => {}
        () = async {
            ended.cancelled().await;
            tokio::time::sleep(GRACE_AFTER_THE_END).await;
        } => cancel.cancel(),
    }
    tokio::time::sleep(GRACE_AFTER_CANCEL).await;
}

fn cancelled() -> Answer {
    Answer::Error { text: "the call was cancelled before it finished".to_owned(), structured: None }
}

async fn tell(peer: &Peer<RoleServer>, token: ProgressToken, update: Update) {
    let mut report =
        ProgressNotificationParam::new(token, update.done).with_message(update.message);
    report.total = update.total;
    if let Err(error) = peer.notify_progress(report).await {
        tracing::debug!(%error, "Failed to report progress");
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let info = self.tools.info();
        let mut server = Implementation::new(info.name, info.version);
        server.title = Some(info.title);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(info.instructions)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut discovered = DiscoverResult::from_server_info(versions, self.get_info());
        discovered.ttl_ms = ttl_ms();
        discovered.cache_scope = CacheScope::Public;
        Ok(discovered)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(invalid_params("unknown `cursor`: all tools fit in one page".to_owned()));
        }
        let mut list = ListToolsResult::with_all_items(self.listed().to_vec());
        list.ttl_ms = Some(ttl_ms());
        list.cache_scope = Some(CacheScope::Public);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        if !self.listed().iter().any(|tool| tool.name == name) {
            return Err(self.unknown_tool(name));
        }
        let Some(_turn) = self.admission.turn().await else {
            let text = format!(
                "the server is busy: {MOST_RUNNING} calls run and {MOST_WAITING} wait; \
                 nothing was done, try again later"
            );
            return Ok(failure(text, None).into());
        };
        match self.run(name, request.arguments.unwrap_or_default(), &context).await {
            Answer::Result { structured, text } => Ok(success(structured, text).into()),
            Answer::Error { text, structured } => Ok(failure(text, structured).into()),
            Answer::Protocol { code, message } => {
                Err(ErrorData::new(ErrorCode(code), message, None))
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The library takes a known method with unreadable parameters for an unknown one.
        let needs = match request.method.as_str() {
            "tools/call" => {
                "`name` as text and, when there are arguments, `arguments` as an object"
            }
            "tools/list" => "an object, with `cursor` as text if it has one",
            "initialize" => "`protocolVersion`, `capabilities` and `clientInfo`",
            "ping" | "server/discover" => "an object or nothing",
            method => {
                let text = format!("unknown method `{method}`");
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None));
            }
        };
        Err(invalid_params(format!("the `params` of `{}` must be {needs}", request.method)))
    }
}

fn ttl_ms() -> u64 {
    u64::try_from(LIST_FRESH_FOR.as_millis()).unwrap_or(u64::MAX)
}

fn invalid_params(message: String) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_PARAMS, message, None)
}

/// Clients show the model the text or the structure, seldom both: so both say the same.
fn success(structured: Value, text: Option<String>) -> CallToolResult {
    let text = text.unwrap_or_else(|| structured.to_string());
    if text.len() > LONGEST_ANSWER {
        let error = format!(
            "the call was carried out, but its answer has {} bytes, and more than {LONGEST_ANSWER} \
             are not passed on; ask for less: filters, a smaller `size`, or one thing by its identifier",
            text.len()
        );
        return failure(error.clone(), Some(json!({ "error": error })));
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result
}

fn failure(text: String, structured: Option<Value>) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = structured;
    result
}

fn tool(info: ToolInfo) -> Tool {
    let mut tool = Tool::new(info.name, info.description, Arc::new(info.input_schema));
    tool.title = Some(info.title);
    tool.output_schema = info.output_schema.map(Arc::new);
    tool.annotations = Some(ToolAnnotations::from_raw(
        None,
        Some(info.annotations.read_only),
        Some(info.annotations.destructive),
        Some(info.annotations.idempotent),
        Some(info.annotations.open_world),
    ));
    tool
}
