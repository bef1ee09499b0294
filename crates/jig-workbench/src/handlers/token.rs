//! Tokens for the HTTP API.

use jig_contract::ops::*;
use jig_contract::{Actor, Code, OpError, TokenId, check_name};
use jig_store::{NewToken, Token};

use crate::{CallContext, Handle, Workbench};

impl Handle<TokenCreate> for Workbench {
    async fn handle(&self, context: &CallContext, params: TokenCreateParams) -> Result<TokenCreateOutput, OpError> {
        let kind = params.kind.unwrap_or_default();
        if params.role != TokenRole::Owner || kind == TokenKind::Agent || params.workbench_id.is_some() {
            self.check_owner_token().await?;
        }
        let new = NewToken {
            name: check_name("token", &params.name)?,
            role: stored(params.role),
            kind: match kind {
                TokenKind::Person => jig_store::TokenKind::Person,
                TokenKind::Agent => jig_store::TokenKind::Agent,
            },
            workbench_id: params.workbench_id.map(|id| id.check()).transpose()?,
            created_by: who(&context.actor),
        };
        let (token, secret) = self.store().create_token(&new).await?;
        self.token_shelf().forget();
        Ok(TokenCreateOutput { token: secret, info: info(token)? })
    }
}

impl Handle<TokenList> for Workbench {
    async fn handle(&self, _: &CallContext, params: TokenListParams) -> Result<TokenListOutput, OpError> {
        let only = params.workbench_id.map(|id| id.check()).transpose()?;
        let mut tokens = self.store().tokens(only.as_ref()).await?;
        tokens.reverse();
        tokens.retain(|token| params.include_revoked || token.revoked_at.is_none());
        Ok(TokenListOutput { tokens: tokens.into_iter().map(info).collect::<Result<_, _>>()? })
    }
}

impl Handle<TokenRevoke> for Workbench {
    async fn handle(&self, _: &CallContext, params: TokenRevokeParams) -> Result<TokenRevokeOutput, OpError> {
        let id = params.token_id.check()?;
        let revoked = self.store().revoke_token(id.as_str()).await?;
        self.token_shelf().forget();
        let missing = || {
            OpError::new(Code::TokenNotFound, format!("there is no token `{id}`"))
                .hint("`jig token list` shows the tokens and their ids")
        };
        Ok(TokenRevokeOutput { info: info(revoked.ok_or_else(missing)?)? })
    }
}

impl Workbench {
    /// The owner's token must be created first: as soon as tokens exist, a server that others can reach requires one,
    /// which would lock the owner out.
    async fn check_owner_token(&self) -> Result<(), OpError> {
        let own = |token: &Token| {
            token.revoked_at.is_none()
                && token.role == jig_store::TokenRole::Owner
                && token.kind == jig_store::TokenKind::Person
                && token.workbench_id.is_none()
        };
        if self.store().tokens(None).await?.iter().any(own) {
            return Ok(());
        }
        let message = "the first token must be your own: role owner, kind person, for all workbenches";
        Err(OpError::new(Code::ValidationFailed, message)
            .hint("create it with role `owner` and keep it, then create this one"))
    }
}

fn stored(role: TokenRole) -> jig_store::TokenRole {
    match role {
        TokenRole::Reader => jig_store::TokenRole::Reader,
        TokenRole::Writer => jig_store::TokenRole::Writer,
        TokenRole::Owner => jig_store::TokenRole::Owner,
    }
}

fn who(actor: &Actor) -> String {
    match actor {
        Actor::Person { name: Some(name) } | Actor::Agent { name: Some(name), .. } => name.clone(),
        other => other.word().to_owned(),
    }
}

fn info(token: Token) -> Result<TokenInfo, OpError> {
    let strange = |e| OpError::new(Code::Internal, "a token's id in the database is none").because(e);
    Ok(TokenInfo {
        id: TokenId::new(token.id).map_err(strange)?,
        name: token.name,
        role: match token.role {
            jig_store::TokenRole::Reader => TokenRole::Reader,
            jig_store::TokenRole::Writer => TokenRole::Writer,
            jig_store::TokenRole::Owner => TokenRole::Owner,
        },
        kind: match token.kind {
            jig_store::TokenKind::Person => TokenKind::Person,
            jig_store::TokenKind::Agent => TokenKind::Agent,
        },
        workbench_id: token.workbench_id,
        created_at: token.created_at,
        last_used_at: token.last_used_at,
        revoked_at: token.revoked_at,
    })
}
