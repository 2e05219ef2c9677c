using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// RFC 8323 section 5.6.
public sealed class SignallingAbortTests : SignallingTest
{
    [Theory]
    [Rfc("8323-5.6-1")]
    [InlineData(Abort, null, "aborted the connection.")]
    [InlineData("60e52109ff626164", "bad", "option 9")]
    [InlineData("50e5ff620a6464", "b dd", "b dd")]
    public async Task An_Abort_of_the_peer_fails_all_requests_with_its_diagnostic(string abort, string? diagnostic, string text)
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        (Task<CoapResponse> response, _) = Ask(connection, peer);
        connection.Receive(abort);
        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(response));
        Assert.Equal(CoapError.Aborted, exception.Error);
        Assert.Equal(diagnostic, exception.Diagnostic);
        exception.Mentions(text);
        Assert.True(connection.IsClosed);
        connection.HasSentNothing();
        Assert.Equal(1, Count(CoapCounter.AbortsReceived));
        Assert.Equal(0, Count(CoapCounter.ConnectionsLost));

        Task<CoapResponse> after = peer.SendAsync(new CoapRequest(CoapMethod.Get, "/z"));
        Assert.Equal(CoapError.Aborted, (await Assert.ThrowsAsync<CoapConnectionException>(() => Within(after))).Error);
    }

    [Fact]
    public async Task An_Abort_ends_a_released_connection_too()
    {
        MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + Release + Abort);
        Assert.True(connection.IsClosed);
        connection.HasSentNothing();
    }

    // The delta nibble 15; a token that is cut off; a marker without a payload; a reserved class.
    [Theory]
    [Rfc("8323-5.6-1", "8323-5.6-3")]
    [InlineData("1001f0", "OptionDeltaReserved at byte 2")]
    [InlineData("2101aaf1aa", "OptionDeltaReserved at byte 3")]
    [InlineData("1001ff", "PayloadMissing")]
    [InlineData("0021", "CodeReserved at byte 1")]
    [InlineData("0f01", "TokenLengthReserved at byte 0")]
    public async Task A_malformed_frame_is_answered_with_an_Abort_that_names_rule_and_offset(string frame, string text)
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(frame + GetX);
        AssertAborted(connection).Mentions(text);
        Assert.Equal(1, Count(CoapCounter.ConnectionsAborted));
        Assert.Equal(1, Count(CoapCounter.FormatErrors));
    }

    [Theory]
    [Rfc("8323-5.3.1-2")]
    [InlineData("f0ffffffff45")]
    [InlineData("f1ffffffff45")]
    [InlineData("f000000000")]
    public async Task A_frame_header_with_an_excessive_length_is_answered_with_an_Abort(string header)
    {
        Options.Limits.Connections.MaxMessageSize = 65_000;
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(header);
        AssertAborted(connection).Mentions("MessageTooLarge");
        Assert.Equal(1, Count(CoapCounter.FramesRefused));
    }

    [Fact]
    public async Task A_signalling_message_with_a_token_longer_than_announced_is_answered_with_an_Abort()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive("0de234" + new string('a', 130));
        AssertAborted(connection);
    }

    [Fact]
    public async Task A_connection_that_cannot_send_its_Abort_is_closed_after_a_timeout()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.IsStuck = true;
        connection.Receive("1001f0");
        Assert.False(connection.IsClosed);
        connection.Receive(Ping);
        Clock.Advance(FromSeconds(4.9));
        Assert.False(connection.IsClosed);
        Clock.Advance(FromSeconds(0.2));
        Assert.True(connection.IsClosed);
        connection.HasSentNothing();
    }
}
