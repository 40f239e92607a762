//! A round of Algorithm 1 in its plainest form: dense loops over rows, read from the JSON of `eval`,
//! nothing shared with the learner or the theory.

use serde_json::{Value, json};

type Matrix = Vec<Vec<f64>>;

/// The output for a request about the algorithm; `None` for kinds that are not about a round.
pub fn answer(kind: &str, input: &Value) -> Option<Value> {
    Some(match kind {
        "proj_KA" => json!({"W": project_active(&active(input, input), &matrix(&input["W"]))}),
        "proj_ball" => json!({"W": project_ball(&matrix(&input["W"]), float(&input["B"]))}),
        "estimator" => {
            let full = input["feedback"] == "full";
            let round = Round::new(input, input);
            let step = round.estimate(&matrix(&input["W"]), float(&input["gamma"]), full);
            json!({
                "u": step.u, "y_star": step.greedy, "q": step.q, "value": step.value,
                "G": step.gradient, "Gproj": step.projected,
            })
        }
        "trajectory" => trajectory(input),
        _ => return None,
    })
}

/// One round: who is active, what is seen, played and paid.
struct Round {
    classes: usize,
    active: Vec<usize>,
    x: Vec<f64>,
    label: usize,
    played: usize,
    /// Cost of every expert at the label.
    costs: Vec<f64>,
}

/// What a round makes of a matrix.
struct Step {
    u: Vec<f64>,
    greedy: usize,
    q: Vec<f64>,
    value: f64,
    gradient: Matrix,
    projected: Matrix,
}

impl Round {
    fn new(input: &Value, row: &Value) -> Self {
        let label = index(&row["y"]);
        Round {
            classes: index(&input["n"]),
            active: active(input, row),
            x: floats(&row["x"]),
            label,
            played: index(&row["yprime"]),
            costs: row["c"].as_array().unwrap().iter().map(|c| float(&c[label])).collect(),
        }
    }

    fn estimate(&self, w: &Matrix, gamma: f64, full: bool) -> Step {
        let centred = project_active(&self.active, w);
        let inputs: Vec<f64> = self.x.iter().copied().chain([1.0]).collect();
        let score = |&a: &usize| inputs.iter().zip(&centred[a]).map(|(x, w)| x * w).sum::<f64>();
        let u: Vec<f64> = self.active.iter().map(score).collect();
        let k = u.len();
        let best = (0..k).fold(0, |best, a| if u[a] > u[best] { a } else { best });
        let mut q = vec![gamma / k as f64; k];
        q[best] += 1.0 - gamma;
        let weights = self.target_weights(&q, full);
        // Phi_01(u, a) = sum_{b != a} [1 + u_b]_+: row b is pulled by all targets but itself.
        let total: f64 = weights.iter().sum();
        let mut value = 0.0;
        let mut gradient = vec![vec![0.0; inputs.len()]; w.len()];
        for (b, &action) in self.active.iter().enumerate() {
            if 1.0 + u[b] > 0.0 {
                let pull = total - weights[b];
                value += pull * (1.0 + u[b]);
                gradient[action] = inputs.iter().map(|x| pull * x).collect();
            }
        }
        let projected = project_active(&self.active, &gradient);
        Step { greedy: self.active[best], u, q, value, gradient, projected }
    }

    /// How much each active target weighs in the loss the learner builds (Sec. 6.1).
    fn target_weights(&self, q: &[f64], full: bool) -> Vec<f64> {
        let reward = |a: usize| match a.checked_sub(self.classes) {
            Some(j) => 1.0 - self.costs[j],
            None => f64::from(u8::from(a == self.label)),
        };
        // With two classes alone, right or wrong tells the label: nothing is estimated.
        if full || self.active.len() == 2 {
            return self.active.iter().map(|&a| reward(a)).collect();
        }
        let weight = |(position, &a): (usize, &usize)| match a == self.played {
            true => reward(a) / q[position],
            false => 0.0,
        };
        self.active.iter().enumerate().map(weight).collect()
    }
}

fn trajectory(input: &Value) -> Value {
    let rows = index(&input["n"]) + index(&input["n_e"]);
    let columns = index(&input["d"]) + 1;
    let (b, rho, n) = (float(&input["B"]), float(&input["rho"]), rows as f64);
    let schedule = input["schedule"].as_str().unwrap();
    let n3 = n * n * n;
    let mut w = vec![vec![0.0; columns]; rows];
    let mut squares = w.clone();
    let mut steps = Vec::new();
    for (t, row) in (1..).zip(input["rounds"].as_array().unwrap()) {
        let t = f64::from(t);
        let (eta, gamma) = match schedule {
            "general" | "full" => {
                (b / (n3.sqrt() * rho * t.powf(2.0 / 3.0)), t.powf(-1.0 / 3.0).min(0.5))
            }
            "concentrated" => {
                let gamma = (b * n3.sqrt() * rho / t.sqrt()).min(0.5);
                (gamma / (4.0 * n3 * rho * rho), gamma)
            }
            "experiment" | "adagrad" => (5e-4 / t.sqrt(), (10.0 / t.sqrt()).min(0.5)),
            other => panic!("schedule {other}"),
        };
        let full = schedule == "full";
        let step = Round::new(input, row).estimate(&w, if full { 0.0 } else { gamma }, full);
        for i in 0..rows {
            for j in 0..columns {
                let g = step.projected[i][j];
                squares[i][j] += g * g;
                w[i][j] -= g * match schedule {
                    "adagrad" => {
                        float(&input["ada_lr"]) / (squares[i][j].sqrt() + float(&input["ada_eps"]))
                    }
                    _ => eta,
                };
            }
        }
        w = project_ball(&w, b);
        steps.push(json!({"y_star": step.greedy, "q": step.q, "W_norm": frobenius(&w)}));
    }
    json!({"rounds": steps, "W_final": w})
}

fn project_active(active: &[usize], w: &Matrix) -> Matrix {
    let mut projected = w.clone();
    for column in 0..w[0].len() {
        let mean = active.iter().map(|&a| w[a][column]).sum::<f64>() / active.len() as f64;
        active.iter().for_each(|&a| projected[a][column] -= mean);
    }
    projected
}

fn project_ball(w: &Matrix, radius: f64) -> Matrix {
    let norm = frobenius(w);
    let scale = if norm > radius { radius / norm } else { 1.0 };
    w.iter().map(|row| row.iter().map(|v| v * scale).collect()).collect()
}

fn frobenius(w: &Matrix) -> f64 {
    w.iter().flatten().map(|v| v * v).sum::<f64>().sqrt()
}

/// All classes, then the experts of `row`.
fn active(input: &Value, row: &Value) -> Vec<usize> {
    let n = index(&input["n"]);
    let mut experts: Vec<usize> =
        row["A"].as_array().unwrap().iter().map(|j| n + index(j)).collect();
    experts.sort_unstable();
    (0..n).chain(experts).collect()
}

fn index(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(float).collect()
}

fn matrix(value: &Value) -> Matrix {
    value.as_array().unwrap().iter().map(floats).collect()
}
