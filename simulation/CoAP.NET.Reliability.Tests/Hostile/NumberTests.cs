using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Message IDs and tokens that come again, belong to others or come from elsewhere (RFC 7252 sections 4.4, 4.5 and 5.3).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7252-4.4-2", "7252-4.5-1", "7252-4.5-2", "7252-4.5-3", "7252-4.5-4", "7252-4.5-5", "7252-4.2-5", "7252-4.2-9", "7252-5.2.2-3",
    "7252-5.3.2-1", "7252-5.3.2-2", "7252-5.3.2-3")]
public sealed class NumberTests(ServerFixture server, ClientFixture client) : IClassFixture<ServerFixture>, IClassFixture<ClientFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(NumberTable.Table.Server);

    public static TheoryData<string> ClientRows => HostileTable.Names(NumberTable.Table.Client);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(NumberTable.Table.Server, row));

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(NumberTable.Table.Client, row));
}
