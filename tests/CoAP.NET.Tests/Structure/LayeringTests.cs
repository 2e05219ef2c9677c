using System.Reflection;
using System.Text.RegularExpressions;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// Who may use whom. Faces use the mesh, it uses the stages, they use Messages and Options; values at the top of the project
/// (requests, responses, limits, parameters) are for everybody. Checked in the built assembly, so that no spelling escapes.
/// </summary>
public partial class LayeringTests
{
    // From below: each may ask those before it. What it wants done by others it leaves with the shard.
    private static readonly string[] s_chapters = ["Messaging", "Exchanges", "Signalling", "Observing", "Blockwise"];
    private static readonly string[] s_besides = ["Observing", "Blockwise"];
    private static readonly string[] s_stages = ["Transports", "Peers", "Guarding", "Protection", "Serialization", .. s_chapters, "Resources"];
    private const string Clients = "Observing/Client";
    private const string Items = "Mesh/Items";

    // They tell users who came and went.
    private static readonly string[] s_observerNews = ["CoAP.NET.Observing.ObserverEvents", "CoAP.NET.Observing.ObserverKeeping"];

    // What observations of ours need of their endpoint, and those who share one.
    private static readonly string[] s_observations =
    [
        "CoAP.NET.Observing.ObservationPort", "CoAP.NET.Observing.ObservationRequester", "CoAP.NET.Observing.ObservationAdoption",
        "CoAP.NET.Observing.ObservationKeeping", "CoAP.NET.CoapObservation",
    ];
    private static readonly string[] s_ground = ["Messages", "Options", "Diagnostics", "Execution", UserCode, "Execution/Cryptography", "Content"];

    // Who runs user code where. It stands on the ground, but knows what it runs: handlers of requests and what follows responses, on
    // threads that receive.
    private const string UserCode = "Execution/UserCode";
    private static readonly string[] s_runAsUserCode =
    [
        "CoAP.NET.Resources.HandlerRun",
        "CoAP.NET.Resources.ResourceInbound",
        "CoAP.NET.Resources.RouteCall",
        "CoAP.NET.Resources.ServedRequests",
        "CoAP.NET.Resources.ServedShares",
        "CoAP.NET.Exchanges.ClientRequest",
        "CoAP.NET.Exchanges.CoapExchange",
        "CoAP.NET.Mesh.CoapChannel",
        "CoAP.NET.Guarding.SourceCounts",
        "CoAP.NET.Transports.AsyncConnection",
        "CoAP.NET.Transports.CoapAddress",
        "CoAP.NET.Transports.ICoapConnectionContext",
        "CoAP.NET.Transports.ICoapTransportContext",
        "CoAP.NET.Transports.ConnectionHost",
        "CoAP.NET.Transports.CoapSourceRule",
    ];

    // Whom the cache must know: who answered, by which scheme, and for whom most is stored.
    private static readonly string[] s_answerers = ["CoAP.NET.Guarding.SourceLedger`1", "CoAP.NET.Mesh.CoapChannel",
        "CoAP.NET.Peers.CallerIdentity", "CoAP.NET.Transports.CoapAddress", "CoAP.NET.Transports.CoapTransport"];

    // The item types are what the stages exchange, with what they carry of a body: every stage may know them, wherever they are declared.
    private static readonly string[] s_items =
    [
        "CoAP.NET.Mesh.CoapExchange",
        "CoAP.NET.Mesh.CoapReply",
        "CoAP.NET.Blockwise.ExchangeBody",
        "CoAP.NET.Blockwise.BodyPart",
        "CoAP.NET.Blockwise.SeekableBody",
        "CoAP.NET.Blockwise.BodyPolicy",
        "CoAP.NET.Blockwise.BodyMode",
        "CoAP.NET.Exchanges.ObservingExchange",
    ];

    private const BindingFlags Any = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.DeclaredOnly;

