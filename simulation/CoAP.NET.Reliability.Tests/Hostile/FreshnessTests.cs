using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Echo values that are foreign, stale, cut or too long (RFC 9175 section 2).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("9175-2.2.1-1", "9175-2.2.1-2", "9175-2.3-1", "9175-2.3-2", "9175-2.3-4", "9175-2.4-2")]
public sealed class FreshnessTests(ServerFixture server, ClientFixture client) : IClassFixture<ServerFixture>, IClassFixture<ClientFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(FreshnessTable.Table.Server);

    public static TheoryData<string> ClientRows => HostileTable.Names(FreshnessTable.Table.Client);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(FreshnessTable.Table.Server, row));

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(FreshnessTable.Table.Client, row));
}
