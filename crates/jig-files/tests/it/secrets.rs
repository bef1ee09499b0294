//! Likely keys: lines with keys and lines without, as they occur in usual projects and documents. Keys are made up when the
//! test runs: none is in the source.

use jig_files::find_secrets;

/// Fills `{a:36}` with characters of an alphabet: `a` letters and digits, `w` lower case and digits, `h` hexadecimal, `H` in
/// upper case, `u` base32, `U` upper case and digits, `d` digits, `b` base64, `_` for URLs, `g` a UUID.
fn fill(template: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap_or(0) % n
    };
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        out += &rest[..at];
        let tail = &rest[at..];
        let known = tail.find('}').and_then(|end| {
            let (kind, count) = tail[1..end].split_once(':')?;
            Some((kind.to_owned(), count.parse::<usize>().ok()?, end))
        });
        let Some((kind, count, end)) = known.filter(|(kind, _, _)| kind.len() == 1) else {
            out.push('{');
            rest = &tail[1..];
            continue;
        };
        let alphabet = match kind.as_str() {
            "a" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "w" => "abcdefghijklmnopqrstuvwxyz0123456789",
            "h" => "0123456789abcdef",
            "H" => "0123456789ABCDEF",
            "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "U" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            "d" => "0123456789",
            "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            "_" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
            "p" => "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!%*+?=",
            _ => "0123456789abcdef",
        };
        if kind == "g" {
            let mut hex = |n: usize| (0..n).map(|_| char::from(b"0123456789abcdef"[next(16)])).collect::<String>();
            out += &format!("{}-{}-4{}-a{}-{}", hex(8), hex(4), hex(3), hex(3), hex(12));
        } else {
            let letters = alphabet.as_bytes();
            (0..count).for_each(|_| out.push(char::from(letters[next(letters.len())])));
        }
        rest = &tail[end + 1..];
    }
    out + rest
}

const KEYS: &[&str] = &[
    "aws_access_key_id = AKIA{u:16}",
    "export AWS_SECRET_ACCESS_KEY={b:40}",
    "GITHUB_TOKEN=ghp_{a:36}",
    "git clone https://github_pat_{a:22}_{a:59}@github.com/acme/app.git",
    "OPENAI_API_KEY=sk-proj-{_:74}T3BlbkFJ{_:74}",
    "ANTHROPIC_API_KEY: \"sk-ant-api03-{_:93}AA\"",
    "const stripe = Stripe('sk_live_{a:24}');",
    "SLACK_BOT_TOKEN=xoxb-{d:12}-{d:12}-{a:24}",
    "https://hooks.slack.com/services/T{U:8}/B{U:10}/{a:24}",
    "google_maps_key: AIza{_:35}",
    "SENDGRID_API_KEY=SG.{_:22}.{_:43}",
    "TWILIO: SK{h:32}",
    "npm_token = npm_{a:36}",
    "npm login with the token npm_{a:36} and publish",
    "GITLAB=glpat-{_:20}",
    "password = pypi-AgEIcHlwaS5vcmc{_:120}",
    "DATABASE_URL=postgres://app:{p:18}@db.internal:5432/app",
    "mongodb+srv://reporting:{a:20}@cluster0.mongodb.net/sales",
    "-----BEGIN RSA PRIVATE KEY-----\n{b:64}\n{b:64}\n{b:64}\n{b:64}\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n{b:70}\n{b:70}\n{b:70}\n-----END OPENSSH PRIVATE KEY-----",
    "Authorization: Bearer eyJ{_:30}.eyJ{_:60}.{_:43}",
    "api_key: \"{a:32}\"",
    "\"client_secret\": \"{_:40}\",",
    "The password for the portal is: password: {p:14}",
    "db.password={p:16}",
    "AccountName=acme;AccountKey={b:86}==;EndpointSuffix=core.windows.net",
    "\"client_secret\":\"GOCSPX-{_:28}\"",
    "TELEGRAM_BOT={d:9}:AA{_:33}",
    "DO_TOKEN=dop_v1_{h:64}",
    "HF_TOKEN=hf_{a:34}",
    "SHOPIFY_ACCESS_TOKEN=shpat_{h:32}",
    "X-Api-Key: {a:40}",
    "secret_token = '{h:64}'",
    "REDIS=redis://:{a:20}@cache:6379/0",
    "curl https://api.telegram.org/bot{d:10}:AA{_:33}/getMe",
    "Mot de passe : {p:7}7{p:6}",
    "contraseña: \"{p:7}7{p:6}\"",
    "Пароль: {a:6}4{a:5}",
    "管理画面のパスワード：{a:8}3{a:6}",
    "数据库密码: {a:8}3{a:6}",
    "The staging password is {a:8}3{a:6}.",
    "Das Passwort lautet: {a:8}3{a:6}",
    "<dbPassword>{a:8}9{a:7}</dbPassword>",
    "<add:secret id=\"1\"><![CDATA[{a:16}5{a:7}]]></add:secret>",
    "machine api.acme.com\n  login jo\n  password {a:8}9{a:7}",
    "curl -H 'Authorization: Basic {a:30}=='",
    "jig serve prints jig_start_{_:43}",
    "header = \"jig_{_:43}\"",
    "FIGMA=figd_{_:40}",
    "r8_{a:37}",
    "sbp_{h:40}",
];

