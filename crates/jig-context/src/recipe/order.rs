//! Dependencies between recipes: a topological order, or the cycles that prevent one.

use jig_contract::ops::RecipeDefinition;

/// For each recipe, the indexes of those whose outputs it needs. A recipe may use its own previous output, which does
/// not count.
pub(super) fn needs(recipes: &[RecipeDefinition]) -> Vec<Vec<usize>> {
    let makes = |recipe: &RecipeDefinition, role: &str| {
        recipe.context_outputs.as_ref().is_some_and(|outputs| outputs.role == role)
    };
    let of = |(number, recipe): (usize, &RecipeDefinition)| {
        let roles: Vec<&str> = recipe.context_requirements.entries.iter().map(|entry| entry.role.as_str()).collect();
        (0..recipes.len())
            .filter(|other| *other != number && roles.iter().any(|role| makes(&recipes[*other], role)))
            .collect()
    };
    recipes.iter().enumerate().map(of).collect()
}

/// The transitive closure of the dependencies.
fn reach(needs: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let mut reach: Vec<Vec<bool>> = Vec::with_capacity(needs.len());
    for start in 0..needs.len() {
        let mut seen = vec![false; needs.len()];
        let mut open: Vec<usize> = needs[start].clone();
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                open.extend(&needs[next]);
            }
        }
        reach.push(seen);
    }
    reach
}

/// The cycles: recipes that depend on each other. Each is listed once, with its members in order.
pub(super) fn circles(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let reach = reach(needs);
    let mut circles: Vec<Vec<usize>> = Vec::new();
    for start in (0..needs.len()).filter(|start| reach[*start][*start]) {
        if circles.iter().all(|circle| !circle.contains(&start)) {
            circles.push((0..needs.len()).filter(|other| reach[start][*other] && reach[*other][start]).collect());
        }
    }
    circles
}

/// The indexes in topological order, the smaller first where either is possible. Members of a cycle are ordered by
/// index.
pub(super) fn sorted(needs: &[Vec<usize>]) -> Vec<usize> {
    let reach = reach(needs);
    let mut order: Vec<usize> = Vec::with_capacity(needs.len());
    while order.len() < needs.len() {
        let waits = |at: usize| needs[at].iter().any(|other| !order.contains(other) && !(reach[*other][at]));
        let Some(next) = (0..needs.len()).find(|at| !order.contains(at) && !waits(*at)) else { break };
        order.push(next);
    }
    order
}
