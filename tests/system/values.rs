//! What crosses between the host and a session: every kind both ways, and what is said of what does not.

use coldframe::value::{
    ClassName, Dataclass, Date, DateTime, EnumMember, Exception, NamedTuple, Time, TimeDelta,
    TimeZone,
};
use coldframe::{Error, Session, Value};
use coldframe_tests::{block_on, limits, random_values, session};

async fn evaluate(session: &mut Session, source: &str) -> Value {
    let outcome = session.run(source).await.expect("a run");
    assert_eq!(outcome.error, None, "{source}");
    let value = outcome.value.expect("a value");
    value
        .value
        .unwrap_or_else(|| panic!("{source} does not cross"))
}

async fn refusal(session: &mut Session, source: &str) -> String {
    let run = session.run(&format!("v = {source}")).await.expect("a run");
    assert_eq!(run.error, None, "{source}");
    match session.get_variable("v").await {
        Err(Error::Variable { reason, .. }) => reason,
        other => panic!("{source}: {other:?}"),
    }
}

fn has_handle(value: &Value) -> bool {
    matches!(value, Value::Handle(_)) || value.parts().any(has_handle)
}

const CLASSES: &str = "
import enum, dataclasses, typing
class Colour(enum.Enum):
    RED = 1
    GREEN = 'g'
@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: object = None
    def __post_init__(self): print('made')
class Pair(typing.NamedTuple):
    left: int
    right: int
class Problem(Exception):
    pass
";

fn colour() -> Value {
    EnumMember {
        class: ClassName::main("Colour"),
        name: Some("RED".into()),
        value: 1.into(),
    }
    .into()
}

fn point() -> Value {
    Dataclass {
        class: ClassName::main("Point"),
        fields: vec![("x".into(), 1.into()), ("y".into(), vec![colour()].into())],
    }
    .into()
}

#[test]
fn objects_come_out_as_data() {
    block_on(async {
        let mut session = session(&limits()).await;
        session.run(CLASSES).await.expect("a run");
        assert_eq!(
            evaluate(&mut session, "Point(1, [Colour.RED])").await,
            point()
        );
        let pair = NamedTuple {
            class: ClassName::main("Pair"),
            fields: vec![("left".into(), 1.into()), ("right".into(), 2.into())],
        };
        assert_eq!(evaluate(&mut session, "Pair(1, 2)").await, pair.into());
        let problem = Exception {
            class: ClassName::main("Problem"),
            args: vec!["no".into(), 3.into()],
        };
        assert_eq!(
            evaluate(&mut session, "Problem('no', 3)").await,
            problem.into()
        );
        let source = "from datetime import *\nfrom zoneinfo import ZoneInfo\ndatetime(2026, 7, 1, 12, tzinfo=ZoneInfo('Europe/Vienna'))";
        let noon = DateTime::new(
            Date::new(2026, 7, 1).expect("a date"),
            Time::new(12, 0, 0, 0)
                .expect("a time")
                .with_zone(Some(TimeZone::Named {
                    key: "Europe/Vienna".into(),
                    offset: Some(TimeDelta::new(0, 7200, 0).expect("two hours")),
                })),
        );
        assert_eq!(evaluate(&mut session, source).await, noon.clone().into());
        assert_eq!(
            std::time::SystemTime::try_from(&noon),
            Ok(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_782_900_000))
        );
        // The time's own zone says more than the text.
        let json = Value::from(noon).to_json();
        assert_eq!(json["data"], "2026-07-01T12:00:00+02:00");
        assert_eq!(json["zone"], "Europe/Vienna");
    });
}

#[test]
fn objects_that_come_in_are_of_the_sessions_classes() {
    block_on(async {
        let mut session = session(&limits()).await;
        session.run(CLASSES).await.expect("a run");
        session
            .set_variable("p", &point())
            .await
            .expect("it enters");
        let seen = "(type(p) is Point, p == Point(1, [Colour.RED]), p.y[0] is Colour.RED, hash(Point(1)) == hash(Point(1)))";
        let outcome = session.run(seen).await.expect("a run");
        assert_eq!(
            outcome.value.expect("a value").repr,
            "(True, True, True, True)"
        );
        // In a session that has no such classes they are made.
        let mut other = coldframe_tests::session(&limits()).await;
        other.set_variable("p", &point()).await.expect("it enters");
        let seen = "(repr(p), p.y[0].name, p.y[0].value, type(p).__module__)";
        let outcome = other.run(seen).await.expect("a run");
        assert_eq!(
            outcome.value.expect("a value").repr,
            "('Point(x=1, y=[<Colour.RED: 1>])', 'RED', 1, '__main__')"
        );
        assert_eq!(
            other.get_variable("p").await.expect("it comes back"),
            Some(point())
        );
    });
}

#[test]
fn refusals_say_where() {
    block_on(async {
        let mut session = session(&limits()).await;
        session
            .run("class Thing: pass\na = []\na.append({'again': a})")
            .await
            .expect("a run");
        for (source, reason) in [
            (
                "{'rows': [1, 2, 3, (x for x in a)]}",
                "in item 3 of key 'rows': a value of type 'generator' cannot leave the sandbox",
            ),
            (
                "(Thing(),)",
                "in item 0: a value of type 'Thing' cannot leave the sandbox",
            ),
            (
                "a",
                "in key 'again' of item 0: the list contains itself and cannot leave the sandbox",
            ),
        ] {
            assert_eq!(refusal(&mut session, source).await, reason, "{source}");
        }
        // The session goes on.
        assert_eq!(evaluate(&mut session, "1 + 1").await, 2.into());
    });
}

#[test]
fn random_values_go_in_and_come_out() {
    block_on(async {
        let mut session = session(&limits()).await;
        for seed in 0..400 {
            let value = random_values::value(seed);
            // Only objects that the session has been given may enter.
            if has_handle(&value) {
                continue;
            }
            session
                .set_variable("v", &value)
                .await
                .unwrap_or_else(|e| panic!("value {seed}: {e}\n{value:?}"));
            let back = session
                .get_variable("v")
                .await
                .unwrap_or_else(|e| panic!("value {seed}: {e}\n{value:?}"))
                .expect("the variable is there");
            let bytes = |value: Value| {
                random_values::canonical(value)
                    .encode()
                    .expect("it encodes")
            };
            assert_eq!(
                bytes(back.clone()),
                bytes(value.clone()),
                "value {seed}\n{value:?}\n{back:?}"
            );
        }
    });
}

#[test]
fn structs_go_in_and_come_out() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Order {
        id: u64,
        items: Vec<(String, u32)>,
    }
    block_on(async {
        let mut session = session(&limits()).await;
        let order = Order {
            id: 7,
            items: vec![("tea".into(), 2)],
        };
        let value = Value::from_serialize(&order).expect("a value");
        session
            .set_variable("order", &value)
            .await
            .expect("it enters");
        session
            .run("order['items'].append(('cup', 1))")
            .await
            .expect("a run");
        let value = session.get_variable("order").await.expect("it comes back");
        let order: Order = value.expect("it is there").deserialize().expect("an order");
        assert_eq!(order.id, 7);
        assert_eq!(order.items, [("tea".into(), 2), ("cup".into(), 1)]);
    });
}
