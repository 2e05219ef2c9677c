using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Signalling messages that come too early, too often, wrongly or not at all (RFC 8323 section 5).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("8323-3.3-1", "8323-3.3-3", "8323-5.2-1", "8323-5.3-1", "8323-5.3.1-1", "8323-5.4-1", "8323-5.4.1-1", "8323-5.5-1", "8323-5.6-1",
    "8323-10.1-1", "8974-2.2.1-1", "8974-2.2.1-2")]
public sealed class SignallingTests(StreamFixture connections) : IClassFixture<StreamFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(SignallingTable.Table.StreamServer);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => connections.RunAsync(HostileTable.Find(SignallingTable.Table.StreamServer, row));

    public static TheoryData<string> ClientRows => HostileTable.Names(SignallingTable.Table.StreamClient);

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => connections.RunAsync(HostileTable.Find(SignallingTable.Table.StreamClient, row));
}