const HARMLESS: &[&str] = &[
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "API_KEY=YOUR_API_KEY",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "password: ${DB_PASSWORD}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "api_key = os.environ['API_KEY']",
    "const token = process.env.SLACK_BOT_TOKEN;",
    "password=changeme",
    "password: \"********\"",
    "    \"integrity\": \"sha512-{b:86}==\",",
    "      resolved \"https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#{h:40}\"",
    "checksum = \"{h:64}\"",
    "github.com/acme/key v1.2.3 h1:{b:43}=",
    "commit {h:40}",
    "Merge branch 'token-refresh' into main ({h:7})",
    "id: {g:1}",
    "\"tenantId\": \"{g:1}\", \"clientId\": \"{g:1}\"",
    "![logo](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{b:400}==)",
    "<img src=\"data:image/png;base64,{b:300}\">",
    "sha256:{h:64}",
    "image: registry.acme.com/app@sha256:{h:64}",
    "-----BEGIN CERTIFICATE-----\n{b:64}\n{b:64}\n{b:64}\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n{b:64}\n{b:64}\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b:43} jo@laptop",
    "The API key is stored in the vault; ask Jo for it.",
    "Set the password in the settings before you start.",
    "The password is base64-encoded before it is stored.",
    "The password is required.",
    "Das Passwort ist abgelaufen.",
    "mot de passe : obligatoire",
    "パスワード：必須入力",
    "<password>${env.PASSWORD}</password>",
    "<password type=\"string\">required</password>",
    "machine learning login page password reset",
    "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "jig_workbench_with_a_very_long_name_of_a_function_in_code",
    "function getToken(userId, tokenType) { return cache.get(`${userId}:${tokenType}`); }",
    "primary_key=True, foreign_key='users.id'",
    "public_key = \"{h:64}\"",
    "KEY_LENGTH = 32",
    "token_count: 12345, tokenizer: o200k_base",
    "passwordField.setPlaceholderText(\"Enter your password\")",
    "<input type=\"password\" name=\"password\" autocomplete=\"current-password\">",
    "if (password.length < 12) throw new Error('password too short');",
    "secretName: app-database-credentials",
    "secretKeyRef:\n  name: postgres-credentials\n  key: password",
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: api-config",
    "https://example.com/path?token=<your-token>",
    "postgres://user:password@localhost:5432/app",
    "etag: \"{h:32}\"",
    "Invoice 2026-{d:6}, IBAN DE{d:20}, 1.234,56 EUR",
    "Keyboard shortcuts: Ctrl+Shift+K, key bindings: vim_normal_mode_bindings",
    "access_token_expires_in_seconds = 3600",
];

