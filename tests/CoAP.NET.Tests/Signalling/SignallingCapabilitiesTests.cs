using CoAP.NET.Blockwise;
using CoAP.NET.Diagnostics;
using CoAP.NET.Signalling;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// RFC 8323 section 5.3: what a CSM says, and when.
public sealed class SignallingCapabilitiesTests : SignallingTest
{
    [Fact]
    [Rfc("8323-3.3-2")]
    public async Task An_endpoint_that_opens_a_connection_sends_its_CSM_at_once()
    {
        await StartStreamsAsync();
        DirectConnection connection = (DirectConnection)await Streams.ConnectAsync(DirectStreamTransport.Local, null, default);
        connection.HasSent(OurCsm);
    }

    [Theory]
    [InlineData(8, "50e12310000020")]
    [InlineData(9, "70e123100000202109")]
    [InlineData(65_804, "90e123100000202301010c")]
    [Rfc("8974-2.2.1-1")]
    public async Task A_CSM_has_Extended_Token_Length_only_when_tokens_may_exceed_8_bytes(int length, string csm)
    {
        Options.Limits.Messages.MaxTokenLength = length;
        await StartStreamsAsync();
        DirectConnection connection = (DirectConnection)await Streams.ConnectAsync(DirectStreamTransport.Local, null, default);
        connection.HasSent(csm);
    }

    [Fact]
    [Rfc("8323-5.3-1")]
    public async Task A_later_CSM_changes_only_the_capabilities_that_it_names()
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect("70e123010000202120");
        Assert.Equal((65_536, true, 32), CapabilitiesOf(connection));
        Assert.True(PeerBlockwiseState.TakesBert(connection.Channel!));

        connection.Receive("30e1220480");
        Assert.Equal((1152, true, 32), CapabilitiesOf(connection));
        Assert.False(PeerBlockwiseState.TakesBert(connection.Channel!));

        connection.Receive(BareCsm);
        Assert.Equal((1152, true, 32), CapabilitiesOf(connection));

        connection.Receive("40e16301010c");
        Assert.Equal((1152, true, 65_804), CapabilitiesOf(connection));
        connection.HasSentNothing();
    }

    [Fact]
    public async Task A_CSM_without_options_has_the_base_values()
    {
        await StartStreamsAsync();
        Assert.Equal((1152, false, 8), CapabilitiesOf(Connect(BareCsm)));
    }

    [Theory]
    [Rfc("8974-2.2.1-1")]
    [InlineData("20e16107", 8)]
    [InlineData("20e1610a", 10)]
    [InlineData("40e163ffffff", 65_804)]
    public async Task Extended_Token_Length_of_a_CSM_is_clamped_to_its_range(string csm, int length)
    {
        await StartStreamsAsync();
        Assert.Equal(length, Connect(csm).Capabilities.MaxTokenLength);
    }

    [Theory]
    [Rfc("8323-5.3-1", "8323-5.4-3")]
    [InlineData("00e1")]
    [InlineData("30e1220480")]
    [InlineData("40e122048020")]
    [InlineData("50e12301000020")]
    [InlineData("50e12380010020")]
    [InlineData("40e16301010c")]
    [InlineData("70e123010000202120")]
    [InlineData("10e1a0")]
    public async Task Every_valid_CSM_makes_a_connection_ready(string csm)
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect(csm);
        connection.Receive(GetX);
        connection.HasSent(AnswerX);
    }

    [Fact]
    [Rfc("8323-5.2-1", "8323-5.6-2")]
    public async Task An_unknown_critical_option_in_a_CSM_is_named_in_the_Abort()
    {
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        connection.TakeSent();
        connection.Receive("10e190");
        AssertAborted(connection, "Bad-CSM-Option: 9").Mentions("Option 9");
    }

    [Theory]
    [Rfc("8323-5.2-1")]
    [InlineData("10e290")]
    [InlineData("10e390")]
    [InlineData("10e490")]
    [InlineData("10e590")]
    [InlineData("10e890")]
    public async Task An_unknown_critical_option_of_any_signalling_message_is_aborted(string frame)
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(frame);
        AssertAborted(connection).Mentions("Option 9");
    }

    [Theory]
    [Rfc("8323-5.2-2")]
    [InlineData("10e120", 0L)]
    [InlineData("10e220", 1L)]
    public async Task Option_2_is_Max_Message_Size_in_a_CSM_and_Custody_in_a_Ping(string frame, long pongs)
    {
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(frame);
        Assert.Equal(pongs == 0 ? [] : ["10e320"], connection.TakeSent());
        Assert.Equal(pongs == 0 ? 0 : 1024 * 1024, connection.Capabilities.MaxMessageSize);
    }

    [Theory]
    [Rfc("8323-5.4-3")]
    [InlineData("00e0")]
    [InlineData("01e842")]
    [InlineData("10e8a0")]
    [InlineData("00ff")]
    public async Task Unknown_signalling_codes_are_ignored(string frame)
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(frame + GetX);
        connection.HasSent(AnswerX);
    }

    [Fact]
    [Rfc("8323-3.3-3")]
    public async Task A_peer_that_sends_no_CSM_in_time_is_aborted()
    {
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        connection.TakeSent();
        Clock.Advance(FromSeconds(9.9));
        connection.HasSentNothing();

        Clock.Advance(FromSeconds(0.2));
        AssertAborted(connection).Mentions("CSM");
        Assert.Equal(1, Count(CoapCounter.SlowConnections));
    }

    [Theory]
    [Rfc("8323-3.3-3")]
    [InlineData(Ping)]
    [InlineData(Empty)]
    [InlineData("0445aabbccdd")]
    [InlineData("00e8")]
    public async Task Any_message_before_the_CSM_is_answered_with_an_Abort(string frame)
    {
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        connection.TakeSent();
        connection.Receive(frame);
        AssertAborted(connection);
    }

    [Fact]
    public async Task WhenReady_completes_when_the_CSM_arrives()
    {
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        Task ready = SignallingLayer.WhenReady(connection.Channel!);
        Assert.False(ready.IsCompleted);
        connection.Receive(BareCsm);
        await Within(ready);
        Assert.True(SignallingLayer.WhenReady(connection.Channel!).IsCompleted);
    }

    [Fact]
    public async Task WhenReady_completes_when_the_connection_ends()
    {
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        Task ready = SignallingLayer.WhenReady(connection.Channel!);
        connection.Break();
        await Within(ready);
        Assert.True(SignallingLayer.WhenReady(connection.Channel!).IsCompleted);
    }

    [Theory]
    [Rfc("8323-3.2-1")]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    [InlineData(100)]
    public async Task Frames_are_read_the_same_however_the_stream_is_split(int size)
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        connection.TakeSent();
        byte[] stream = Wire.Hex(BareCsm + Ping + GetX + CustodyPing);
        for (int i = 0; i < stream.Length; i += size)
        {
            connection.Receive(stream[i..Math.Min(i + size, stream.Length)]);
        }

        connection.HasSent(Pong, AnswerX, CustodyPong);
    }

    private static (int Size, bool Blocks, int Token) CapabilitiesOf(DirectConnection connection) =>
        (connection.Capabilities.MaxMessageSize, connection.Capabilities.ReportsBlockSupport, connection.Capabilities.MaxTokenLength);
}
