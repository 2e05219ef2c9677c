using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Responses that a cache must not keep, or not use again (RFC 7252 section 5.6).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7252-5.3.2-1", "7252-5.6-2", "7252-5.6-3", "7252-5.6.1-1", "7252-5.6.2-2", "7252-5.6.2-3")]
public sealed class CacheTests(CachingClientFixture client) : IClassFixture<CachingClientFixture>
{
    public static TheoryData<string> ClientRows => HostileTable.Names(CacheTable.Table.Client);

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(CacheTable.Table.Client, row));
}
