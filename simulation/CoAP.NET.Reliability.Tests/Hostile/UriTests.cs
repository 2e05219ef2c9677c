using CoAP.NET.Tests;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>URIs of somebody who means harm (RFC 7252 section 6).</summary>
[Collection(VirtualTimeCollection.Name)]
[Rfc("7252-5.10.1-1", "7252-5.10.1-3", "7252-6.1-1", "7252-6.4-1")]
public sealed class UriTests(ClientFixture client) : IClassFixture<ClientFixture>
{
    public static TheoryData<string> ClientRows => HostileTable.Names(UriTable.Table.Client);

    [Theory]
    [MemberData(nameof(ClientRows))]
    public Task Against_the_client(string row) => client.RunAsync(HostileTable.Find(UriTable.Table.Client, row));
}
