using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// RFC 8323 section 5.3.
public class CapabilitiesTests : ConnectionTest
{
    [Fact]
    [Rfc("8323-3.3-1")]
    public async Task The_CSM_of_a_server_is_sent_first_without_waiting_for_the_CSM_of_the_peer()
    {
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        connection.HasSent(OurCsm);
    }

    [Fact]
    public async Task Requests_after_the_CSM_are_answered_on_the_connection()
    {
        Server.MapGet("/x", () => CoapResults.Text("hi"));
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        connection.Receive("2101aab178");

        connection.HasSent("4145aac0ff6869");
    }

    [Fact]
    [Rfc("8323-3.3-3")]
    public async Task A_peer_whose_first_message_is_no_CSM_is_aborted()
    {
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        connection.TakeSent();

        connection.Receive("2101aab178");

        Assert.Equal("e5", Assert.Single(connection.TakeSent())[4..6]);
        Assert.True(connection.HasSentLast);
        Assert.Equal(1, Server.Endpoint.Counters[CoapCounter.ConnectionsAborted]);
    }
}
