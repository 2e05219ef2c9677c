using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Tables;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Calls of other nodes that do not answer, have left, are of another version, or get more than they take.</summary>
public sealed class NodePeersTests
{
    private static readonly TimeSpan s_timeout = FromSeconds(5);
    private static readonly CoapClusterNode s_self = new(CoapNodeId.New(), "test://self");
    private static readonly CoapClusterNode s_other = new(CoapNodeId.New(), "test://other");
    private static readonly CoapClusterNode s_foreign = new(CoapNodeId.New(), "");

    private readonly VirtualClock _clock = new();
    private readonly StringWriterLogger _log = new();
    private readonly TestNetwork _network = new();
    private readonly NodePeers _peers;

    public NodePeersTests() => _peers = new NodePeers(s_self.Id, _network, _clock, _log);

    private static CoapClusterSlotMap Map(params CoapClusterNode[] nodes) => new(1, nodes, new CoapSlotOwner[CoapSlot.Count]);

    [Fact]
    public async Task An_answer_of_a_node_is_returned()
    {
        _peers.Update(Map(s_self, s_other));
        _network.Answer = Task.FromResult<IReadOnlyList<ReplicatedTableChangeMessage>?>([]);

        Assert.Empty((await AskAsync(s_other))!);
    }

    [Fact]
    public async Task A_node_that_does_not_answer_in_time_gives_no_answer()
    {
        _peers.Update(Map(s_self, s_other));
        _network.Answer = new TaskCompletionSource<IReadOnlyList<ReplicatedTableChangeMessage>?>().Task;
        Task<IReadOnlyList<ReplicatedTableChangeMessage>?> asked = AskAsync(s_other);
        Assert.False(asked.IsCompleted);

        _clock.Advance(s_timeout);

        Assert.Null(await asked.WaitAsync(HangGuard.InMemory));
    }

    [Fact]
    public async Task A_node_of_a_version_without_the_call_gives_no_answer()
    {
        _peers.Update(Map(s_self, s_other));
        _network.Answer = Task.FromException<IReadOnlyList<ReplicatedTableChangeMessage>?>(new InvalidOperationException("no such method"));

        Assert.Null(await AskAsync(s_other));
    }

    [Fact]
    public async Task A_node_that_has_left_is_asked_nothing_and_gets_no_posts()
    {
        List<string> news = [];
        _peers.Listen(new Listener(news));
        _peers.Update(Map(s_self, s_other));
        NodePeer peer = _peers.Find(s_other.Id)!;
        _peers.Update(Map(s_self));
        _network.Answer = Task.FromResult<IReadOnlyList<ReplicatedTableChangeMessage>?>([]);

        Assert.Null(await AskAsync(s_other));
        Assert.Null(_peers.Find(s_other.Id));
        Assert.Null(_peers.AddressOf(s_other.Id));
        Assert.False(peer.Datagrams.TryPost(Datagram(1)));
        Assert.Equal(["up", "down"], news);
    }

    [Fact]
    public void A_node_without_an_address_of_the_network_is_not_live()
    {
        _peers.Update(Map(s_self, s_foreign, s_other));

        Assert.Equal([s_other.Id], _peers.Up);
    }

    [Theory]
    [InlineData(true, false, true)]
    [InlineData(false, true, false)]
    [InlineData(null, true, true)]
    [InlineData(null, false, false)]
    public void The_lease_of_a_node_decides_only_if_the_network_does_not_know_whether_it_is_live(
        bool? network, bool hasLease, bool isLive)
    {
        _peers.LiveOf(Map(s_self, s_other));
        _network.Live = network;

        CoapClusterSlotMap live = _peers.LiveOf(hasLease ? Map(s_self, s_other) : Map(s_self));

        Assert.Equal(isLive, live.IsThere(s_other.Id));
        Assert.True(live.IsThere(s_self.Id));
    }

