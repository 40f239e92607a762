//! Minimizability gaps against independent computations.

mod support;

use deferlab::theory::gap;
use deferlab::theory::loss::SurrogateId;
use support::random_stream;

#[test]
fn experiment() {
    for (shape, d, contexts, sets) in [((2, 1), 1, 3, 2), ((3, 3), 2, 6, 4), ((5, 4), 10, 50, 8),((5,4),10,400,8)] {
        let stream = random_stream(shape, d, contexts, sets, 7);
        for id in SurrogateId::all(0.5, 1.0).unwrap() {
            if contexts > 50 && id != SurrogateId::CstndHinge { continue; }
            for ball in [None, Some(9.0), Some(1.0)] {
                let start = std::time::Instant::now();
                let Ok(g) = gap::solve(&stream, id, ball) else { continue };
                println!("{shape:?} {contexts}x{sets} {id} {ball:?}: {:?} gap {:.3e} primal {:.6} norm {:.3} minnorm {} t {:?}", g.status, g.certificate.relative_gap(), g.certificate.primal, g.matrix.frobenius_norm(), g.minimum_norm, start.elapsed());
            }
        }
    }
}
