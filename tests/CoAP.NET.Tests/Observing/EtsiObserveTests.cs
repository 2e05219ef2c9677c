using CoAP.NET.Options;

namespace CoAP.NET.Tests.Observing;

/// <summary>The Observe tests of the ETSI plugtests, seen from the client, byte by byte.</summary>
public sealed class EtsiObserveTests : ObservationTest
{
    // Observe of no bytes, Uri-Path "obs".
    private const string Registration = "60536f6273";

    [Fact]
    [Rfc("7641-3.5-2")]
    public async Task TD_COAP_OBS_01_Confirmable_notifications_are_acknowledged()
    {
        (CoapObservation observation, string token) = await RegisterAsync("6105602101ff32302e35");
        Say($"484515a3", token, "6106602101ff32312e37", "600015a3");
        Assert.Equal("21.7", Text(observation.Latest));
        Say($"484515a4", token, "62010060ff32312e38", "600015a4");
        Assert.Equal("21.8", Text(observation.Latest));
        Assert.Equal(CoapContentFormat.TextPlain, observation.Latest!.ContentFormat);
    }

    [Fact]
    [Rfc("7641-3.5-3")]
    public async Task TD_COAP_OBS_02_Non_confirmable_notifications_and_an_occasional_Confirmable_one()
    {
        (CoapObservation observation, string token) = await RegisterAsync("610560ff30");
        Say("584515a3", token, "610660ff31");
        Say("584515a4", token, "610760ff32");
        Say("484515a5", token, "610860ff33", "600015a5");
        Say("584515a6", token, "610960ff34");
        Assert.Equal("4", Text(observation.Latest));
    }

