using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Steering;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>What nodes send to the UDP ports of each other: records that are authentic, come once, and are counted where they are lost.
/// </summary>
public sealed class NodeRelayConnectionTests : IDisposable
{
    private const ulong Id = 0x0102_0304_0506_0708;
    private const int Window = 1_024;
    private static readonly CoapAddress s_there = CoapAddress.FromIPv4(0xC000_0202, 5684);

    private readonly byte[] _key = NewKey();
    private readonly VirtualClock _clock = new();
    private readonly NodeRelayConnection _way;
    private readonly RelayReceiver _entrance;

    public NodeRelayConnectionTests()
    {
        _way = new NodeRelayConnection(s_there, Id, _key, _clock);
        _entrance = new RelayReceiver(CoapNodeId.New(), 1, Id, _key);
    }

    [Fact]
    public void A_relay_record_is_decrypted_to_its_kind_and_content_and_accepted_once()
    {
        byte[] record = Sealed(RelayKind.ToOwner, 1, 2, 3);
        Assert.True(RelayRecord.TryReadId(record, out ulong id));
        Assert.Equal(Id, id);

        byte[] copy = [.. record];
        Assert.True(_entrance.TryOpen(record, out RelayKind kind, out _, out _));
        Assert.Equal(RelayKind.ToOwner, kind);
        Assert.Equal([1, 2, 3], RelayRecord.ContentOf(record).ToArray());
        Assert.False(_entrance.TryOpen(copy, out _, out _, out _));
    }

    [Fact]
    public void A_modified_or_forged_relay_record_is_refused_and_affects_no_other()
    {
        byte[] good = Sealed(RelayKind.ToClient, 1, 2, 3);
        for (int i = 0; i < good.Length; i++)
        {
            byte[] bad = [.. good];
            bad[i] ^= 1;
            Assert.False(_entrance.TryOpen(bad, out _, out _, out _));
        }

        using NodeRelayConnection stranger = new(s_there, Id, NewKey(), _clock);
        for (int i = 0; i < 2 * Window; i++)
        {
            Assert.False(_entrance.TryOpen(Sealed(stranger, RelayKind.ToOwner, 1), out _, out _, out int lost));
            Assert.Equal(0, lost);
        }

        Assert.True(_entrance.TryOpen(good, out _, out _, out _));
    }

    [Fact]
    public void Relay_records_are_accepted_out_of_order_and_missing_records_are_counted_once()
    {
        byte[][] records = [.. Enumerable.Range(0, 4 * Window).Select(i => Sealed(RelayKind.ToOwner, (byte)i))];
        int lost = 0;
        for (int i = 0; i < records.Length; i += 4)
        {
            // Of four the second never comes, and the third before the first.
            foreach (int which in (int[])[i + 2, i, i + 3])
            {
                Assert.True(_entrance.TryOpen(records[which], out _, out _, out int more));
                lost += more;
            }
        }

        Assert.Equal((records.Length - Window) / 4, lost);
        Assert.False(_entrance.TryOpen(records[1], out _, out _, out _));
    }

    [Fact]
    public void A_relay_path_is_used_after_the_first_answer_and_stalls_after_a_second_without_an_answer()
    {
        _ = Sealed(RelayKind.Question);
        Assert.False(_way.IsOpen);
        _clock.Advance(FromMinutes(1));
        Assert.False(_way.IsStalled);

        Assert.True(_way.OnAnswer(Number(0)));
        Assert.True(_way.IsOpen);
        Assert.False(_way.IsStalled);
        _clock.Advance(FromMinutes(1));
        Assert.False(_way.IsStalled);

        _ = Sealed(RelayKind.ToOwner, 1);
        _clock.Advance(FromMilliseconds(999));
        Assert.False(_way.IsStalled);
        _clock.Advance(FromMilliseconds(1));
        Assert.True(_way.IsStalled);

        // An answer to what was asked before says nothing of now, and one to what was never sent neither.
        Assert.False(_way.OnAnswer(Number(0)));
        Assert.False(_way.OnAnswer(Number(2)));
        Assert.True(_way.IsStalled);
        Assert.True(_way.OnAnswer(Number(1)));
        Assert.False(_way.IsStalled);
    }

    [Fact]
    public void A_stalled_path_requests_a_key_at_once_and_other_paths_wait_until_they_are_due()
    {
        RelayAddressQuerySchedule neighbour = new() { AsksAt = 100 };

        Assert.False(neighbour.TryBegin(hasWay: false, isStalled: false, now: 99));
        Assert.False(neighbour.TryBegin(hasWay: true, isStalled: false, now: 200));
        Assert.True(neighbour.TryBegin(hasWay: true, isStalled: true, now: 1));
        Assert.False(neighbour.TryBegin(hasWay: true, isStalled: true, now: 2));
        neighbour.IsAsking = false;
        Assert.True(neighbour.TryBegin(hasWay: false, isStalled: false, now: 100));
    }

