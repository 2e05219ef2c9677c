using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Filters that a server is asked with, and documents that a client is answered with (RFC 6690).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("6690-2-1", "6690-2-3", "6690-4.1-1", "6690-4.1-2", "6690-4-1")]
public sealed class LinkTests(ServerFixture server, ClientFixture client) : IClassFixture<ServerFixture>, IClassFixture<ClientFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(LinkTable.Table.Server);

    public static TheoryData<string> ClientRows => HostileTable.Names(LinkTable.Table.Client);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(LinkTable.Table.Server, row));

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(LinkTable.Table.Client, row));
}
