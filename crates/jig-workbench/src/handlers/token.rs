//! Tokens for the HTTP door.

use jig_contract::ops::*;
use jig_contract::{Actor, Code, OpError, TokenId, check_name};
use jig_store::{NewToken, Token};

use crate::{CallContext, Handle, Workbench};

impl Handle<TokenCreate> for Workbench {
    async fn handle(&self, context: &CallContext, params: TokenCreateParams) -> Result<TokenCreateOutput, OpError> {
        let new = NewToken {
            name: check_name("token", &params.name)?,
            role: stored(params.role),
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
        workbench_id: token.workbench_id,
        created_at: token.created_at,
        last_used_at: token.last_used_at,
        revoked_at: token.revoked_at,
    })
}
