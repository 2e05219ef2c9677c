using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Frames with bad lengths and contents, cut frames, and what is no CoAP (RFC 8323 section 3).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("8323-3.2-1", "8323-3.3-3", "8323-3.3-4", "8323-3.4-1", "8323-3.4-2", "8323-5.3.1-2", "8323-5.6-1")]
public sealed class FrameTests(StreamFixture connections) : IClassFixture<StreamFixture>
{
    public static TheoryData<string> ServerRows => HostileTable.Names(FrameTable.Table.StreamServer);

    [Theory]
    [MemberData(nameof(ServerRows))]
    public Task Against_the_server(string row) => connections.RunAsync(HostileTable.Find(FrameTable.Table.StreamServer, row));
}