    // Where the chapters of the Handler stage meet: its blocks.
    private static readonly string[] s_handlerBlocks =
    [
        "CoAP.NET.Messaging.MessagingInbound",
        "CoAP.NET.Messaging.MessagingOutbound",
        "CoAP.NET.Exchanges.ExchangesInbound",
        "CoAP.NET.Exchanges.ExchangesOutbound",

        // Parts of the two.
        "CoAP.NET.Exchanges.AnswerLimit",
        "CoAP.NET.Exchanges.ClientSender",
        "CoAP.NET.Exchanges.ObserveAnswers",
        "CoAP.NET.Exchanges.ResponseMatching",
    ];

    // What begins and ends the runs of requests: it finds transports, hosts, peers and connections, and gives messages to the pipeline.
    private static readonly string[] s_requesters =
    [
        .. new[]
        {
            "ChannelFinder", "GroupRequester", "RequestComposer", "RequestSender", "RequestSteps", "Requester",
        }.Select(static name => $"CoAP.NET.Requests.{name}"),
    ];

    // Where they come back: the request that waits carries its run on when the response is there.
    private static readonly string[] s_tellsRuns = ["CoAP.NET.Exchanges.ClientRequest", "CoAP.NET.Exchanges.ClientSender"];
    private static readonly string[] s_runs = ["CoAP.NET.Requests.RequestRun", "CoAP.NET.Requests.StepOutcome",
        "CoAP.NET.Requests.StepKind"];

    // A peer has one typed slot for each chapter that keeps something of it, the faces among them. Nobody else below may name these types.
    private static readonly string[] s_slots = ["CoAP.NET.Mesh.CoapChannel", "CoAP.NET.Peers.ChannelExtras", "CoAP.NET.Peers.ChannelHints",
        "CoAP.NET.Shard.CoapShard"];

    // The same of a request: what measures it as it is served.
    private const string RequestSlots = "CoAP.NET.Requests.RequestMore";

    // URIs stand with the options they are made into, and know that an address literal is no Uri-Host (RFC 7252 section 6.4): an address,
    // no transport.
    private static readonly (string From, string To)[] s_addressInUri = [("CoAP.NET.CoapUri", "CoAP.NET.Transports.CoapAddress")];

    // What the stages are built from.
    private static readonly Regex s_blocks = Blocks();

    private static readonly Regex s_faces = Faces();

    private static readonly IReadOnlyDictionary<string, HashSet<string>> s_uses =
        TypeReferences.Read(typeof(CoapCounters).Assembly.Location);

    [Fact]
    public void Every_type_of_the_assembly_is_found_in_the_source()
    {
        string[] unknown = [.. s_uses.Keys.Where(IsOurs).Where(name => !SourceTree.FolderOfType.ContainsKey(name)).Order()];
        Assert.Empty(unknown);
    }

    [Fact]
    public void References_in_code_are_seen()
    {
        // The tool works: a base class, a signature and a call in a method body.
        Assert.Contains("CoAP.NET.Mesh.InlineTarget`1", s_uses["CoAP.NET.Mesh.InlineBlock`2"]);
        Assert.Contains("CoAP.NET.Mesh.CoapChannel", s_uses["CoAP.NET.Mesh.CoapInbound"]);
        Assert.Contains("CoAP.NET.Mesh.InlineFailure", s_uses["CoAP.NET.Mesh.InlineLink`1"]);
    }

    [Fact]
    public void Diagnostics_use_nothing_but_values()
    {
        // The files of Log belong to the areas that write them and may name what they tell about. Snapshots and traces show addresses,
        // codes and tokens. The debug page is a resource that shows them.
        string[] values = ["CoAP.NET.Transports.CoapAddress", "CoAP.NET.CoapCode", "CoAP.NET.CoapToken"];
        string[] others = ["CoAP.NET.Log", "CoAP.NET.CoapDebugExtensions", "CoAP.NET.CoapDebugOptions", "CoAP.NET.SnapshotDocument"];
        Assert.Empty(Edges(
            from => Folder(from) == "Diagnostics" && !others.Contains(from), to => Folder(to) != "Diagnostics" && !values.Contains(to)));
    }

    [Fact]
    public void Messages_and_Options_know_no_stage_and_no_pipeline() =>
        Assert.Empty(Edges(
            from => Folder(from) is "Messages" or "Options",
            (from, to) => !s_addressInUri.Contains((from, to))
                && (s_stages.Contains(Folder(to)) || Folder(to) is "Mesh" or Items or "Shard" || s_faces.IsMatch(to))));

