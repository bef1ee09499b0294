//! Which recipe needs which other's output: an order, or the circles that have none.

use jig_contract::ops::RecipeDefinition;

/// For each recipe, the numbers of those whose outputs it needs. Its own is not counted: a run may look at what the one
/// before it made.
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

/// Everything that each recipe needs, directly or through others.
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

/// The circles: recipes that need each other. Each is listed once, with its members in order.
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

/// The numbers so that each comes after those it needs; of what is free, the smaller first. Circles stand in between as
/// they are numbered.
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
