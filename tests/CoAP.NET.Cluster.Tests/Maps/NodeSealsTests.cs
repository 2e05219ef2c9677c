namespace CoAP.NET.Cluster.Tests.Maps;

/// <summary>How nodes prove in the map that they have the secret.</summary>
public sealed class NodeSealsTests
{
    private static readonly ReadOnlyMemory<byte> s_old = Secret(1);
    private static readonly ReadOnlyMemory<byte> s_new = Secret(2);
    private static readonly ReadOnlyMemory<byte> s_other = Secret(3);

    [Theory]
    [InlineData("")]
    [InlineData("orleans://127.0.0.1:11111@5#6")]
    public void A_node_with_the_same_secret_verifies_and_looks_as_before(string address)
    {
        CoapClusterNode node = new(CoapNodeId.New(), address) { IsLeaving = true };
        using NodeSeals one = new([s_old]);
        using NodeSeals other = new([s_old]);

        CoapClusterNode stored = one.Seal(node);

        Assert.NotEqual(node, stored);
        Assert.Equal(node, other.TryOpen(stored, out bool hasCurrent));
        Assert.True(hasCurrent);
    }

    [Fact]
    public void A_node_without_the_secret_or_with_the_seal_of_another_node_or_address_does_not_verify()
    {
        CoapClusterNode node = new(CoapNodeId.New(), "orleans://here");
        using NodeSeals seals = new([s_old]);
        using NodeSeals stranger = new([s_other, s_new]);
        CoapClusterNode stored = seals.Seal(node);

        Assert.Null(seals.TryOpen(node, out _));
        Assert.Null(seals.TryOpen(stranger.Seal(node), out _));
        Assert.Null(seals.TryOpen(stored with { Id = CoapNodeId.New() }, out _));
        Assert.Null(seals.TryOpen(stored with { Address = "x" + stored.Address }, out _));
        Assert.Null(seals.TryOpen(stored with { Address = stored.Address[..^1] }, out _));
        Assert.Null(seals.TryOpen(stored with { Address = "#" }, out _));
        Assert.NotNull(seals.TryOpen(stored, out _));
    }

    [Fact]
    public void A_node_with_both_secrets_knows_the_nodes_with_one_of_them_and_they_know_it()
    {
        CoapClusterNode node = new(CoapNodeId.New(), new string('x', NodeSeals.MaxAddressLength));
        using NodeSeals old = new([s_old]);
        using NodeSeals both = new([s_new, s_old]);
        using NodeSeals latest = new([s_new]);

        Assert.Equal((node, true), (old.TryOpen(both.Seal(node), out bool hasCurrent), hasCurrent));
        Assert.Equal((node, true), (latest.TryOpen(both.Seal(node), out hasCurrent), hasCurrent));
        Assert.Equal((node, true), (both.TryOpen(both.Seal(node), out hasCurrent), hasCurrent));
        Assert.Equal((node, true), (both.TryOpen(latest.Seal(node), out hasCurrent), hasCurrent));
        Assert.Equal((node, false), (both.TryOpen(old.Seal(node), out hasCurrent), hasCurrent));
        Assert.Null(old.TryOpen(latest.Seal(node), out _));
    }

    [Fact]
    public void After_disposal_nothing_is_sealed_or_verified()
    {
        CoapClusterNode node = new(CoapNodeId.New(), "");
        NodeSeals seals = new([s_old]);
        CoapClusterNode stored = seals.Seal(node);
        seals.Dispose();

        Assert.Throws<ObjectDisposedException>(() => seals.Seal(node));
        Assert.Throws<ObjectDisposedException>(() => seals.TryOpen(stored, out _));
    }

    private static byte[] Secret(byte first) => [.. Enumerable.Range(first, 32).Select(static i => (byte)i)];
}
