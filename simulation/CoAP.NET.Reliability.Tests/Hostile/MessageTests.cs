using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>What is no message, or the wrong one (RFC 7252 sections 3 and 4).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7252-3-1", "7252-3-2", "7252-3-3", "7252-3.1-2", "7252-3.1-3", "7252-3.1-4", "7252-4.1-1", "7252-4.2-2", "7252-4.2-5", "7252-4.3-1",
    "7252-4.3-2", "8974-2.1-1", "8974-2.2.2-3")]
public sealed class MessageTests(ServerFixture server, ClientFixture client) : IClassFixture<ServerFixture>, IClassFixture<ClientFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(MessageTable.Table.Server);

    public static TheoryData<string> ClientRows => HostileTable.Names(MessageTable.Table.Client);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(MessageTable.Table.Server, row));

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(MessageTable.Table.Client, row));
}
