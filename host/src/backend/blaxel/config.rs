//! What the service's own command leaves in `~/.blaxel/config.yaml`: workspaces with their credentials, and which of them is the chosen one.
//!
//! The file is read as far as that command writes it: mappings, lists of them, and texts, plain or quoted. What else YAML has is refused by name, and no part of
//! the file is in an error, since it is full of secrets.

use super::super::Secret;

/// How deep mappings and lists may lie in each other.
const MAX_DEPTH: usize = 12;

/// What the file says of one workspace.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Workspace {
    /// The chosen one, or the one that was asked for.
    pub(super) name: String,
    /// Other than `prod`, it is one of the service's trial system.
    pub(super) env: Option<String>,
    pub(super) api_key: Option<Secret>,
    pub(super) client_credentials: Option<Secret>,
    /// Whether somebody logged in with a browser: such tokens have to be renewed by the command that got them.
    pub(super) has_login: bool,
}

/// What a file with that text says of that workspace, or of the chosen one.
pub(super) fn workspace(text: &str, wanted: Option<&str>) -> Result<Workspace, String> {
    let root = parse(text)?;
    let chosen = root
        .get("context")
        .and_then(|context| context.text("workspace"));
    let Some(name) = wanted.or(chosen).filter(|name| !name.is_empty()) else {
        return Err("it has no chosen workspace, and BL_WORKSPACE is not set".to_owned());
    };
    let mut found = Workspace {
        name: name.to_owned(),
        ..Workspace::default()
    };
    let Some(Node::List(workspaces)) = root.get("workspaces") else {
        return Ok(found);
    };
    let Some(workspace) = workspaces.iter().find(|w| w.text("name") == Some(name)) else {
        return Ok(found);
    };
    found.env = workspace.text("env").map(str::to_owned);
    if let Some(credentials) = workspace.get("credentials") {
        let secret = |key: &str| credentials.text(key).map(Secret::new);
        found.api_key = secret("apiKey");
        found.client_credentials = secret("clientCredentials");
        found.has_login = ["access_token", "refresh_token", "device_code"]
            .iter()
            .any(|key| credentials.text(key).is_some());
    }
    Ok(found)
}

enum Node {
    Text(String),
    Map(Vec<(String, Node)>),
    List(Vec<Node>),
}

impl Node {
    fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Node::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// A text that is there and not empty.
    fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(Node::Text(text)) if !text.is_empty() => Some(text),
            _ => None,
        }
    }
}

/// A line that says something: its number, how far it is indented, and the rest.
struct Line<'a> {
    number: usize,
    indent: usize,
    rest: &'a str,
}

fn parse(text: &str) -> Result<Node, String> {
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let rest = line.trim_start_matches(' ');
        let said = rest.trim_end();
        if said.is_empty() || said.starts_with('#') || said == "---" {
            continue;
        }
        if said.starts_with('\t') {
            return Err(format!("line {}: a tab where spaces belong", at + 1));
        }
        lines.push(Line {
            number: at + 1,
            indent: line.len() - rest.len(),
            rest: said,
        });
    }
    let mut at = 0;
    let Some(indent) = lines.first().map(|line| line.indent) else {
        return Ok(Node::Map(Vec::new()));
    };
    let root = block(&mut lines, &mut at, indent, 0)?;
    match lines.get(at) {
        None => Ok(root),
        Some(line) => Err(format!(
            "line {}: it is not indented as the others",
            line.number
        )),
    }
}