    [Fact]
    public void Execution_knows_no_stage_but_addresses_and_whose_they_are() =>
        Assert.Empty(Edges(
            from => Folder(from) == "Execution",
            to => (s_stages.Contains(Folder(to)) && to is not ("CoAP.NET.Transports.CoapAddress" or "CoAP.NET.Transports.CoapSourceRule"))
                || Folder(to) is "Mesh" or Items || s_faces.IsMatch(to)));

    [Fact]
    public void Who_runs_user_code_where_knows_what_it_runs_and_nothing_else_of_the_stages() =>
        Assert.Empty(Edges(
            from => Folder(from) == UserCode,
            to => (s_stages.Contains(Folder(to)) && !s_runAsUserCode.Contains(to)) || Folder(to) is "Mesh" or "Requests" or "Caching"
                || s_faces.IsMatch(to)));

    [Fact]
    public void Transports_and_Messages_do_not_know_each_other()
    {
        Assert.Empty(Edges(from => Folder(from) == "Transports", to => Folder(to) is "Messages" or "Options"));
        Assert.Empty(Edges(from => Folder(from) == "Messages",
            (from, to) => Folder(to) == "Transports" && !s_addressInUri.Contains((from, to))));
    }

    [Fact]
    public void Transports_know_no_serializer_and_no_chapter() =>
        Assert.Empty(Edges(from => Folder(from) == "Transports",
            to => Folder(to) is "Serialization" or "Resources" || s_chapters.Contains(Folder(to))));

    [Fact]
    public void The_chapters_of_the_handler_ask_downwards_by_type_and_tell_by_the_outbox() =>
        Assert.Empty(Edges(
            from => s_chapters.Contains(Folder(from)) && !s_handlerBlocks.Contains(from),
            (from, to) => s_chapters.Contains(Folder(to)) && !s_items.Contains(to)
                && (s_handlerBlocks.Contains(to) || !IsBelow(Folder(to), Folder(from)))));

    [Fact]
    public void No_chapter_of_the_handler_is_told_by_a_delegate_that_somebody_hung_onto_it()
    {
        string[] hung =
        [
            .. typeof(CoapCounters).Assembly.GetTypes()
                .Where(static type => type.Namespace is { } name
                    && (s_chapters.Contains(name.Split('.')[^1]) || name.Split('.')[^1] is "Shard" or "Groups"))
                .SelectMany(static type => type.GetProperties(Any))
                .Where(static property => property.PropertyType.IsAssignableTo(typeof(Delegate)) && property.SetMethod is not null)
                .Select(static property => $"{property.DeclaringType}.{property.Name}"),
        ];
        Assert.Empty(hung);
    }

    // A handler of the application is a delegate; it is given to what calls it.
    [Fact]
    public void No_chapter_of_the_handler_is_made_with_a_delegate_but_of_the_application()
    {
        string[] given =
        [
            .. typeof(CoapCounters).Assembly.GetTypes()
                .Where(static type => type.Namespace is { } name
                    && (s_chapters.Contains(name.Split('.')[^1]) || name.Split('.')[^1] is "Shard" or "Groups"))
                .Where(static type => !type.IsAssignableTo(typeof(Delegate)))
                .SelectMany(static type => type.GetConstructors(Any))
                .Where(static made => made.GetParameters().Any(static given => given.ParameterType.IsAssignableTo(typeof(Delegate))))
                .Select(static made => made.DeclaringType!.FullName!),
        ];
        Assert.Equal(["CoAP.NET.Exchanges.StatelessTokens"], given);
    }

    [Fact]
    public void What_is_left_with_a_shard_has_a_type() =>
        Assert.Empty(typeof(CoapShard).GetMethods(Any).Where(static method => method.GetParameters().Any(
            static given => given.ParameterType == typeof(object) || given.ParameterType.IsAssignableTo(typeof(Delegate))))
            .Select(static method => method.Name));

    [Fact]
    public void Serialization_knows_no_chapter_and_no_resource() =>
        Assert.Empty(Edges(from => Folder(from) == "Serialization", to => Folder(to) is "Resources" || s_chapters.Contains(Folder(to))));

