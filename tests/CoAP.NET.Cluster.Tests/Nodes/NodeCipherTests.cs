using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>How messages between nodes are encrypted where the connection does not do it.</summary>
public sealed class NodeCipherTests : IAsyncDisposable
{
    private const string Path = "/relay";

    private readonly VirtualClock _clock = new();
    private readonly StringWriterLogger _log = new();
    private readonly List<IAsyncDisposable> _all = [];

    [Fact]
    public void A_message_is_encrypted_and_can_be_decrypted_only_by_its_receiver_for_its_purpose()
    {
        Node one = Make(1);
        Node two = Make(1);
        byte[] datagram = "a datagram of a device"u8.ToArray();

        byte[] message = one.Cipher.Seal(two.Id, Path, datagram);

        Assert.True(message.AsSpan().IndexOf("datagram"u8) < 0);
        Assert.NotEqual(message, one.Cipher.Seal(two.Id, Path, datagram));
        Assert.Equal(datagram, two.Cipher.TryOpen(one.Id, Path, message));
        Assert.Equal(0, two.Cipher.RefusedCount);
    }

    [Fact]
    public void A_forged_or_modified_message_or_one_for_another_node_or_purpose_is_refused_and_counted()
    {
        Node one = Make(1);
        Node two = Make(1);
        Node three = Make(1);
        byte[] message = one.Cipher.Seal(two.Id, Path, "datagram"u8);
        byte[] changed = [.. message];
        changed[^1] ^= 1;

        Assert.Null(three.Cipher.TryOpen(one.Id, Path, message));
        Assert.Null(two.Cipher.TryOpen(three.Id, Path, message));
        Assert.Null(two.Cipher.TryOpen(one.Id, "/other", message));
        Assert.Null(two.Cipher.TryOpen(one.Id, new string('x', 1000), message));
        Assert.Null(two.Cipher.TryOpen(one.Id, Path, changed));
        Assert.Null(two.Cipher.TryOpen(one.Id, Path, "datagram"u8));
        Assert.Null(two.Cipher.TryOpen(one.Id, Path, []));
        Assert.Null(two.Cipher.TryOpen(one.Id, Path, Make(2).Cipher.Seal(two.Id, Path, "datagram"u8)));
        Assert.Equal((7, 1), (two.Cipher.RefusedCount, three.Cipher.RefusedCount));
        Assert.Equal(2, _log.ToString().Split('\n').Count(line => line.Contains(" 2538 ", Ordinal)));
    }

    [Fact]
    public void A_reply_can_be_decrypted_only_for_its_question()
    {
        Node one = Make(1);
        Node two = Make(1);
        byte[] first = one.Cipher.Seal(two.Id, Path, "question"u8);
        byte[] second = one.Cipher.Seal(two.Id, Path, "question"u8);

        byte[] answer = two.Cipher.Seal(one.Id, Path, "answer"u8, first);

        Assert.Equal("answer"u8, one.Cipher.TryOpen(two.Id, Path, answer, first)!);
        Assert.Null(one.Cipher.TryOpen(two.Id, Path, answer, second));
        Assert.Null(one.Cipher.TryOpen(two.Id, Path, answer));
    }

    [Fact]
    public void A_replayed_message_is_refused_counted_and_logged()
    {
        Node one = Make(1);
        Node two = Make(1);
        byte[] first = one.Cipher.Seal(two.Id, Path, "first"u8);
        byte[] second = one.Cipher.Seal(two.Id, Path, "second"u8);
        byte[] renumbered = [.. second];
        renumbered[7] = 9;

        Assert.NotNull(two.Cipher.TryOpen(one.Id, Path, second));
        Assert.NotNull(two.Cipher.TryOpen(one.Id, Path, first));
        Assert.Null(two.Cipher.TryOpen(one.Id, Path, first));
        Assert.Null(two.Cipher.TryOpen(one.Id, Path, second));
        Assert.Equal(2, two.Cipher.RefusedCount);
        Assert.Contains($"A message of node {one.Id} arrived again", Assert.Single(_log.ToString().Split('\n'), line =>
            line.Contains(" 2539 ", Ordinal)), Ordinal);

        Assert.Null(two.Cipher.TryOpen(one.Id, Path, renumbered));
        Assert.NotNull(two.Cipher.TryOpen(one.Id, Path, one.Cipher.Seal(two.Id, Path, "third"u8)));
    }