/// The mapping or list whose lines are indented so far.
fn block(
    lines: &mut [Line<'_>],
    at: &mut usize,
    indent: usize,
    depth: usize,
) -> Result<Node, String> {
    let mut entries = Vec::new();
    let mut items = Vec::new();
    while let Some(line) = lines.get_mut(*at) {
        let number = line.number;
        let wrong = |what: &str| Err(format!("line {number}: {what}"));
        if line.indent < indent {
            break;
        }
        if line.indent > indent {
            return wrong("it is not indented as the others");
        }
        if depth == MAX_DEPTH {
            return wrong("it lies too deep");
        }
        let item = line
            .rest
            .strip_prefix('-')
            .filter(|rest| rest.is_empty() || rest.starts_with(' '));
        if let Some(rest) = item {
            if !entries.is_empty() {
                return wrong("a list in the middle of a mapping");
            }
            // What follows the hyphen is the first line of a block of its own.
            let inner = rest.trim_start();
            if inner.is_empty() {
                *at += 1;
                items.push(below(lines, at, indent + 1, depth)?);
            } else if key_of(inner).is_some() {
                line.indent += line.rest.len() - inner.len();
                line.rest = inner;
                let deeper = line.indent;
                items.push(block(lines, at, deeper, depth + 1)?);
            } else {
                items.push(Node::Text(scalar(inner, number)?));
                *at += 1;
            }
            continue;
        }
        if !items.is_empty() {
            // A list may lie as far to the left as the key that it belongs to.
            break;
        }
        let Some((key, rest)) = key_of(line.rest) else {
            return wrong("neither a key nor an item of a list");
        };
        let key = scalar(key, number)?;
        *at += 1;
        let node = if rest.is_empty() {
            let is_list = lines.get(*at).is_some_and(|next| {
                next.indent == indent && (next.rest == "-" || next.rest.starts_with("- "))
            });
            below(lines, at, if is_list { indent } else { indent + 1 }, depth)?
        } else {
            Node::Text(scalar(rest, number)?)
        };
        entries.push((key, node));
    }
    Ok(match items.is_empty() {
        true => Node::Map(entries),
        false => Node::List(items),
    })
}

/// The block that is indented at least so far, or nothing.
fn below(
    lines: &mut [Line<'_>],
    at: &mut usize,
    least: usize,
    depth: usize,
) -> Result<Node, String> {
    match lines.get(*at).map(|next| next.indent) {
        Some(indent) if indent >= least => block(lines, at, indent, depth + 1),
        _ => Ok(Node::Text(String::new())),
    }
}

/// A key, and what stands behind its colon.
fn key_of(text: &str) -> Option<(&str, &str)> {
    let end = match text.chars().next()? {
        quote @ ('"' | '\'') => text[1..].find(quote)? + 2,
        _ => text.find(": ").or(text.strip_suffix(':').map(str::len))?,
    };
    let rest = text[end..].strip_prefix(':')?;
    let rest = if rest.trim_start().starts_with('#') {
        ""
    } else {
        rest.trim()
    };
    (rest.is_empty() || text[end + 1..].starts_with(' ')).then_some((&text[..end], rest))
}

/// A text without its quotes and the remark behind it.
fn scalar(text: &str, number: usize) -> Result<String, String> {
    let wrong = |what: &str| Err(format!("line {number}: {what}, which is not supported"));
    if let Some(rest) = text.strip_prefix('\'') {
        let mut out = String::new();
        let mut parts = rest.split('\'');
        out.push_str(parts.next().unwrap_or_default());
        // Two of them are one.
        let mut rest: Vec<_> = parts.collect();
        while rest.len() >= 2 && rest[0].is_empty() {
            out.push('\'');
            out.push_str(rest[1]);
            rest.drain(..2);
        }
        return match rest.as_slice() {
            [after] if is_remark(after) => Ok(out),
            _ => wrong("a quoted text over more than one line"),
        };
    }
    if let Some(rest) = text.strip_prefix('"') {
        return match rest.split_once('"') {
            Some((inner, after)) if !inner.contains('\\') && is_remark(after) => {
                Ok(inner.to_owned())
            }
            _ => wrong("a quoted text with escapes"),
        };
    }
    if text.starts_with(['{', '[', '&', '*', '!', '|', '>', '%', '@', '`'])
        && !matches!(text, "{}" | "[]")
    {
        return wrong("a form of YAML");
    }
    let text = text.split(" #").next().unwrap_or_default().trim_end();
    Ok(match text {
        "~" | "null" | "{}" | "[]" => String::new(),
        text => text.to_owned(),
    })
}

fn is_remark(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || text.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"# what the command left
context:
  workspace: second
  command: ""
workspaces:
- name: first
  env: dev
  credentials:
    apiKey: 'planted-''first'
- name: "second"   # the chosen one
  credentials:
    access_token: ""
    clientCredentials: cGxhbnRlZA==
    expires_in: 0
  - broken
"#;

    #[test]
    fn a_workspace_has_its_credentials() {
        let file = FILE.replace("  - broken\n", "");
        let second = workspace(&file, None).expect("a workspace");
        assert_eq!(
            (second.name.as_str(), second.env.as_deref()),
            ("second", None)
        );
        assert_eq!(second.client_credentials, Some(Secret::new("cGxhbnRlZA==")));
        assert!(second.api_key.is_none() && !second.has_login);
        let first = workspace(&file, Some("first")).expect("a workspace");
        assert_eq!(first.api_key, Some(Secret::new("planted-'first")));
        assert_eq!(first.env.as_deref(), Some("dev"));
        let third = workspace(&file, Some("third")).expect("a workspace");
        assert_eq!((third.api_key, third.client_credentials), (None, None));
        assert!(workspace("", None).is_err());
        // Items further to the right, and a login.
        let file = "context:\n    workspace: a\nworkspaces:\n    - name: a\n      credentials:\n          access_token: x\n          refresh_token: y\n";
        assert!(workspace(file, None).expect("a workspace").has_login);
    }

    #[test]
    fn what_is_not_understood_is_said_without_secrets() {
        let broken = [
            FILE.to_owned(),
            "a: &planted x".to_owned(),
            "a: {planted: x}".to_owned(),
            "planted".to_owned(),
            "a:\n\t- planted".to_owned(),
            "a: \"planted\\n\"".to_owned(),
            "a: 'planted".to_owned(),
            "- a\nplanted: b".to_owned(),
            "  a: b\nplanted: c".to_owned(),
            (0..40)
                .map(|n| format!("{}planted:\n", " ".repeat(n)))
                .collect(),
        ];
        for text in broken {
            let error = workspace(&text, Some("first")).expect_err(&text);
            assert!(
                error.starts_with("line ") && !error.contains("planted"),
                "{error}"
            );
        }
    }
}
