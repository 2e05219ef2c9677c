using System.Collections.Concurrent;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Orleans.Nodes;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Orleans.Tests.Nodes;

/// <summary>What passes between nodes on silos, as a machine on the same network sees it.</summary>
public sealed class SiloPeersTests : IAsyncDisposable
{
    private const string Posts = "/datagrams";
    private const string Questions = "/key";

    private static readonly byte[] s_datagram = "a datagram of a device"u8.ToArray();
    private static readonly byte[] s_key = "a key for relayed datagrams"u8.ToArray();

    private readonly VirtualClock _clock = new();
    private readonly CoapMemoryCluster _memory;
    private readonly List<Node> _nodes = [];
    private readonly ConcurrentQueue<(Guid From, string Path, byte[] Bytes)> _captured = new();

    public SiloPeersTests() => _memory = new CoapMemoryCluster(_clock);

    [Fact]
    public async Task A_captured_post_is_unreadable_and_refused_at_another_node()
    {
        (Node one, Node two, Node three) = await StartAsync();

        Assert.True(one.Peers.TryPost(two.Id, Posts, s_datagram));

        await Eventually.IsTrueAsync(() => !two.Taken.IsEmpty);
        (CoapNodeId sender, byte[] item) = Assert.Single(two.Taken);
        Assert.Equal(one.Id, sender);
        Assert.Equal(s_datagram, item);
        (Guid from, string path, byte[] post) = Assert.Single(_captured);
        Assert.Equal((one.Id.Value, Posts), (from, path));
        Assert.True(post.AsSpan().IndexOf("datagram"u8) < 0);

        three.Peers.Take(from, path, [post]);
        Assert.Empty(three.Taken);
        Assert.Equal(1, three.Cluster.GetNodeCounters().MessagesRefused);
    }

    [Fact]
    public async Task A_captured_post_or_question_is_refused_when_it_is_replayed()
    {
        (Node one, Node two, _) = await StartAsync();
        Assert.True(one.Peers.TryPost(two.Id, Posts, s_datagram));
        await Eventually.IsTrueAsync(() => !two.Taken.IsEmpty);
        Assert.NotNull(await one.Peers.RequestAsync(two.Id, Questions, s_datagram, FromSeconds(5)));
        (Guid from, string _, byte[] post) = _captured.First();
        byte[] question = _captured.ElementAt(1).Bytes;

        two.Peers.Take(from, Posts, [post]);

        Assert.Single(two.Taken);
        Assert.Null(await two.Peers.AnswerAsync(from, Questions, question));
        Assert.Equal(2, two.Cluster.GetNodeCounters().MessagesRefused);
    }

    [Fact]
    public async Task A_forged_post_or_question_is_refused_and_counted()
    {
        (Node one, Node two, _) = await StartAsync();

        two.Peers.Take(one.Id.Value, Posts, [s_datagram, []]);

        Assert.Empty(two.Taken);
        Assert.Null(await two.Peers.AnswerAsync(one.Id.Value, Questions, s_datagram));
        Assert.Equal(3, two.Cluster.GetNodeCounters().MessagesRefused);
    }

    [Fact]
    public async Task A_key_in_an_answer_is_sent_encrypted()
    {
        (Node one, Node two, _) = await StartAsync();

        Assert.Equal(s_key, await one.Peers.RequestAsync(two.Id, Questions, s_datagram, FromSeconds(5)));

        Assert.Equal(2, _captured.Count);
        Assert.All(_captured, message => Assert.True(
            message.Bytes.AsSpan().IndexOf("datagram"u8) < 0 && message.Bytes.AsSpan().IndexOf("key"u8) < 0));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (Node node in _nodes)
        {
            await node.Cluster.DisposeAsync();
            node.Peers.Dispose();
        }
    }

    private async Task<(Node One, Node Two, Node Three)> StartAsync()
    {
        // Threads of nodes that run read the list.
        _nodes.AddRange(Enumerable.Range(0, 3).Select(i => new Node(this, SiloAddress.New(IPAddress.Loopback, 11_111 + i, 1))));
        foreach (Node node in _nodes)
        {
            await node.Cluster.StartAsync();
        }

        await Eventually.IsTrueAsync(() => _nodes.All(node => node.Peers.Up.Count == 2));
        return (_nodes[0], _nodes[1], _nodes[2]);
    }

    private ICoapNodeService ServiceOf(SiloAddress silo) => Stub.Make<ICoapNodeService>((method, arguments) =>
    {
        SiloPeers peers = _nodes.Single(node => node.Peers.Silo.Equals(silo)).Peers;
        (Guid from, string path) = ((Guid)arguments[0]!, (string)arguments[1]!);
        switch (method.Name)
        {
            case nameof(ICoapNodeService.PostAsync):
                Array.ForEach((byte[][])arguments[2]!, item => _captured.Enqueue((from, path, item)));
                peers.Take(from, path, (byte[][])arguments[2]!);
                return Task.CompletedTask;

            case nameof(ICoapNodeService.RequestAsync):
                _captured.Enqueue((from, path, (byte[])arguments[2]!));
                return AnswerAsync(peers, from, path, (byte[])arguments[2]!);

            default:
                throw new NotSupportedException(method.Name);
        }
    });

    private async Task<byte[]?> AnswerAsync(SiloPeers peers, Guid from, string path, byte[] question)
    {
        byte[]? answer = await peers.AnswerAsync(from, path, question);
        _captured.Enqueue((from, path, answer ?? []));
        return answer;
    }

    private sealed class Node
    {
        public Node(SiloPeersTests test, SiloAddress silo)
        {
            ISiloStatusOracle silos = Stub.Make<ISiloStatusOracle>((method, _) =>
                method.Name == nameof(ISiloStatusOracle.GetApproximateSiloStatuses)
                    ? test._nodes.Select(node => node.Peers.Silo).Append(silo).Distinct()
                        .ToDictionary(one => one, _ => SiloStatus.Active)
                    : method.ReturnType == typeof(bool) ? true : null);
            Cluster = new CoapCluster(test._memory.Open(), new CoapClusterOptions
            {
                Secrets = [Enumerable.Range(1, 32).Select(i => (byte)i).ToArray()],
                Lease = FromHours(1),
                Peers = self => new SiloPeers(
                    self, silo, test.ServiceOf, () => Cluster!.Messages, silos, TimeSpan.MaxValue, test._clock,
                    NullLogger.Instance),
            }, test._clock);
            Peers.MapBatch(Posts, (from, item) => Taken.Enqueue((from, item.ToArray())));
            Peers.MapQuestion(Questions, (_, question) =>
                Task.FromResult(question.Span.SequenceEqual(s_datagram) ? s_key : null));
        }

        public CoapCluster Cluster { get; }

        public SiloPeers Peers => (SiloPeers)Cluster.Peers;

        public CoapNodeId Id => Cluster.Self.Id;

        public ConcurrentQueue<(CoapNodeId From, byte[] Item)> Taken { get; } = new();
    }
}