const LATER_KEYS: &[&str] = &[
    "AZURE_CLIENT_SECRET={a:3}8Q~{_:34}",
    "STRIPE_WEBHOOK_SECRET=whsec_{a:32} STRIPE_KEY=rk_live_{a:24}",
    "MAILGUN_API_KEY=key-{h:32}",
    "mailchimp_api_key = \"{h:32}-us12\"",
    "SQUARE_ACCESS_TOKEN=EAAA{_:60}",
    "dropbox_token: sl.{_:136}",
    "fly deploy --access-token FlyV1 fm2_{b:500}",
    "NEW_RELIC_API_KEY = 'NRAK-{U:27}'",
    "LINEAR_API_KEY=lin_api_{a:40}",
    "NOTION_TOKEN=ntn_{d:11}{a:35}",
    "POSTMAN=PMAK-{h:24}-{h:34}",
    "vault_token = \"hvs.{_:95}\"",
    "grafana: glc_{b:100}==",
    "sentry_token=sntrys_eyJpYXQiO{b:60}LCJyZWdpb25fdXJs{b:60}_{b:43}",
    "DATABRICKS_TOKEN=dapi{h:32}",
    "pulumi pul-{h:40}",
    "PLANETSCALE: pscale_tkn_{_:40}",
    "doppler token dp.pt.{a:43}",
    "age secret AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE6",
    "-----BEGIN EC PRIVATE KEY-----\n{b:64}\n{b:64}\n{b:40}==\n-----END EC PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{b:64}\n{b:64}\n{b:64}\n-----END PGP PRIVATE KEY BLOCK-----",
    "redis://default:{a:32}@cache.acme.com:6379/0",
    "amqps://svc:{p:20}@mq.acme.com/vhost",
    "jdbc.password = {p:15}",
    "<add key=\"x\" /> password=\"{p:16}\"",
    "{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{b:64}\\n{b:64}\\n{b:64}\\n-----END PRIVATE KEY-----\\n\"}",
    "curl -H \"Authorization: Bearer {a:48}\" https://api.acme.com",
    "GROQ_API_KEY=gsk_{a:52}",
    "HEROKU_API_KEY={g:1}",
    "discord_client_secret = \"{_:32}\"",
    "datadog_api_key: {h:32}",
    "ACCESS_TOKEN=\"{_:64}\"",
    "gho_{a:36} was found in the log",
    "AKIA{u:16},{b:40}",
];