    [Fact]
    public void A_single_answer_per_second_keeps_a_relay_path_from_stalling()
    {
        _ = Sealed(RelayKind.Question);
        Assert.True(_way.OnAnswer(Number(0)));
        int asked = 0;
        ulong last = 0;
        for (ulong i = 1; i <= 900; i++)
        {
            _clock.Advance(FromMilliseconds(1));
            Assert.True(_entrance.TryOpen(Sealed(RelayKind.ToOwner, 1), out _, out bool asks, out _));
            asked += asks ? 1 : 0;
            last = asks ? i : last;
        }

        Assert.Equal(9, asked);
        Assert.False(_way.OnAnswer(Number(last)));
        _clock.Advance(FromSeconds(1));
        Assert.False(_way.IsStalled);
    }

    [Fact]
    public void Answers_request_no_further_answer()
    {
        for (int i = 0; i < 3; i++)
        {
            Assert.True(_entrance.TryOpen(Sealed(RelayKind.Answer, 1), out _, out bool asks, out _));
            Assert.False(asks);
            _clock.Advance(FromSeconds(1));
        }
    }

    [Fact]
    public void A_node_sends_to_an_address_for_which_it_has_a_socket()
    {
        CoapAddress v4 = CoapAddress.FromIPv4(0xC000_0205, 5684);
        CoapAddress any4 = CoapAddress.FromIPv4(0, 5684);
        CoapAddress any6 = new(0, 0, 5684, 0);
        CoapAddress v6 = new(0x2001_0db8_0000_0000, 1, 5684, 0);
        CoapAddress node = s_there with { Port = 5690 };

        RelayPathOffer both = Offer(any6, any4, v4);
        Assert.Equal(s_there, both.ChooseFor([any4], node));
        Assert.Equal(s_there, both.ChooseFor([any6], node));
        Assert.Equal(v4, Offer(v6, v4).ChooseFor([any4], node));
        Assert.Null(Offer(v6).ChooseFor([any4], node));
        Assert.Null(Offer().ChooseFor([any4], node));
        Assert.Null(both.ChooseFor([], node));
        Assert.True(both.IsValid);
        Assert.False(new RelayPathOffer(Id, [1], [v4]).IsValid);
        Assert.False(Offer([.. Enumerable.Repeat(v4, RelayPathOffer.MaxAddresses + 1)]).IsValid);
    }

    [Fact]
    public async Task Misdirected_datagrams_are_relayed_from_port_to_port_and_not_by_messages_of_the_cluster()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = await Site.StartAsync(2, 4);
        await HaveWaysAsync(site);
        long[] items = [.. site.Nodes.Select(node => node.Posted)];
        site.Balancer.Sprays = true;
        site.Talk();
        await site.MoreAsync(100);
        await site.QuietAsync();

        site.AssertNobodyShookHandsAgain();
        Assert.Equal(0, site.ServedTwice);
        Assert.Equal(items, site.Nodes.Select(node => node.Posted));
        Assert.All(site.Nodes, node => Assert.NotEqual(0, node.Cluster.GetNodeCounters().Relayed));
        Assert.All(site.Nodes, node => Assert.NotEqual(0, node.Cluster.GetNodeCounters().RelaysReturned));
        Assert.All(site.Nodes, node => Assert.Equal(0, node.Cluster.GetNodeCounters().RelaysLost));
    }

    [Fact]
    public async Task Nodes_whose_processes_share_a_port_relay_by_messages_of_the_cluster()
    {
        Assert.SkipUnless(CoapDtls.IsSupported && OperatingSystem.IsLinux(), "needs DTLS and ports that processes share");
        await using Site site = await Site.StartAsync(2, 0, sharedPort: LoopbackPort.FindFree());
        Assert.All(site.Nodes, node => Assert.Null(SteeringOf(node).Offer(site.Nodes[0].Cluster.Self.Id, 1)));
    }

    public void Dispose()
    {
        _way.Dispose();
        _entrance.Dispose();
    }

    private static Task HaveWaysAsync(Site site) => Eventually.IsTrueAsync(() => site.Nodes.All(
        node => site.Nodes.All(other => other == node || SteeringOf(node).WayTo(other.Cluster.Self.Id) is { IsOpen: true })));

    private static ClusterSteering SteeringOf(SiteNode node) => Assert.Single(node.Cluster.Relays.Servers);

    private RelayPathOffer Offer(params CoapAddress[] addresses) => new(Id, _key, addresses);

    private static byte[] Number(ulong number) => [.. BitConverter.GetBytes(number).Reverse()];

    private static byte[] NewKey()
    {
        byte[] key = new byte[RelayRecord.KeyLength];
        CoapRandomSource.Secure.Fill(key);
        return key;
    }

    private byte[] Sealed(RelayKind kind, params byte[] content) => Sealed(_way, kind, content);

    private static byte[] Sealed(NodeRelayConnection way, RelayKind kind, params byte[] content)
    {
        byte[] record = new byte[RelayRecord.Overhead + content.Length];
        content.CopyTo(RelayRecord.ContentOf(record));
        Assert.True(way.TrySeal(kind, record));
        return record;
    }
}
