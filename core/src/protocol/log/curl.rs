//! An exchange as a command line, to be repeated in a POSIX shell.

use super::{Exchange, redact};
use crate::protocol::HttpMethod;

impl Exchange {
    /// The request as a `curl` command for a POSIX shell. Secrets are variables to be set before,
    /// named after their header or parameter. `origin` is the page that the request came from: a
    /// browser names it, and servers judge by it.
    ///
    /// None where the request is not kept whole.
    ///
    /// ```
    /// use skillglass::protocol::log::{Log, Question};
    /// use skillglass::protocol::Client;
    /// let request = Client::new("http://localhost/mcp?key=x").unwrap().initialize();
    /// let mut log = Log::default();
    /// let number = log.begin(&Question::plain("local", &request, 0));
    /// let command = log.get(number).unwrap().curl(None).unwrap();
    /// assert!(command.starts_with(r#"curl --include --no-buffer 'http://localhost/mcp?key='"$KEY""#));
    /// ```
    #[must_use]
    pub fn curl(&self, origin: Option<&str>) -> Option<String> {
        if self.is_shed || self.body.is_cut || self.withholds_bodies {
            return None;
        }
        let mut lines = vec![format!("curl --include --no-buffer {}", address(&self.url))];
        if !matches!(self.method, HttpMethod::Get | HttpMethod::Post) {
            lines.push(format!("--request {}", self.method.as_str()));
        }
        for header in &self.headers {
            let name = &header.name;
            let value = if header.is_secret {
                format!("{}{}", quoted(&format!("{name}: ")), variable(name))
            } else {
                quoted(&format!("{name}: {}", header.value))
            };
            lines.push(format!("--header {value}"));
        }
        lines.extend(
            origin.map(|origin| format!("--header {}", quoted(&format!("Origin: {origin}")))),
        );
        if self.method == HttpMethod::Post {
            lines.push(format!("--data-raw {}", quoted(&self.body.text)));
        }
        Some(lines.join(" \\\n  "))
    }
}

/// An address whose masked parameters are variables.
fn address(url: &str) -> String {
    let masked = format!("={}", redact::MASK);
    let mut parts = url.split(masked.as_str()).peekable();
    let mut out = String::new();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            if !part.is_empty() || out.is_empty() {
                out.push_str(&quoted(part));
            }
            break;
        }
        let name = part.rsplit(['?', '&']).next().unwrap_or_default();
        out.push_str(&quoted(&format!("{part}=")));
        out.push_str(&variable(name));
    }
    out
}

/// A text that the shell takes as it is.
pub(in crate::protocol) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The variable that is named after a header or a parameter.
fn variable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let mut name: String = name.chars().map(letter).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    format!("\"${name}\"")
}

#[cfg(test)]
mod tests {
    use crate::protocol::log::{Log, MAX_BODY, Question};
    use crate::protocol::{Call, Client, HttpRequest, Wire};

    fn curl(request: &HttpRequest) -> Option<String> {
        let mut log = Log::default();
        let number = log.begin(&Question::plain("a", request, 0));
        log.get(number).unwrap().curl(Some("https://page.example"))
    }

    #[test]
    fn what_is_sent_is_quoted_for_the_shell() {
        let mut client = Client::new("http://localhost/mcp?a='b'&c=$(id)").unwrap();
        let uri = "skill://it's/`id`/$HOME \"x\".md".to_owned();
        let command = curl(&client.request(&Call::ReadResource { uri }).unwrap()).unwrap();
        let lines: Vec<_> = command.split(" \\\n  ").collect();
        let address = r"'http://localhost/mcp?a='\''b'\''&c=$(id)'";
        assert_eq!(lines[0], format!("curl --include --no-buffer {address}"));
        assert!(lines.contains(&r#"--header 'Mcp-Name: skill://it'\''s/`id`/$HOME "x".md'"#));
        assert!(lines.contains(&"--header 'Origin: https://page.example'"));
        let body = lines.last().unwrap();
        assert!(body.starts_with("--data-raw '{\"jsonrpc\"") && body.contains(r"it'\''s"));
    }

    #[test]
    fn secrets_are_variables() {
        let mut client = Client::new("https://a.example/mcp?token=abc&v=1&sig-key=2").unwrap();
        client.set_bearer_token("hunter2").unwrap();
        client.set_header("2nd.Key", "x").unwrap();
        let (version, session) = (Some("2025-11-25".to_owned()), Some("s1".to_owned()));
        client.set_wire(Wire::Legacy { version, session });
        let command = curl(&client.request(&Call::Discover).unwrap()).unwrap();
        for part in [
            r#"'https://a.example/mcp?token='"$TOKEN"'&v=1&sig-key='"$SIG_KEY""#,
            r#"--header 'Authorization: '"$AUTHORIZATION""#,
            r#"--header '2nd.Key: '"$_2ND_KEY""#,
            r#"--header 'Mcp-Session-Id: '"$MCP_SESSION_ID""#,
        ] {
            assert!(command.contains(part), "{part} in {command}");
        }
        assert!(!command.contains('•'));
        let end = curl(&client.end_session().unwrap()).unwrap();
        assert!(end.contains("--request DELETE") && !end.contains("--data-raw"));
    }

    #[test]
    fn half_a_request_is_no_command() {
        let mut client = Client::new("http://localhost/mcp").unwrap();
        let mut request = client.request(&Call::Discover).unwrap();
        request.body = "x".repeat(MAX_BODY + 1);
        assert_eq!(curl(&request), None);
    }
}