const LATER_HARMLESS: &[&str] = &[
    "SECRET_KEY_BASE=<%= ENV['SECRET_KEY_BASE'] %>",
    "token = get_token(request)",
    "self.token = token",
    "DATABASE_PASSWORD=$(cat /run/secrets/db_password)",
    "password: '{{ vault_db_password }}'",
    "api_key: null",
    "apiKey: undefined,",
    "API_TOKEN=<insert token here>",
    "\"key\": \"ArrowLeft\", \"code\": \"ArrowLeft\"",
    "key: com.acme.desktop.preferences.window.width",
    "cache-key: {h:40}-node-modules",
    "- name: cache\n  key: ${{ runner.os }}-cargo-${{ hashFiles('**/Cargo.lock') }}",
    "\"_resolved\": \"https://registry.npmjs.org/keyv/-/keyv-4.5.4.tgz\", \"_shasum\": \"{h:40}\"",
    "[[package]]\nname = \"keyring\"\nversion = \"2.3.3\"\nchecksum = \"{h:64}\"",
    "    {file = \"tokenizers-0.15.2-cp311-manylinux.whl\", hash = \"sha256:{h:64}\"},",
    "gem 'jwt', '~> 2.7' # token handling",
    "GET /v1/keys?limit=10&after={g:1}",
    "X-Request-Id: {g:1}",
    "trace_id={h:32} span_id={h:16}",
    "\"publicKey\": \"{b:44}\"",
    "gpg --recv-keys {H:40}",
    "Key fingerprint = 4AEE 18F8 3AFD EB23 2D1A",
    "SSH host key fingerprint is SHA256:{b:43}",
    "| key | value |\n|---|---|\n| monkey | 42 |",
    "Schlüsselwörter: Passwort vergessen? Klicken Sie hier.",
    "Das Passwort lautet wie besprochen.",
    "Password policy: at least 12 characters, one digit",
    "passwords_must_match: \"The passwords do not match\"",
    "export default function PasswordReset() { const [password, setPassword] = useState(''); }",
    "PASSWORD_HASHERS = ['django.contrib.auth.hashers.PBKDF2PasswordHasher']",
    "authorization: Bearer <token>",
    "Authorization: Basic ${credentials}",
    "tokens.push(Token::Identifier(name));",
    "const SECRET_NAME = 'projects/acme/secrets/db/versions/latest';",
    "aws s3 cp s3://acme-bucket/key/prefix/file-2026-01-02.csv .",
    "arn:aws:iam::123456789012:role/deploy-role",
    "nonce: '{b:24}', script-src 'sha256-{b:43}='",
    "The customer's token of appreciation was a keyring worth 12 EUR.",
    "redis://localhost:6379/0",
    "smtp://mail.acme.com:587",
    "https://user@acme.com/path:8080",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk_test_xxxxxxxxxxxxxxxxxxxxxxxx",
    "MIIB{b:200}",
    "license_key_format: XXXXX-XXXXX-XXXXX-XXXXX",
    "\"reset_password\": \"Zurücksetzen\",",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "spring.datasource.password=${DB_PASSWORD:changeme}",
    "\"h1:{b:43}=\", \"zh:{h:64}\"",
    "      - uses: acme/token-action@{h:40} # v2",
    "INSERT INTO users (email, password) VALUES ('a@b.c', '$2b$12${a:53}');",
    "Ihr Passwort: wird Ihnen separat zugeschickt.",
];

/// The text of a line among others, in several variants.
fn variants(template: &str) -> impl Iterator<Item = String> {
    (1..=5).map(move |seed| {
        let seed = seed * 1_000 + template.len() as u64;
        format!("# Notes\n\n{}\n\nThe end.\n", fill(template, seed))
    })
}

#[test]
fn keys_are_found_at_their_line() {
    for template in KEYS.iter().chain(LATER_KEYS) {
        for text in variants(template) {
            let found = find_secrets(&text);
            assert!(!found.is_empty(), "{template}: {text}");
            let last = 3 + template.matches('\n').count();
            assert!(found.iter().all(|one| (3..=last).contains(&one.line)), "{template}: {found:?}");
        }
    }
}

#[test]
fn examples_placeholders_hashes_ids_and_code_are_no_keys() {
    for template in HARMLESS.iter().chain(LATER_HARMLESS) {
        for text in variants(template) {
            let found = find_secrets(&text);
            assert!(found.is_empty(), "{template}: {found:?} in {text}");
        }
    }
}

#[test]
fn the_sources_and_documents_of_this_project_have_no_keys() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["docs", "crates/jig-files/src", "crates/jig-workbench/src", "crates/jig-contract/src", "packaging"] {
        collect(&root.join(folder), &mut files);
    }
    files.extend(["Cargo.lock", "Cargo.toml", "README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    assert!(files.len() > 200, "{}", files.len());
    for path in files {
        // The rules name a key's beginning.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if path.ends_with("secrets/rules.json") {
            continue;
        }
        let found = find_secrets(&text);
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
}

fn collect(folder: &std::path::Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

#[test]
fn many_keys_and_long_texts_end() {
    let many: String = (0..5_000).map(|seed| fill("token = ghp_{a:36}\n", seed)).collect();
    assert!(!find_secrets(&many).is_empty());
    let long = "key = ".repeat(100_000);
    assert!(find_secrets(&long).is_empty());
    let one_line = "a".repeat(3_000_000);
    assert!(find_secrets(&one_line).is_empty());
    assert!(find_secrets("").is_empty());
}