    [Fact]
    public void Resources_know_no_chapter_but_the_exchange_observers_and_where_answers_go() =>
        Assert.Empty(Edges(
            from => Folder(from) == "Resources",
            to => (s_chapters.Contains(Folder(to)) && Folder(to) != "Observing" && !s_items.Contains(to)
                && to != "CoAP.NET.Exchanges.ExchangesOutbound") || Folder(to) == "Serialization"));

    [Fact]
    public void Stages_know_of_the_pipeline_only_what_blocks_are_made_of_and_no_face() =>
        Assert.Empty(Edges(from => s_stages.Contains(Folder(from)) && !s_faces.IsMatch(from) && !s_slots.Contains(from)
            && !s_observerNews.Contains(from),
            to => (Folder(to) == "Mesh" && !s_blocks.IsMatch(to)) || s_faces.IsMatch(to)));

    [Fact]
    public void The_steps_of_requests_know_chapters_and_no_block_no_pipeline_and_no_face() =>
        Assert.Empty(Edges(
            from => (Folder(from) == "Requests" || IsForClients(from)) && !s_requesters.Contains(from) && !s_observations.Contains(from)
                && from != RequestSlots,
            (from, to) => Folder(to) is "Mesh" or "Transports" or "Serialization" or "Resources" || s_handlerBlocks.Contains(to)
                || (s_faces.IsMatch(to) && !(Folder(from) == Clients && s_observations.Contains(to)))));

    [Fact]
    public void Nothing_below_knows_the_observations_of_clients() =>
        Assert.Empty(Edges(
            from => IsBelowRequests(from) || Folder(from) is "Requests" or "Connecting",
            to => Folder(to) == Clients));

    [Fact]
    public void Who_chooses_connections_knows_channels_transports_and_steps_and_asks_signalling() =>
        Assert.Empty(Edges(
            from => Folder(from) == "Connecting",
            to => Folder(to) is "Mesh" or "Serialization" or "Resources" or "Caching"
                || s_chapters.Except(["Signalling"]).Contains(Folder(to)) || s_faces.IsMatch(to)));

    [Fact]
    public void Nothing_below_knows_who_chooses_connections() =>
        Assert.Empty(Edges(
            from => ((s_stages.Contains(Folder(from)) && !s_slots.Contains(from)) || s_ground.Contains(Folder(from))
                || Folder(from) is "Mesh" or Items or "Requests" or "Caching")
                && !s_requesters.Contains(from),
            to => Folder(to) is "Connecting" or "Connections"));

    [Fact]
    public void Content_knows_Messages_and_Options_only() =>
        Assert.Empty(Edges(
            from => Folder(from) == "Content",
            to => s_stages.Contains(Folder(to)) || Folder(to) is "Mesh" or Items or "Requests" or "Caching" or "Execution"
                || s_faces.IsMatch(to)));

    [Fact]
    public void The_cache_knows_Messages_Options_and_who_answered() =>
        Assert.Empty(Edges(
            from => Folder(from) == "Caching",
            to => (s_stages.Contains(Folder(to)) && !s_answerers.Contains(to)) || Folder(to) is "Mesh" or Items or "Requests" or "Content"
                || s_faces.IsMatch(to)));

    [Fact]
    public void Nothing_below_knows_the_cache() =>
        Assert.Empty(Edges(
            from => s_stages.Contains(Folder(from)) || s_ground.Contains(Folder(from)) || Folder(from) is "Mesh" or Items,
            to => Folder(to) == "Caching"));

    [Fact]
    public void Nothing_below_knows_the_steps_of_requests_but_what_tells_a_run_of_its_response() =>
        Assert.Empty(Edges(
            from => s_stages.Contains(Folder(from)) || s_ground.Contains(Folder(from)) || Folder(from) is "Mesh" or Items,
            (from, to) => Folder(to) is "Requests" && !(s_tellsRuns.Contains(from) && s_runs.Contains(to))));

    [Fact]
    public void Nothing_below_knows_what_a_chapter_has_for_clients() =>
        Assert.Empty(Edges(
            IsBelowRequests,
            IsForClients));

