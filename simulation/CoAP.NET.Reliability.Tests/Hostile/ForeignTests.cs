using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Bytes of other protocols on the port of CoAP.</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7252-3-1", "7252-4.2-2", "7252-4.3-2")]
public sealed class ForeignTests(ServerFixture server) : IClassFixture<ServerFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(ForeignTable.Table.Server);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(ForeignTable.Table.Server, row));
}
