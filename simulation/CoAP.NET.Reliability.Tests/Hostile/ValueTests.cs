using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Values of options that are no text, lead elsewhere or mean nothing (RFC 7252 sections 3.2 and 5.10).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7252-3.2-2", "7252-3.2-3", "7252-5.10.1-1", "7252-5.10.1-2", "7252-11.1-1", "7252-6.4-1", "7252-5.5-1", "8132-2.3.1-1")]
public sealed class ValueTests(ServerFixture server, ClientFixture client) : IClassFixture<ServerFixture>, IClassFixture<ClientFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(ValueTable.Table.Server);

    public static TheoryData<string> ClientRows => HostileTable.Names(ValueTable.Table.Client);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(ValueTable.Table.Server, row));

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(ValueTable.Table.Client, row));
}
