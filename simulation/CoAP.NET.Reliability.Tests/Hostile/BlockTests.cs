using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Blocks of other sizes, out of order, of other bodies, and without end (RFC 7959, RFC 9177).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7959-2.1-1", "7959-2.2-1", "7959-2.2-2", "7959-2.2-4", "7959-2.3-1", "7959-2.3-4", "7959-2.4-5", "7959-2.4-6", "7959-2.5-3",
    "7959-2.5-4", "7959-2.5-7", "7959-2.5-8", "7959-2.9.2-1", "7959-C-1", "7959-C-2", "7959-C-3", "9175-3.3-1", "9177-11-1")]
public sealed class BlockTests(ServerFixture server, ClientFixture client) : IClassFixture<ServerFixture>, IClassFixture<ClientFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(BlockTable.Table.Server);

    public static TheoryData<string> ClientRows => HostileTable.Names(BlockTable.Table.Client);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => server.RunAsync(HostileTable.Find(BlockTable.Table.Server, row));

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(BlockTable.Table.Client, row));
}