    [Fact]
    public void A_node_that_loses_its_lease_stays_live_while_the_network_says_so()
    {
        _network.Live = true;

        Assert.True(_peers.LiveOf(Map(s_self, s_other)).IsThere(s_other.Id));
        Assert.True(_peers.LiveOf(Map()).IsThere(s_other.Id));
        Assert.True(_peers.LiveOf(Map()).IsThere(s_self.Id));
    }

    [Fact]
    public async Task Datagrams_above_the_limit_are_dropped_and_logged_and_other_posts_are_sent()
    {
        _peers.Update(Map(s_self, s_other));
        NodePeer peer = _peers.Find(s_other.Id)!;
        _network.Relayed = new TaskCompletionSource().Task;
        for (int bytes = 0; bytes <= NodeSendQueue.MaxWaiting + (128 << 10); bytes += 32 << 10)
        {
            Assert.True(peer.Datagrams.TryPost(Datagram(32 << 10)));
        }

        Assert.True(peer.DatagramReturns.TryPost(Datagram(1)));

        await Eventually.IsTrueAsync(() => _network.Returned == 1);
        Assert.Contains("dropped", $"{_log}", Ordinal);
        _clock.Advance(FromSeconds(1));
        Assert.Equal((true, false), (peer.Datagrams.IsStalled, peer.DatagramReturns.IsStalled));
    }

    [Fact]
    public void A_datagram_that_is_longer_than_UDP_allows_is_not_posted()
    {
        _peers.Update(Map(s_self, s_other));
        NodePeer peer = _peers.Find(s_other.Id)!;

        Assert.True(new RelayedDatagram { Datagram = new byte[PostedDatagram.MaxDatagram] }.TryPost(peer.Datagrams));
        Assert.False(new RelayedDatagram { Datagram = new byte[PostedDatagram.MaxDatagram + 1] }.TryPost(peer.Datagrams));
        Assert.False(new RelayedDatagram { Datagram = new byte[1] }.TryPost(null));
    }

    private static PostedDatagram Datagram(int length) => new(default, 1, null, default, default, new byte[length]);

    private Task<IReadOnlyList<ReplicatedTableChangeMessage>?> AskAsync(CoapClusterNode node) =>
        _peers.AskAsync(node.Id, service => service.GetTablePositionsAsync(default), s_timeout);

    private sealed class Listener(List<string> news) : INodeLivenessListener
    {
        public void OnUp(CoapNodeId node) => news.Add("up");

        public void OnDown(CoapNodeId node) => news.Add("down");
    }

    private sealed class TestNetwork : INodeNetwork
    {
        private int _returned;

        public event Action? LivenessChanged
        {
            add { }
            remove { }
        }

        public TimeSpan DeathDelay => FromSeconds(2);

        public string Address => s_self.Address;

        public bool? Live { get; set; }

        /// <summary>What the other node answers.</summary>
        public Task<IReadOnlyList<ReplicatedTableChangeMessage>?>? Answer { get; set; }

        /// <summary>Completes when the other node has taken datagrams.</summary>
        public Task Relayed { get; set; } = Task.CompletedTask;

        /// <summary>The number of answers to clients that the other node got.</summary>
        public int Returned => Volatile.Read(ref _returned);

        public bool? IsLive(CoapClusterNode node) => Live;

        public CoapAddress? HostOf(CoapClusterNode node) => CoapAddress.FromIPv4(0x7F00_0001, 1);

        public INodeService? ServiceOf(CoapClusterNode node) => node.Address.Length == 0 ? null : ScriptedNodeService.Make((name, _) =>
        {
            if (name == nameof(INodeService.ReturnDatagramsAsync))
            {
                Interlocked.Increment(ref _returned);
                return Task.CompletedTask;
            }

            return name == nameof(INodeService.RelayDatagramsAsync) ? Relayed : Answer!;
        });

        public void End()
        {
        }
    }
}
