namespace CoAP.NET.Tests.Requests;

/// <summary>How a client finds out whether a peer understands long tokens (RFC 8974 section 2.2.2).</summary>
public sealed class ExtendedTokenRequestStepTests : StepTest
{
    private const int Length = 12;

    public ExtendedTokenRequestStepTests() => Options.Parameters = Options.Parameters with { ExtendedTokenLength = Length };

    [Fact]
    [Rfc("8974-2.2.2-1", "8974-2.1-1")]
    public async Task A_response_with_a_long_token_enables_long_tokens_for_all_requests()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
        Sent probe = await NextAsync();
        probe.Hex.Begins("4c01");
        Answer(probe, "45");
        Assert.True((await Within(request)).IsSuccess);
        request = Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Confirmable = false });
        Sent next = await NextAsync();
        next.Hex.Begins("5c01");
        Assert.NotEqual(probe.Token, next.Token);
        Transport.Receive(s_server, $"5c450001{next.Token}");
        Assert.True((await Within(request)).IsSuccess);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("8974-2.2.2-1", "8974-3.2-1")]
    public async Task A_Reset_or_4_00_to_a_long_token_repeats_the_request_with_a_short_token(bool isReset)
    {
        Task<CoapResponse> request = Client.PostAsync("coap://192.0.2.1/a", CoapContent.Text("x"));
        Sent probe = await NextAsync();
        probe.Hex.Begins("4c02");
        if (isReset)
        {
            Transport.Receive(s_server, $"7000{probe.MessageId}");
        }
        else
        {
            Answer(probe, "80");
        }

        Sent again = await NextAsync();
        again.Hex.Begins("4402");
        Assert.Equal(probe.Hex[32..], again.Hex[16..]);
        Answer(again, "44");
        await Within(request).Gives(CoapCode.Changed);
        request = Client.GetAsync("coap://192.0.2.1/a");
        Sent next = await NextAsync();
        next.Hex.Begins("4401");
        Answer(next, "45");
        await Within(request);
    }

    [Fact]
    [Rfc("8974-2.2.2-2")]
    public async Task The_result_of_a_token_length_probe_is_used_for_half_an_hour_to_a_day()
    {
        foreach ((double hours, string head) in new[] { (0, "4c01"), (0.5, "4401"), (24, "4c01") })
        {
            Clock.Advance(FromHours(hours));
            Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
            Sent sent = await NextAsync();
            sent.Hex.Begins(head);
            if (head == "4c01")
            {
                Transport.Receive(s_server, $"7000{sent.MessageId}");
                sent = await NextAsync();
            }

            Answer(sent, "45");
            await Within(request);
        }
    }

    [Fact]
    public async Task A_request_sent_while_the_token_length_probe_is_in_progress_uses_a_short_token()
    {
        Options.Parameters = Options.Parameters with { NStart = 2 };
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/a");
        Sent probe = await NextAsync();
        Task<CoapResponse> second = Client.GetAsync("coap://192.0.2.1/b");
        Sent other = await NextAsync();
        other.Hex.Begins("4401");
        Answer(other, "45");
        await Within(second);
        Answer(probe, "45");
        await Within(first);
    }

    [Fact]
    public void ExtendedTokenLength_out_of_range_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => CoapTransmissionParameters.Default with { ExtendedTokenLength = 8 });
        Assert.Throws<ArgumentOutOfRangeException>(() => CoapTransmissionParameters.Default with { ExtendedTokenLength = 65_805 });
    }
}
