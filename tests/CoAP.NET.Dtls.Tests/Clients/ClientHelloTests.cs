namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>What a client offers.</summary>
public sealed class ClientHelloTests
{
    private const int ServerName = 0;
    private const int EncryptThenMac = 22;
    private const int ExtendedMasterSecret = 23;
    private const int TruncatedHmac = 4;
    private const int ConnectionId = 54;
    private const int RenegotiationInfo = 0xFF01;
    private const ushort RenegotiationSuite = 0x00FF;

    [Fact]
    [Rfc("7925-13-1")]
    [Rfc("7925-16-1")]
    [Rfc("7925-8-1")]
    [Rfc("7925-18-1")]
    [Rfc("9146-3-1")]
    public void A_ClientHello_offers_the_suites_and_extensions_of_the_profile_and_no_compression()
    {
        (ushort version, ushort[] suites, byte[] compressions, Dictionary<int, byte[]> extensions) = Offered("device.example");
        Assert.Equal(RecordHeader.Version, version);

        // That renegotiation is secure, which is never done, is said by one more suite or by an extension (RFC 5746 section 3.4); OpenSSL
        // 3.5 does the latter.
        Assert.Equal([.. CipherSuite.All.Select(suite => suite.Id)], suites.Where(suite => suite != RenegotiationSuite));
        Assert.NotEqual(suites[^1] == RenegotiationSuite, extensions.GetValueOrDefault(RenegotiationInfo) is [0]);
        Assert.Equal([0], compressions);
        Assert.True(extensions.ContainsKey(ExtendedMasterSecret));
        Assert.False(extensions.ContainsKey(EncryptThenMac) || extensions.ContainsKey(TruncatedHmac));
        Assert.Equal([0], extensions[ConnectionId]);
    }

    [Theory]
    [InlineData("device.example", "device.example")]
    [InlineData("device.example.", "device.example")]
    [InlineData("192.0.2.1", null)]
    [InlineData("2001:db8::1", null)]
    [InlineData(null, null)]
    [Rfc("7252-9.1.3-1")]
    public void A_ClientHello_contains_host_names_but_not_addresses(string? asked, string? sent)
    {
        Dictionary<int, byte[]> extensions = Offered(asked).Extensions;
        Assert.Equal(sent is not null, extensions.ContainsKey(ServerName));
        if (sent is not null)
        {
            // Length of the list, type, length of the name.
            Assert.Equal(sent, Encoding.ASCII.GetString(extensions[ServerName].AsSpan(5)));
        }
    }

    private static (ushort Version, ushort[] Suites, byte[] Compressions, Dictionary<int, byte[]> Extensions) Offered(string? name)
    {
        using ClientBench bench = new(BenchSettings.OfPsk());
        byte[]? hello = null;
        bench.Loses = (_, _, bytes) =>
        {
            hello ??= bytes;
            return true;
        };
        _ = bench.BeginAsync(serverName: name);
        ReadOnlySpan<byte> rest = hello.AsSpan(RecordHeader.Size + 12);
        ushort version = BinaryPrimitives.ReadUInt16BigEndian(rest);
        rest = rest[(2 + 32)..];
        Take(ref rest, 1);
        Take(ref rest, 1);
        byte[] suites = Take(ref rest, 2);
        byte[] compressions = Take(ref rest, 1);
        ReadOnlySpan<byte> all = Take(ref rest, 2);
        Dictionary<int, byte[]> extensions = [];
        while (all.Length > 0)
        {
            int type = BinaryPrimitives.ReadUInt16BigEndian(all);
            all = all[2..];
            extensions.Add(type, Take(ref all, 2));
        }

        return (version, [.. suites.Chunk(2).Select(pair => BinaryPrimitives.ReadUInt16BigEndian(pair))], compressions, extensions);
    }

    private static byte[] Take(ref ReadOnlySpan<byte> rest, int lengthBytes)
    {
        int length = lengthBytes == 1 ? rest[0] : BinaryPrimitives.ReadUInt16BigEndian(rest);
        byte[] taken = rest.Slice(lengthBytes, length).ToArray();
        rest = rest[(lengthBytes + length)..];
        return taken;
    }
}
