// Route a stream of your own between a model and experts who come and go.
// A doctor knows the hard cases but works half of the day; a nurse is cheaper and often wrong.
use deferlab::prelude::*;
use rand::{RngExt, SeedableRng};

fn main() -> Result<(), LearnerError> {
    let space = ActionSpace::new(2, 2)?; // classes: healthy, ill; experts: doctor, nurse
    let costs = [ExpertCost::new(1.0, 0.2)?, ExpertCost::new(1.0, 0.05)?];
    let mut router = AutoRouter::new(AutoConfig::new(space, 2))?;
    let mut rng = rand_pcg::Pcg64::seed_from_u64(1);
    let (mut asked, mut mistakes) = ([0, 0], 0);
    for t in 0..20_000 {
        let (sign, hard) = (rng.random_bool(0.5), rng.random_bool(0.3)); // your data goes here
        let ill = if hard { rng.random_bool(0.5) } else { sign };
        let evidence = if hard { 0.0 } else { 2.0 * f64::from(sign) - 1.0 };
        let x = [evidence, f64::from(hard)];
        let on_duty = if t % 24 < 12 { vec![0, 1] } else { vec![1] };

        let decision = router.decide(Features::Dense(&x), space.active(on_duty)?)?;
        let action = decision.sample(rng.random());
        let expert = space.expert_of(action);
        let correct = match expert {
            None => action.index() == usize::from(ill),
            Some(j) => rng.random_bool([0.98, 0.6][j]), // ask the person
        };
        let cost = expert.map(|j| costs[j].normalized(correct));
        router.observe(Feedback::Bandit { action, correct, cost })?;
        expert.inspect(|&j| asked[j] += 1);
        mistakes += usize::from(!correct);
    }
    println!("asked the doctor {} times, the nurse {} times", asked[0], asked[1]);
    println!("{mistakes} mistakes in 20000 cases");
    Ok(())
}
