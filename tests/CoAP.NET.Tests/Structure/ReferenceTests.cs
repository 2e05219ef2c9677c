using System.Reflection;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// Classes refer to each other by type, so that "find all references" finds them: not by a delegate that somebody hangs onto an object
/// later, not by an object that is cast back, and not by an interface that stands for its only implementer.
/// </summary>
public sealed class ReferenceTests
{
    private const BindingFlags Own =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    // Delegates of internal classes that are no events and are not there from the beginning.
    private static readonly string[] s_delegates =
    [
        // What a user said, kept to be called.
        "Route.Handler",
        "Route.LinkSource",
        "RouteSettings.Describe",
        "RouteSettings.Limiter",
        "RouteSettings.ListedWhen",
        "RouteSettings.ObserverTerms",
        "TlsCheck.UserCallback",

        // The work of a thread, as its caller gave it (CoapScheduler.Queue).
        "Worker._work",
    ];

    private static readonly string[] s_objects =
    [
        // Whom a user says that a peer is: an object of the user, which is compared and given back.
        "CacheKey._identity",
        "ChannelHints.Identity",
        "CoapAcceptedConnection.Identity",
        "CoapDuplexPipe.Identity",
        "CoapPeerSnapshot.Identity",
        "ConnectionFacts.Identity",
        "SubjectKey._identity",

        // Compared by reference only.
        "CacheKey._owner",

        // One of a few types, which a kind beside it or its only reader names: two words instead of a field for each.
        "ClientRequest._outcome",
        "CoapRequest._origin",
        "ShardEffect._detail",
        "ShardEffect._subject",
        "StepOutcome._value",

        // As the platform has it: the sender of events, and the state of work.
        "ObserverEvents.sender",
        "Worker._state",
    ];

    private static readonly string[] s_interfaces =
    [
        // Tests of HandlerThreads stand in for queues.
        "IHandlerQueue",
    ];

    private static readonly Type[] s_types =
        [.. typeof(CoapCounters).Assembly.GetTypes()
            .Where(static type => !type.IsDefined(typeof(CompilerGeneratedAttribute)) && !IsGenerated(type))];

    [Fact]
    public void No_internal_class_has_a_delegate_that_is_set_later()
    {
        string[] found =
        [
            .. s_types.Where(static type => !IsPublic(type) && type.IsClass && !type.IsAssignableTo(typeof(Delegate)))
                .SelectMany(static type => type.GetFields(Own))
                .Where(static field => field.FieldType.IsAssignableTo(typeof(Delegate)) && !field.IsInitOnly && !IsEvent(field)
                    && !IsParameter(field))
                .Select(NameOf),
        ];
        AssertSame(s_delegates, found);
    }

    [Fact]
    public void No_field_is_an_object_that_is_cast_back()
    {
        string[] found =
        [
            .. s_types.SelectMany(static type => type.GetFields(Own)).Where(static field => field.FieldType == typeof(object))
                .Select(NameOf),
        ];
        AssertSame(s_objects, found);
    }

    [Fact]
    public void No_internal_interface_stands_for_its_only_implementer()
    {
        string[] found =
        [
            .. s_types.Where(static type => type.IsInterface && !IsPublic(type))
                .Where(type => s_types.Count(other => !other.IsInterface && Implements(other, type)) < 2)
                .Select(static type => type.Name),
        ];
        AssertSame(s_interfaces, found);
    }

    private static void AssertSame(string[] listed, string[] found)
    {
        string[] added = [.. found.Except(listed).Order(StringComparer.Ordinal)];
        string[] gone = [.. listed.Except(found).Order(StringComparer.Ordinal)];
        Assert.True(added.Length == 0, $"Not on the list: {string.Join(", ", added)}");
        Assert.True(gone.Length == 0, $"No more there, so take off the list: {string.Join(", ", gone)}");
    }

    private static bool Implements(Type type, Type contract) =>
        type.GetInterfaces().Any(own => (own.IsGenericType ? own.GetGenericTypeDefinition() : own) == contract)
        && !(type.BaseType is { } parent && parent.Assembly == contract.Assembly && Implements(parent, contract));

    private static bool IsPublic(Type type) => type.IsVisible;

    private static bool IsGenerated(Type type) =>
        type.Name.Contains('<', StringComparison.Ordinal) || (type.DeclaringType is { } outer && IsGenerated(outer));

    private static bool IsEvent(FieldInfo field) => field.DeclaringType!.GetEvent(field.Name, Own) is not null;

    // A parameter of a primary constructor is there from the beginning.
    private static bool IsParameter(FieldInfo field) => field.Name.EndsWith(">P", StringComparison.Ordinal);

    private static string NameOf(FieldInfo field)
    {
        string name = field.Name;
        if (name.StartsWith('<'))
        {
            name = name[1..name.IndexOf('>', StringComparison.Ordinal)];
        }

        return $"{field.DeclaringType!.Name}.{name}";
    }
}
