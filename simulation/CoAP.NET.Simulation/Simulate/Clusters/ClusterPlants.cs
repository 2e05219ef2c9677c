using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>All defects of clusters that can be planted, by the word for the command line.</summary>
internal static class ClusterPlants
{
    /// <summary>A node carries some requests out twice.</summary>
    public const string Twice = "twice";

    /// <summary>After a crash requests are carried out though they may be recordings.</summary>
    public const string NoDoubt = "no-doubt";

    /// <summary>A node tells the others of no change.</summary>
    public const string NoNotice = "no-notice";

    /// <summary>The death of nodes is not noticed.</summary>
    public const string DeathUnnoticed = "death-unnoticed";

    /// <summary>A request is never answered.</summary>
    public const string Stuck = "stuck";

    /// <summary>Observers are told older states.</summary>
    public const string OldState = "old-state";

    /// <summary>What comes out of an outbox comes in another order.</summary>
    public const string Reordered = "outbox-reordered";

    /// <summary>A record leaves a second time with other bytes.</summary>
    public const string SameNumber = "same-number";

    /// <summary>A device is served under the name of another one.</summary>
    public const string OtherName = "other-name";

    /// <summary>A device hears nothing any more.</summary>
    public const string Deaf = "deaf";

    /// <summary>The store loses what was written lately, and no node notices that.</summary>
    public const string GoneBack = "store-goes-back";

    /// <summary>A node that gets a session of another one answers a POST and does not run it.</summary>
    public const string Dropped = "post-dropped";

    /// <summary>A node answers reads with the first state that it knew.</summary>
    public const string StaleRead = "stale-read";

    /// <summary>A POST is answered with the value before it.</summary>
    public const string StaleCount = "stale-count";

    /// <summary>Nodes end the sessions of a withdrawn key, and go on accepting the key.</summary>
    public const string KeyKept = "key-kept";

    /// <summary>Processes that start later have the keys of the beginning.</summary>
    public const string OldKeys = "old-keys";

    /// <summary>An error is of a kind that nobody expects.</summary>
    public const string Untyped = "untyped-error";

    public static IReadOnlyDictionary<string, ClusterPlant> All { get; } =
        new SortedDictionary<string, ClusterPlant>(StringComparer.Ordinal)
        {
            ["fence-ignored"] = new("the store takes writes under old fences", ClusterCheck.Fences,
            _ => store => new FencelessStore(store)),
            ["map-race"] = new("of two who change the map both succeed", ClusterCheck.OneOwner,
            _ => store => new CarelessStore(store)),
            ["reserve-unconfirmed"] = new("record numbers are used before the store has them", ClusterCheck.RecordNumbers, _ =>
            {
                HashSet<CoapRecordKey> first = [];
                return store => new ForgetfulStore(store, change =>
                    IsProgress(change)
                    || (change is { IsRemoval: false, Key.Kind: CoapRecordKind.Session } && !first.Add(change.Key)));
            }),
            ["session-lost"] = new("sessions are not kept", ClusterCheck.NoHandshake, _ => store =>
                new ForgetfulStore(store, change => change is { IsRemoval: false, Key.Kind: CoapRecordKind.Session })),
            ["observer-lost"] = new("observers are not kept", ClusterCheck.LastState, _ => store =>
                new ForgetfulStore(store, change => change is { IsRemoval: false, Key.Kind: CoapRecordKind.Observer })),
            ["outbox-lost"] = new("what is put into outboxes is not kept", ClusterCheck.OutboxLost, _ => store =>
                new ForgetfulStore(store, change => change is { IsRemoval: false, Key.Kind: CoapRecordKind.Outbox })),
            ["left-records"] = new("what has ended stays in the store", ClusterCheck.Quiet, _ => store =>
                new ForgetfulStore(store, change => change is { IsRemoval: true, Key.Kind: CoapRecordKind.Session })),
            [DeathUnnoticed] = new("nodes that died count as there", ClusterCheck.Slots),
            [Twice] = new("a node carries every fourth POST out twice", ClusterCheck.RunsOnce),
            [NoDoubt] = new("what came is not noted, and after a crash nobody asks whether a request is a recording", ClusterCheck.Replay,
            _ =>
            {
                HashSet<(CoapRecordKey, CoapFencingToken)> first = [];
                return store => new ForgetfulStore(store, change =>
                    IsProgress(change)
                    || (change is { IsRemoval: false, Key.Kind: CoapRecordKind.Session } && !first.Add((change.Key, change.Fence))));
            }),
            [NoNotice] = new("nodes are not told of changes at others", ClusterCheck.LastState),
            [Stuck] = new("some requests to devices never end", ClusterCheck.Ends),
            [OldState] = new("some observers are told the state before", ClusterCheck.Order),
            [Reordered] = new("what was put into an outbox last comes first", ClusterCheck.OutboxOrder),
            [SameNumber] = new("a record leaves a second time, changed", ClusterCheck.RecordNumbers),
            [OtherName] = new("a device is served as another one", ClusterCheck.RightAnswer),
            [Deaf] = new("a device gets nothing any more", ClusterCheck.Served),
            [GoneBack] = new("the store loses what was written lately, and does not say so", ClusterCheck.RecordNumbers),
            [Dropped] = new("a node that gets a session answers a POST without running it", ClusterCheck.Lost),
            [StaleRead] = new("a node answers reads with the first state that it knew", ClusterCheck.History),
            [StaleCount] = new("a POST is answered with the value of the counter before it", ClusterCheck.History),
            [KeyKept] = new("nodes go on accepting a withdrawn key", ClusterCheck.WithdrawnKey),
            [OldKeys] = new("a process that starts later accepts a withdrawn key", ClusterCheck.WithdrawnKey),
            ["oscore-forgotten"] = new("numbers of OSCORE are used before the store has them", ClusterCheck.OscoreNumbers, _ =>
            {
                HashSet<CoapRecordKey> first = [];
                return store => new ForgetfulStore(store, change =>
                    change is { IsRemoval: false, Key.Kind: CoapRecordKind.OscoreContext } && !first.Add(change.Key));
            }),
            ["late-write"] = new("the last write of a session is applied again after its removal", ClusterCheck.Quiet,
            _ => store => new RevivingStore(store, () => true)),
            ["clock-revives"] = new("after a jump of a clock, sessions that were removed come back", ClusterCheck.Quiet,
            world => store => new RevivingStore(store, () => world.HasClockJumped)),
            ["two-owners"] = new("nodes that do not hear each other take all slots", ClusterCheck.OneOwner,
            world => store => new SelfishStore(store, self => world.Processes.Any(other =>
                world.Hub.IsCut(other.Cluster.Self.Id, self)))),
            [Untyped] = new("a request fails by an exception that is not the library's", ClusterCheck.TypedError),
        };

    private static bool IsProgress(CoapRecordWrite change) =>
        change is { IsRemoval: false, Key.Kind: CoapRecordKind.SessionProgress };
}

/// <summary>A defect that is put in on purpose, to see that the checks find it.</summary>
/// <param name="Summary">What is wrong, in a few words.</param>
/// <param name="FoundBy">By which check it has to be found.</param>
/// <param name="Store">Makes, for a run, what stands before the stores of its nodes; null where the defect is elsewhere.</param>
internal sealed record ClusterPlant(
    string Summary, ClusterCheck FoundBy, Func<ClusterWorld, Func<ICoapClusterStore, PlantedStore>>? Store = null);
