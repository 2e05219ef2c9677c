using CoAP.NET.Cluster.Tests.Steering;
using CoAP.NET.Testing;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>How messages between nodes are encrypted where the connection does not do it.</summary>
public sealed class NodeCipherTests : IAsyncDisposable
{
    private const string Path = "/relay";

    private readonly VirtualClock _clock = new();
    private readonly StringWriterLogger _log = new();
    private readonly List<IAsyncDisposable> _all = [];

    [Fact]
    public void A_message_shows_nothing_and_opens_at_its_receiver_for_its_purpose()
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
    public void A_message_that_is_forged_changed_or_meant_for_another_node_or_purpose_is_refused_and_counted()
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
        Assert.Equal(2, _log.ToString().Split('\n').Count(static line => line.Contains(" 2538 ", StringComparison.Ordinal)));
    }

    [Fact]
    public void An_answer_opens_only_for_the_question_that_was_asked()
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
    public void Nodes_with_the_previous_the_current_and_both_secrets_understand_each_other()
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

    private Node Make(params byte[] secrets)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> all =
            [.. secrets.Select(static first => (ReadOnlyMemory<byte>)Enumerable.Range(first, 32).Select(static i => (byte)i).ToArray())];
        CoapCluster cluster = new(
            new CoapMemoryCluster(_clock).Open(), new CoapClusterOptions { Secrets = all }, _clock, logger: _log);
        _all.Add(cluster);
        return new Node(cluster.Self.Id, cluster.Messages);
    }

    private sealed record Node(CoapNodeId Id, NodeCipher Cipher);
}