    [Fact]
    [Rfc("7641-3.3.1-2", "7641-3.3.1-3")]
    public async Task TD_COAP_OBS_04_A_lost_observation_is_noticed_and_made_again_with_the_same_token()
    {
        (CoapObservation observation, string token) = await RegisterAsync("610d602105ff32302e35");
        Say("484515a3", token, "610e602105ff32312e37", "600015a3");

        // The server restarts and knows nothing.
        TimeSpan start = Clock.Elapsed;
        string again = await NextAsync();
        Assert.InRange((Clock.Elapsed - start).TotalSeconds, 9.9, 20.2);
        Assert.Equal($"4401{again[4..8]}{token}{Registration}", again);
        Transport.Receive(s_server, $"6445{again[4..8]}{token}6101602105ff3139");
        Assert.Equal("19", Text(observation.Latest));
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task TD_COAP_OBS_05_A_client_that_is_gone_acknowledges_nothing()
    {
        (_, string token) = await RegisterAsync("6105602101ff31");
        await Client.DisposeAsync();
        Transport.TakeSent();
        Transport.Receive(s_server, $"444530b7{token}6106602101ff32");
        Assert.Empty(Transport.TakeSent());
    }

    [Fact]
    [Rfc("7641-3.5-1")]
    public async Task TD_COAP_OBS_06_A_client_that_restarted_rejects_what_it_does_not_know()
    {
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/other");
        Transport.Receive(s_server, $"6445{TakeOne().MessageId}00ff31");
        Transport.Receive(s_server, "444530b7010203046106602101ff32");
        Assert.Equal("700030b7", Assert.Single(Transport.TakeSent()));
        Assert.False(first.IsCompleted);
    }

    [Theory]
    [InlineData("84", 404)] // TD_COAP_OBS_07: the resource was deleted
    [InlineData("86", 406)] // TD_COAP_OBS_08: its Content-Format changed
    public async Task TD_COAP_OBS_07_and_08_An_error_notification_ends_the_registration(string code, int number)
    {
        (CoapObservation observation, string token) = await RegisterAsync("610560ff30");
        Say($"48{code}47f5", token, string.Empty, "600047f5");
        Assert.Equal(number, (observation.Latest!.Code.Class * 100) + observation.Latest.Code.Detail);
        Assert.Equal(CoapObserveState.Reregistering, observation.State);

        // A notification that comes nevertheless means that the server notifies after all.
        Say("484515a5", token, "610860ff33", "600015a5");
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task TD_COAP_OBS_09_A_new_value_is_delivered_and_TD_COAP_OBS_10_a_plain_GET_leaves_the_observation_alone()
    {
        (CoapObservation observation, string token) = await RegisterAsync("610560ff30");
        Task<CoapResponse> get = Client.GetAsync(Uri);
        Sent plain = TakeOne();
        Assert.NotEqual(token, plain.Token);
        Assert.EndsWith("b36f6273", plain.Hex, StringComparison.Ordinal);
        Transport.Receive(s_server, $"6445{plain.MessageId}{plain.Token}c0ff30");
        Assert.Equal("0", (await Within(get)).GetText());
        Say("484515a5", token, "610860ff33", "600015a5");
        Assert.Equal("3", Text(observation.Latest));
    }

    [Fact]
    public async Task TD_COAP_OBS_11_Notifications_that_get_lost_or_doubled_leave_the_newest()
    {
        (CoapObservation observation, string token) = await RegisterAsync("610560ff30");
        Say("484515a6", token, "610760ff32", "600015a6");
        Say("484515a6", token, "610760ff32", "600015a6");
        Say("484515a5", token, "610660ff31", "600015a5");
        Assert.Equal("2", Text(observation.Latest));
    }

    [Fact]
    [Rfc("7641-3.6-2")]
    public async Task TD_COAP_OBS_12_Observe_1_with_the_same_token_cancels()
    {
        (CoapObservation observation, string token) = await RegisterAsync("610560ff30");
        await observation.DisposeAsync();
        Sent cancellation = TakeOne();
        Assert.Equal($"4401{cancellation.MessageId}{token}6101536f6273", cancellation.Hex);
        Transport.Receive(s_server, $"6445{cancellation.MessageId}{token}c0ff30");
        AssertFreed();
    }

    [Fact]
    [Rfc("7959-2.6-2")]
    public async Task TD_COAP_OBS_13_and_14_Notifications_of_one_block_and_of_several_are_both_whole()
    {
        CoapRequest request = new(CoapMethod.Get, Uri);
        request.Options.Block2 = new BlockValue(0, false, 0);
        Task<CoapObservation> registering = Client.ObserveAsync(request);
        Sent registration = TakeOne();

        // Block2 0/0/16 is an option of no bytes.
        Assert.Equal($"4401{registration.MessageId}{registration.Token}{Registration}c0", registration.Hex);
        Transport.Receive(s_server, $"6445{registration.MessageId}{registration.Token}6105d10408ff{Wire.Hex("0123456789abcdef"u8)}");
        AnswerRest("676869");
        await using CoapObservation observation = await Within(registering);
        Assert.Equal("0123456789abcdefghi", Text(observation.Latest));
        Say("484515a5", registration.Token, "6106ff3039", "600015a5");
        Assert.Equal("09", Text(observation.Latest));
        Transport.Receive(s_server, $"444515a6{registration.Token}6107d10408ff{Wire.Hex("0123456789abcdef"u8)}");
        AnswerRest("6a6b6c", "600015a6");
        await Within(ReadUntilAsync(observation, "0123456789abcdefjkl"));
    }

    // The second block of 16 bytes, asked for without Observe and by another token.
    private void AnswerRest(string payload, params string[] before)
    {
        string[] sent = Transport.TakeSent();
        Assert.Equal(before, sent[..^1]);
        string rest = sent[^1];
        Assert.Equal($"4401{rest[4..8]}{rest[8..16]}b36f6273c110", rest);
        Transport.Receive(s_server, $"6445{rest[4..8]}{rest[8..16]}d10a10ff{payload}");
    }

    private async Task<(CoapObservation Observation, string Token)> RegisterAsync(string optionsAndPayload)
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        Sent registration = TakeOne();
        Assert.Equal($"4401{registration.MessageId}{registration.Token}{Registration}", registration.Hex);
        Transport.Receive(s_server, $"6445{registration.MessageId}{registration.Token}{optionsAndPayload}");
        CoapObservation observation = await Within(registering);
        Assert.Equal(CoapObserveState.Observing, observation.State);
        return (observation, registration.Token);
    }

    // The head is that of the vectors, whose tokens have 8 bytes; ours have 4.
    private void Say(string head, string token, string rest, params string[] expected)
    {
        Transport.Receive(s_server, $"{head[..1]}4{head[2..]}{token}{rest}");
        Assert.Equal(expected, Transport.TakeSent());
    }

    private Task<string> NextAsync()
    {
        for (int i = 0; i < 1000; i++)
        {
            if (Transport.TakeSent() is { Length: > 0 } sent)
            {
                return Task.FromResult(sent[0]);
            }

            Clock.Advance(TimeSpan.FromMilliseconds(100));
        }

        throw new TimeoutException();
    }
}
