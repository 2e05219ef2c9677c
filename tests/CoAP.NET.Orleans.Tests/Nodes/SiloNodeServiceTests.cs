using System.Reflection;
using CoAP.NET.Cluster.Devices.Outbox;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Tables;
using CoAP.NET.Cluster.Tests.Nodes;
using CoAP.NET.Orleans.Nodes;
using CoAP.NET.Orleans.Tests.Messages;
using CoAP.NET.Tables;

namespace CoAP.NET.Orleans.Tests.Nodes;

/// <summary>Each call of a node arrives at the node of another silo as it was made, and so does the answer.</summary>
public sealed class SiloNodeServiceTests : IClassFixture<SiloServices>
{
    private static readonly CoapNodeId s_self = CoapNodeId.New();
    private static readonly CoapNodeId s_origin = CoapNodeId.New();
    private static readonly DateTimeOffset s_time = new(2026, 1, 2, 3, 4, 5, TimeSpan.Zero);
    private static readonly byte[] s_bytes = [1, 2, 3];

    private static readonly CoapAddress s_client =
        CoapAddress.FromIPEndPoint(new IPEndPoint(new IPAddress(IPAddress.Parse("fe80::1:2").GetAddressBytes(), 7), 5684));

    private readonly SiloServices _silo;
    private readonly SiloNodeService _node;
    private string _called = "";
    private object?[] _arguments = [];
    private Task _answer = Task.CompletedTask;

    public SiloNodeServiceTests(SiloServices silo)
    {
        _silo = silo;
        NodeGrainService there = silo.Serve(ScriptedNodeService.Make((name, arguments) =>
        {
            (_called, _arguments) = (name, arguments);
            return _answer;
        }));
        _node = new SiloNodeService(Stub.Make<ICoapNodeService>((method, arguments) => TransferAsync(method, there, arguments)));
    }

    [Theory]
    [InlineData(nameof(INodeService.RelayDatagramsAsync))]
    [InlineData(nameof(INodeService.ReturnDatagramsAsync))]
    [InlineData(nameof(INodeService.RelayOscoreAsync))]
    [InlineData(nameof(INodeService.ReturnOscoreAsync))]
    public async Task Relayed_datagrams_arrive(string member)
    {
        PostedDatagram[] sent =
        [
            new("coap"u8.ToArray(), 7, new CoapSlot(9), s_client, s_origin, s_bytes),
            new("coap"u8.ToArray(), 8, null, CoapAddress.FromIPv4(0xC000_0201, 5684), default, s_bytes),
        ];

        await (Task)typeof(INodeService).GetMethod(member)!.Invoke(_node, [s_self, sent])!;

        Assert.Equal((member, s_self), (_called, (CoapNodeId)_arguments[0]!));
        Assert.Equal(sent.Select(Describe), ((IReadOnlyList<PostedDatagram>)_arguments[1]!).Select(Describe));
    }

    [Fact]
    public async Task Removed_sessions_arrive()
    {
        CoapRecordKey key = new(CoapRecordKind.Resumption, new CoapSlot(9), s_bytes);

        await _node.RemoveResumptionsAsync([key]);

        Assert.Equal([key], (IReadOnlyList<CoapRecordKey>)_arguments[0]!);
    }

    [Fact]
    public async Task Changes_of_tables_and_of_resources_arrive()
    {
        ReplicatedTableChangeMessage change = Change([new CoapTableKey(s_bytes), new CoapTableKey([9])]);
        await _node.ReportTableChangesAsync([change]);
        Assert.Equal(Describe(change), Describe(Assert.Single((IReadOnlyList<ReplicatedTableChangeMessage>)_arguments[0]!)));

        await _node.ReportResourceChangesAsync(["a\n/x", "b\n/y"]);
        Assert.Equal(["a\n/x", "b\n/y"], (IReadOnlyList<string>)_arguments[0]!);
    }

    [Fact]
    public async Task The_offer_of_a_relay_path_arrives()
    {
        _answer = Task.FromResult<RelayPathOffer?>(new RelayPathOffer(ulong.MaxValue, s_bytes, [s_client]));

        RelayPathOffer offer = (await _node.OfferRelayPathAsync(s_self, "coap"u8.ToArray()))!;

        Assert.Equal((s_self, "coap"), ((CoapNodeId)_arguments[0]!, Encoding.UTF8.GetString(((ReadOnlyMemory<byte>)_arguments[1]!).Span)));
        Assert.Equal((ulong.MaxValue, s_client), (offer.Id, Assert.Single(offer.Addresses)));
        Assert.Equal(s_bytes, offer.Key);
    }

    [Fact]
    public async Task Questions_about_tables_and_their_answers_arrive()
    {
        _answer = Task.FromResult<TableAnswer?>(new TableAnswer(TableAnswerKind.Unavailable)
        {
            Reply = s_bytes,
            Why = "why",
            Reason = CoapTableUnavailableReason.Full,
            RetryAfter = FromSeconds(7),
            IsOutcomeUnknown = true,
        });

        TableAnswer answer =
            (await _node.AskTableAsync(new TableQuestion(s_self, CoapRecordKind.Topic, new CoapTableKey(s_bytes), "what"u8.ToArray())))!;

        TableQuestion asked = (TableQuestion)_arguments[0]!;
        Assert.Equal((s_self, CoapRecordKind.Topic, new CoapTableKey(s_bytes)), (asked.Node, asked.Table, asked.Key));
        Assert.Equal("what", Encoding.UTF8.GetString(asked.Content.Span));
        Assert.Equal((TableAnswerKind.Unavailable, "why", CoapTableUnavailableReason.Full, FromSeconds(7), true),
            (answer.Kind, answer.Why, answer.Reason, answer.RetryAfter, answer.IsOutcomeUnknown));
        Assert.Equal(s_bytes, answer.Reply.ToArray());

        ReplicatedTableChangeMessage position = Change([]);
        _answer = Task.FromResult<IReadOnlyList<ReplicatedTableChangeMessage>?>([position]);
        Assert.Equal(Describe(position), Describe(Assert.Single((await _node.GetTablePositionsAsync(CoapRecordKind.Topic))!)));
        Assert.Equal(CoapRecordKind.Topic, _arguments[0]);
    }

