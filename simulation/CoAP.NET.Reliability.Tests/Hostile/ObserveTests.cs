using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Registrations and notifications that are out of range, out of order or out of place (RFC 7641).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7641-2-1", "7641-3.4-1", "7641-3.5-1", "7641-4.1-2", "7641-4.1-3", "7641-4.1-4", "7641-4.1-5", "7641-4.2-2", "7641-4.5-2")]
public sealed class ObserveTests(ServerFixture server, ClientFixture client) : IClassFixture<ServerFixture>, IClassFixture<ClientFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(ObserveTable.Table.Server);

    public static TheoryData<string> ClientRows => HostileTable.Names(ObserveTable.Table.Client);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(ObserveTable.Table.Server, row));

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(ObserveTable.Table.Client, row));
}
