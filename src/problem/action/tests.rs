//! Spaces, actions and active sets, small and large.

use super::*;

#[test]
fn spaces_that_make_no_sense_cannot_be_built() {
    assert!(matches!(ActionSpace::new(1, 3), Err(ProblemError::TooFewClasses { n: 1 })));
    assert!(matches!(ActionSpace::new(0, 0), Err(ProblemError::NoActions)));
    assert!(ActionSpace::new(0, 1).is_ok() && ActionSpace::new(2, 4094).is_ok());
    assert!(matches!(ActionSpace::new(2, 4095), Err(ProblemError::TooManyActions { .. })));
    let paper = |n, n_e| ActionSpace::new(n, n_e).unwrap().of_the_paper();
    assert!(paper(2, 126).is_ok());
    assert!(matches!(paper(2, 127), Err(ProblemError::NotSmall { .. })));
    assert!(matches!(paper(0, 2), Err(ProblemError::NoClasses)));
    assert!(ActionSpace::new(usize::MAX, 2).is_err());
    assert!(serde_json::from_str::<ActionSpace>(r#"{"n":1,"n_e":0}"#).is_err());
}

#[test]
fn active_sets_list_classes_then_sorted_experts() {
    let space = ActionSpace::new(3, 4).unwrap();
    let set = space.active([3, 1, 3]).unwrap();
    let listed: Vec<usize> = set.iter().map(Action::index).collect();
    assert_eq!(listed, [0, 1, 2, 4, 6]);
    assert_eq!(set.len(), 5);
    assert_eq!(set.experts().collect::<Vec<_>>(), [1, 3]);
    assert_eq!(set.position(space.expert(3).unwrap()), Some(4));
    assert_eq!(set.position(space.expert(0).unwrap()), None);
    assert_eq!(set.nth(3), Some(space.expert(1).unwrap()));
    assert_eq!(set.nth(1), Some(space.class(1).unwrap()));
    assert_eq!(set.nth(5), None);
    assert_eq!(set, space.active_from_mask(0b1010).unwrap());
    assert!(matches!(space.active([4]), Err(ProblemError::NoSuchExpert { expert: 4, experts: 4 })));
    assert!(matches!(
        space.active_from_mask(1 << 100),
        Err(ProblemError::NoSuchExpert { expert: 100, experts: 4 })
    ));
}

#[test]
fn the_full_width_is_usable() {
    let space = ActionSpace::new(2, 126).unwrap();
    let all = space.all_active();
    assert_eq!(all.len(), 128);
    assert_eq!(all, space.active_from_mask(low_bits(126)).unwrap());
    assert_eq!(all.position(space.action(127).unwrap()), Some(127));
    assert_eq!(all.iter().last().unwrap().index(), 127);
    // 128 classes and nobody else: there is nothing to shift, and nowhere to shift it.
    let classes = ActionSpace::new(128, 0).unwrap();
    assert_eq!(classes.active([]).unwrap(), classes.all_active());
    assert_eq!(classes.active_from_mask(0).unwrap(), classes.classes_only());
}

#[test]
fn without_classes_a_set_may_be_empty() {
    let space = ActionSpace::new(0, 3).unwrap();
    assert!(space.classes_only().is_empty() && !space.all_active().is_empty());
    let two = space.active([0, 2]).unwrap();
    assert_eq!(two.nth(1), Some(space.expert(2).unwrap()));
    assert_eq!(two.position(space.expert(2).unwrap()), Some(1));
    assert_eq!(space.classes_only().nth(0), None);
    let widest = ActionSpace::new(0, 128).unwrap();
    assert_eq!(widest.active_from_mask(u128::MAX).unwrap(), widest.all_active());
}

#[test]
fn large_spaces_say_so_where_a_small_one_is_needed() {
    let space = ActionSpace::new(2, 200).unwrap();
    assert!(matches!(space.active([1]), Err(ProblemError::NotSmall { n: 2, n_e: 200 })));
    assert!(space.active_from_mask(1).is_err() && space.all_active().small().is_err());
    let mut buffer = ActiveBuffer::new(space);
    assert!(matches!(buffer.fill([3, 200]), Err(ProblemError::NoSuchExpert { .. })));
    assert_eq!(buffer.get(), space.classes_only());
}

use proptest::prelude::*;

/// A space, large or small, and experts of it.
fn spaces() -> impl Strategy<Value = (ActionSpace, Vec<usize>)> {
    let shapes = prop_oneof![
        (2usize..8, 0usize..40),
        (0usize..200, 1usize..900),
        (2usize..4, 4000usize..4092)
    ];
    shapes.prop_flat_map(|(n, n_e)| {
        let n = if n == 1 { 0 } else { n };
        let space = ActionSpace::new(n, n_e).unwrap();
        (Just(space), prop::collection::vec(0..n_e.max(1), 0..=n_e.min(60)))
    })
}

proptest! {
    /// A set says what a sorted list of its actions says.
    #[test]
    fn sets_of_any_size_are_sorted_lists((space, experts) in spaces()) {
        let experts: std::collections::BTreeSet<usize> =
            experts.into_iter().filter(|&j| j < space.experts()).collect();
        let n = space.classes();
        let list: Vec<usize> = (0..n).chain(experts.iter().map(|j| n + j)).collect();
        let mut buffer = ActiveBuffer::new(space);
        let set = buffer.fill(experts.iter().copied()).unwrap();
        prop_assert_eq!(set.iter().map(Action::index).collect::<Vec<_>>(), list.clone());
        prop_assert_eq!(set.iter().len(), list.len());
        prop_assert_eq!((set.len(), set.is_empty()), (list.len(), list.is_empty()));
        prop_assert_eq!(set.experts().collect::<Vec<_>>(), experts.iter().copied().collect::<Vec<_>>());
        for index in 0..space.len() {
            let action = space.action(index).unwrap();
            let place = list.iter().position(|&a| a == index);
            prop_assert_eq!(set.position(action), place);
            prop_assert_eq!(set.contains(action), place.is_some());
        }
        for position in 0..=list.len() {
            prop_assert_eq!(set.nth(position).map(Action::index), list.get(position).copied());
        }
        if space.len() <= SMALL_ACTIONS {
            prop_assert_eq!(set, space.active(experts.iter().copied()).unwrap());
        }
        let mut copy = ActiveBuffer::new(space);
        copy.copy(set);
        prop_assert_eq!(copy.get(), set);
        prop_assert_eq!(space.all_active().iter().map(Action::index).collect::<Vec<_>>(), (0..space.len()).collect::<Vec<_>>());
        prop_assert_eq!(space.classes_only().iter().count(), n);
        let everybody = copy.fill(0..space.experts()).unwrap();
        prop_assert_eq!(everybody, space.all_active());
        prop_assert!(everybody.is_full());
    }
}
