using System.Buffers.Text;
using System.Security.Cryptography;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tests.Maps;

/// <summary>How nodes prove in the map that they have the secret.</summary>
public sealed class NodeAddressSealerTests
{
    private static readonly ReadOnlyMemory<byte> s_old = Secret(1);
    private static readonly ReadOnlyMemory<byte> s_new = Secret(2);
    private static readonly ReadOnlyMemory<byte> s_other = Secret(3);

    [Theory]
    [InlineData("")]
    [InlineData("orleans://127.0.0.1:11111@5#6")]
    public void A_node_with_the_same_secret_is_verified_unchanged(string address)
    {
        CoapClusterNode node = new(CoapNodeId.New(), address) { IsLeaving = true };
        using NodeAddressSealer one = new([s_old]);
        using NodeAddressSealer other = new([s_old]);

        CoapClusterNode stored = one.Seal(node);

        Assert.NotEqual(node, stored);
        Assert.Equal(node, other.TryOpen(stored, out bool hasCurrent, out _));
        Assert.True(hasCurrent);
    }

    [Fact]
    public void A_node_without_the_secret_or_with_the_seal_of_another_node_or_address_is_not_verified()
    {
        CoapClusterNode node = new(CoapNodeId.New(), "orleans://here");
        using NodeAddressSealer seals = new([s_old]);
        using NodeAddressSealer stranger = new([s_other, s_new]);
        CoapClusterNode stored = seals.Seal(node);

        Assert.Null(seals.TryOpen(node, out _, out _));
        Assert.Null(seals.TryOpen(stranger.Seal(node), out _, out _));
        Assert.Null(seals.TryOpen(stored with { Id = CoapNodeId.New() }, out _, out _));
        Assert.Null(seals.TryOpen(stored with { Address = "x" + stored.Address }, out _, out _));
        Assert.Null(seals.TryOpen(stored with { Address = stored.Address[..^1] }, out _, out _));
        Assert.Null(seals.TryOpen(stored with { Address = "#" }, out _, out _));
        Assert.NotNull(seals.TryOpen(stored, out _, out _));
    }

    [Fact]
    public void A_node_announces_the_newest_record_format_that_it_reads_and_the_announcement_cannot_be_forged()
    {
        CoapClusterNode node = new(CoapNodeId.New(), "orleans://here");
        using NodeAddressSealer later = new([s_old], format: 12);
        using NodeAddressSealer one = new([s_old], format: 1);
        CoapClusterNode stored = later.Seal(node);

        Assert.Equal((node, (byte)12), (one.TryOpen(stored, out _, out byte format), format));
        Assert.Equal((node, (byte)1), (later.TryOpen(one.Seal(node), out _, out format), format));
        foreach (string other in (string[])["#11#", "#1#", "#012#", "##", "#x12#", "#256#", "#12;#"])
        {
            Assert.Null(one.TryOpen(
                stored with { Address = stored.Address.Replace("#12#", other, Ordinal) }, out _, out _));
        }
    }

    [Fact]
    public void Additions_of_a_later_version_to_the_node_format_are_ignored()
    {
        using NodeAddressSealer seals = new([s_old]);
        CoapNodeId id = CoapNodeId.New();
        string told = "orleans://here#2;more";
        byte[] input = [.. id.Value.ToByteArray(), .. Encoding.UTF8.GetBytes(told)];
        byte[] mac = HMACSHA256.HashData(ClusterSecrets.DeriveKeys([s_old], "nodes")[0], input);
        CoapClusterNode stored = new(id, $"{told}#{Base64Url.EncodeToString(mac.AsSpan(0, 16))}");

        Assert.Equal(new CoapClusterNode(id, "orleans://here"), seals.TryOpen(stored, out _, out byte format));
        Assert.Equal(2, format);
    }

    [Fact]
    public void A_node_with_both_secrets_verifies_nodes_with_either_of_them()
    {
        CoapClusterNode node = new(CoapNodeId.New(), new string('x', NodeAddressSealer.MaxAddressLength));
        using NodeAddressSealer old = new([s_old]);
        using NodeAddressSealer both = new([s_new, s_old]);
        using NodeAddressSealer latest = new([s_new]);

        Assert.Equal((node, true), (old.TryOpen(both.Seal(node), out bool hasCurrent, out _), hasCurrent));
        Assert.Equal((node, true), (latest.TryOpen(both.Seal(node), out hasCurrent, out _), hasCurrent));
        Assert.Equal((node, true), (both.TryOpen(both.Seal(node), out hasCurrent, out _), hasCurrent));
        Assert.Equal((node, true), (both.TryOpen(latest.Seal(node), out hasCurrent, out _), hasCurrent));
        Assert.Equal((node, false), (both.TryOpen(old.Seal(node), out hasCurrent, out _), hasCurrent));
        Assert.Null(old.TryOpen(latest.Seal(node), out _, out _));
    }

    [Fact]
    public void A_disposed_seal_neither_seals_nor_verifies()
    {
        CoapClusterNode node = new(CoapNodeId.New(), "");
        NodeAddressSealer seals = new([s_old]);
        CoapClusterNode stored = seals.Seal(node);
        seals.Dispose();

        Assert.Throws<ObjectDisposedException>(() => seals.Seal(node));
        Assert.Throws<ObjectDisposedException>(() => seals.TryOpen(stored, out _, out _));
    }

    private static byte[] Secret(byte first) => [.. Enumerable.Range(first, 32).Select(i => (byte)i)];
}
