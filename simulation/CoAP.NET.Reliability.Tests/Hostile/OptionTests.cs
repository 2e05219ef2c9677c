using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Options that are too short, too long, too many, in the wrong place or unknown (RFC 7252 section 5.4).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7252-5.4-1", "7252-5.4.1-1", "7252-5.4.1-2", "7252-5.4.1-3", "7252-5.4.1-4", "7252-5.4.3-1", "7252-5.4.5-1", "7252-5.7.2-1",
    "7252-5.10.7-2", "8768-3-1", "8768-3-2", "9177-4.1-1")]
public sealed class OptionTests(ServerFixture server, ClientFixture client) : IClassFixture<ServerFixture>, IClassFixture<ClientFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(OptionTable.Table.Server);

    public static TheoryData<string> ClientRows => HostileTable.Names(OptionTable.Table.Client);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(OptionTable.Table.Server, row));

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(OptionTable.Table.Client, row));
}