    [Fact]
    public void What_an_endpoint_is_put_together_of_is_known_to_faces_and_requesters_and_a_shard_passes_it_on() =>
        Assert.Empty(Edges(
            from => Folder(from).Length > 0 && Folder(from) != "Composition" && !s_requesters.Contains(from)
                && !s_observations.Contains(from)
                && from is not ("CoAP.NET.Shard.CoapShard" or "CoAP.NET.Shard.ShardDrain"),
            to => Folder(to) == "Composition"));

    [Fact]
    public void The_pipeline_knows_no_face() =>
        Assert.Empty(Edges(from => Folder(from) is "Mesh" or Items, s_faces.IsMatch));

    [Fact]
    public void What_blocks_are_made_of_knows_no_stage() =>
        Assert.Empty(Edges(s_blocks.IsMatch, to => s_stages.Contains(Folder(to))));

    // What a user could have written; only the addresses of hosts are found where requests find them.
    [Fact]
    public void Directories_are_asked_by_the_face_of_a_client_and_nobody_else_knows_them()
    {
        Assert.Empty(Edges(
            from => Folder(from) == "Directories",
            to => Folder(to) is "Mesh" or Items or "Shard" or "Serialization" or "Composition" or "Peers" or "Guarding" or "Protection"
                or "Caching" || s_chapters.Contains(Folder(to)) || (Folder(to) == "Connecting" && to != "CoAP.NET.Connecting.HostLookup")));
        Assert.Empty(Edges(from => Folder(from).Length > 0 && Folder(from) != "Directories", to => Folder(to) == "Directories"));
    }

    [Fact]
    public void Every_folder_has_its_place_in_these_rules()
    {
        string[] known =
        [
            string.Empty, "Composition", "Mesh", Items, "Shard", "Requests", "Connections", "Connecting", "Groups", "Caching",
            "Directories",
            .. s_stages, .. s_ground,
        ];
        Assert.Empty(SourceTree.FolderOfType.Values.Distinct().Except(known));
    }

    private static bool IsBelow(string asked, string by) =>
        asked == by || (Array.IndexOf(s_chapters, asked) < Array.IndexOf(s_chapters, by)
            && !(s_besides.Contains(asked) && s_besides.Contains(by)));

    private static bool IsOurs(string name) => name.StartsWith("CoAP.NET", StringComparison.Ordinal);

    // What users type and is nothing but values, wherever it lies, is for everybody as if it were at the top.
    private static string Folder(string type)
    {
        string folder = SourceTree.FolderOfType.GetValueOrDefault(type, string.Empty);
        return SourceTree.UserCodeTypes.Contains(type) ? UserCode
            : folder is "Requests" or "Connections" or "Groups" or "Directories" && type.LastIndexOf('.') == "CoAP.NET".Length
                ? string.Empty
            : !SourceTree.ClientTypes.Contains(type) ? folder
            : type.StartsWith("CoAP.NET.Coap", StringComparison.Ordinal) ? string.Empty
            : $"{folder}/Client";
    }

    // What a chapter has for clients stands above the stages: it uses the steps of requests.
    private static bool IsForClients(string type) => Folder(type).EndsWith("/Client", StringComparison.Ordinal);

    private static bool IsBelowRequests(string type) =>
        s_stages.Contains(Folder(type)) || s_ground.Contains(Folder(type)) || Folder(type) is "Mesh" or Items or "Caching";

    private static string[] Edges(Func<string, bool> from, Func<string, bool> to) => Edges(from, (_, used) => to(used));

    private static string[] Edges(Func<string, bool> from, Func<string, string, bool> forbidden) =>
    [
        .. s_uses.Where(entry => IsOurs(entry.Key) && from(entry.Key))
            .SelectMany(entry => entry.Value.Where(to => IsOurs(to) && forbidden(entry.Key, to)).Select(to => $"{entry.Key} -> {to}"))
            .Order(),
    ];

    [GeneratedRegex(@"^CoAP\.NET\.Mesh\.Inline\w+(`\d)?$")]
    private static partial Regex Blocks();

    [GeneratedRegex(@"^CoAP\.NET\.Coap(Client|Server|Endpoint|Observation|Peer)(Options|State)?$")]
    private static partial Regex Faces();
}