    [Fact]
    public async Task Requests_for_an_outbox_and_their_outcomes_arrive()
    {
        Guid id = Guid.NewGuid();
        CoapMessage put = new(CoapCode.Put) { Payload = "on"u8.ToArray() };
        OutboxEntry entry = OutboxEntry.TryMake(
            id, "meter-7", put, new CoapDeviceRequestOptions { Caller = "me", Lifetime = FromHours(1) }, s_time)!;
        _answer = Task.FromResult<OutboxAddition?>(new OutboxAddition(entry.ToPublic()));
        CoapQueuedRequest queued = (await _node.QueueRequestAsync(entry))!.Request!;

        OutboxEntry sent = (OutboxEntry)_arguments[0]!;
        Assert.Equal((id, "meter-7", "me", s_time + FromHours(1), true),
            (sent.Id, sent.Device, sent.Caller, sent.Expires, sent.IsRepeatable));
        Assert.Equal("on", Encoding.UTF8.GetString(sent.Request.Payload.Span));
        AssertQueued(queued);

        _answer = Task.FromResult<OutboxAddition?>(new OutboxAddition(null, CoapDeviceFault.Full, "full"));
        Assert.Equal(new OutboxAddition(null, CoapDeviceFault.Full, "full"), await _node.QueueRequestAsync(entry));

        _answer = Task.FromResult<OutboxOutcome?>(new OutboxOutcome(s_bytes, CoapDeviceFault.Expired, "late"));
        OutboxOutcome outcome = (await _node.WaitForRequestAsync("meter-7", id))!;
        Assert.Equal((CoapDeviceFault.Expired, "late"), (outcome.Fault, outcome.Why));
        Assert.Equal(s_bytes, outcome.Response.ToArray());
        Assert.Equal(["meter-7", id], _arguments);

        _answer = Task.FromResult<IReadOnlyList<CoapQueuedRequest>?>([entry.ToPublic()]);
        AssertQueued(Assert.Single((await _node.GetQueuedRequestsAsync("meter-7"))!));

        _answer = Task.FromResult<bool?>(true);
        Assert.True(await _node.CancelRequestAsync("meter-7", id));

        void AssertQueued(CoapQueuedRequest request) => Assert.Equal(
            (id, "meter-7", CoapCode.Put, "/", "me", s_time, s_time + FromHours(1), false),
            (request.Id, request.Device, request.Method, request.Path, request.Caller, request.Queued, request.Expires, request.IsSent));
    }

    [Fact]
    public async Task A_node_that_cannot_answer_now_gives_null()
    {
        _answer = Task.FromResult<RelayPathOffer?>(null);
        Assert.Null(await _node.OfferRelayPathAsync(s_self, s_bytes));
        _answer = Task.FromResult<IReadOnlyList<ReplicatedTableChangeMessage>?>(null);
        Assert.Null(await _node.GetTablePositionsAsync(CoapRecordKind.Topic));
        _answer = Task.FromResult<OutboxOutcome?>(null);
        Assert.Null(await _node.WaitForRequestAsync("meter-7", default));
        _answer = Task.FromResult<IReadOnlyList<CoapQueuedRequest>?>(null);
        Assert.Null(await _node.GetQueuedRequestsAsync("meter-7"));
        _answer = Task.FromResult<bool?>(null);
        Assert.Null(await _node.CancelRequestAsync("meter-7", default));
    }

    private static ReplicatedTableChangeMessage Change(CoapTableKey[] keys) =>
        new(CoapRecordKind.Topic, new CoapSlot(9), new CoapFencingToken(5), 6, 7, keys);

    private static string Describe(PostedDatagram post) => $"{Hex(post.Server)} {post.Version} {post.Slot} {post.Remote} "
        + $"{post.Remote.ScopeId} {post.Origin.Value} {Hex(post.Datagram)}";

    private static string Describe(ReplicatedTableChangeMessage change) =>
        $"{change.Table} {change.Slot} {change.Fence.Value} {change.Before} {change.Last} {string.Join(' ', change.Keys)}";

    private static string Hex(ReadOnlyMemory<byte> bytes) => Convert.ToHexString(bytes.Span);

    // Calls the other silo with what it would read of the arguments, and answers with what this one would read.
    private object TransferAsync(MethodInfo method, NodeGrainService there, object?[] arguments)
    {
        object called = method.Invoke(there, [.. arguments.Select(Transfer)])!;
        Type type = method.ReturnType;
        return type.IsGenericType
            ? typeof(SiloNodeServiceTests).GetMethod(nameof(AnswerAsync), BindingFlags.Instance | BindingFlags.NonPublic)!
                .MakeGenericMethod(type.GetGenericArguments()).Invoke(this, [called])!
            : called;
    }

    private async Task<T> AnswerAsync<T>(Task<T> answer) => (T)Transfer(await answer)!;

    private object? Transfer(object? value) => _silo.Serializer.Deserialize<object?>(_silo.Serializer.SerializeToArray(value));
}