    [Fact]
    public void Messages_are_accepted_in_any_order_within_the_window_of_their_sender_and_purpose()
    {
        Node one = Make(1);
        Node two = Make(1);
        byte[][] messages =
            [.. Enumerable.Range(0, NodeCipher.Window + 1).Select(i => one.Cipher.Seal(two.Id, Path, BitConverter.GetBytes(i)))];

        Assert.NotNull(two.Cipher.TryOpen(one.Id, Path, messages[^1]));
        Assert.Null(two.Cipher.TryOpen(one.Id, Path, messages[0]));
        for (int i = NodeCipher.Window - 1; i > 0; i--)
        {
            Assert.Equal(BitConverter.GetBytes(i), two.Cipher.TryOpen(one.Id, Path, messages[i])!);
        }

        Assert.Equal(1, two.Cipher.RefusedCount);

        // Those of another sender or purpose have their own window.
        Node three = Make(1);
        Assert.NotNull(two.Cipher.TryOpen(three.Id, Path, three.Cipher.Seal(two.Id, Path, "datagram"u8)));
        Assert.NotNull(two.Cipher.TryOpen(one.Id, "/other", one.Cipher.Seal(two.Id, "/other", "datagram"u8)));
    }

    [Fact]
    public void Windows_of_ended_nodes_are_evicted_and_their_messages_are_refused_afterwards()
    {
        Node one = Make(1);
        CoapNodeId live = CoapNodeId.New();
        CoapNodeId self = CoapNodeId.New();
        using NodeCipher receiver = MakeCipher(self, id => id == live);
        (CoapNodeId Id, byte[] Message) Send(CoapNodeId from)
        {
            using NodeCipher sender = MakeCipher(from, _ => true);
            return (from, sender.Seal(self, Path, "datagram"u8));
        }

        (CoapNodeId Id, byte[] Message)[] ended = [.. Enumerable.Range(0, NodeCipher.MaxWindows - 1).Select(_ => Send(CoapNodeId.New()))];
        (CoapNodeId Id, byte[] Message) kept = Send(live);
        Assert.All((IEnumerable<(CoapNodeId Id, byte[] Message)>)[.. ended, kept],
            each => Assert.NotNull(receiver.TryOpen(each.Id, Path, each.Message)));
        Assert.Equal(NodeCipher.MaxWindows, receiver.WindowCount);

        (CoapNodeId Id, byte[] Message) late = Send(CoapNodeId.New());
        Assert.Null(receiver.TryOpen(late.Id, Path, late.Message));
        Assert.Equal(1, receiver.WindowCount);
        Assert.Null(receiver.TryOpen(ended[0].Id, Path, ended[0].Message));
        Assert.Null(receiver.TryOpen(kept.Id, Path, kept.Message));
        Assert.Equal(1, receiver.WindowCount);

        NodeCipher MakeCipher(CoapNodeId id, Func<CoapNodeId, bool> isLive) => new(
            id, [Secret(1)], one.Cluster.Store, isLive, CoapRandomSource.Secure, _clock, _log);
    }

    [Fact]
    public void A_node_with_both_secrets_can_exchange_messages_with_nodes_that_have_either_of_them()
    {
        Node both = Make(2, 1);
        foreach (Node other in (Node[])[Make(1), Make(2)])
        {
            Assert.NotNull(both.Cipher.TryOpen(other.Id, Path, other.Cipher.Seal(both.Id, Path, "datagram"u8)));
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable one in _all)
        {
            await one.DisposeAsync();
        }

        _log.Dispose();
    }

    private static ReadOnlyMemory<byte> Secret(byte first) => Enumerable.Range(first, 32).Select(i => (byte)i).ToArray();

    private Node Make(params byte[] secrets)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> all = [.. secrets.Select(Secret)];
        CoapCluster cluster = new(
            new CoapMemoryCluster(_clock).Open(), new CoapClusterOptions { Secrets = all }, _clock, logger: _log);
        _all.Add(cluster);
        return new Node(cluster);
    }

    private sealed record Node(CoapCluster Cluster)
    {
        public CoapNodeId Id => Cluster.Self.Id;

        public NodeCipher Cipher => Cluster.Messages;
    }
}
