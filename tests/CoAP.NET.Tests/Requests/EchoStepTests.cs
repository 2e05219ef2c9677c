namespace CoAP.NET.Tests.Requests;

/// <summary>What a client does with Echo options (RFC 9175 section 2.3).</summary>
public sealed class EchoStepTests : StepTest
{
    private const string Value = "00000009437468756c687521";

    [Fact]
    [Rfc("9175-2.3-2", "9175-2.2.1-1")]
    public async Task A_request_is_repeated_with_the_Echo_of_a_challenge()
    {
        Task<CoapResponse> request = Client.PutAsync("coap://192.0.2.1/lock", CoapContent.Binary(new byte[] { 0x30 }));
        Sent first = await NextAsync();
        first.Hex.Ends("b46c6f636b112aff30");
        Transport.Receive(s_server, $"6481{first.MessageId}{first.Token}dcef{Value}");
        Sent second = await NextAsync();
        second.Hex.Ends($"b46c6f636b112adce3{Value}ff30");
        Assert.Equal((0, 3), (second.Type, second.Code));
        Assert.NotEqual(first.MessageId, second.MessageId);
        Assert.NotEqual(first.Token, second.Token);
        Transport.Receive(s_server, $"6444{second.MessageId}{second.Token}");
        await Within(request).Gives(CoapCode.Changed);

        Task<CoapResponse> next = Client.GetAsync("coap://192.0.2.1/lock");
        (await NextAsync()).Hex.Ends("b46c6f636b");
        Assert.False(next.IsCompleted);
    }

    [Fact]
    [Rfc("9175-2.3-2")]
    public async Task Only_three_challenges_of_a_request_are_answered()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/lock");
        Sent sent = await NextAsync();
        for (int i = 7; i < 10; i++)
        {
            Transport.Receive(s_server, $"6481{sent.MessageId}{sent.Token}d1ef0{i}");
            sent = await NextAsync();
            sent.Hex.Ends($"b46c6f636bd1e40{i}");
        }

        Transport.Receive(s_server, $"6481{sent.MessageId}{sent.Token}d1ef02");
        await Within(request).Gives(CoapCode.Unauthorized);
        Clock.Advance(FromMinutes(10));
        AssertNothingSent();
        _ = Client.GetAsync("coap://192.0.2.1/lock");
        (await NextAsync()).Hex.Ends("b46c6f636bd1e402");
    }

    [Fact]
    [Rfc("9175-2.3-2")]
    public async Task The_challenge_of_each_proxy_is_answered()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/lock");
        Sent sent = await NextAsync();
        Transport.Receive(s_server, $"6481{sent.MessageId}{sent.Token}d1ef01");
        sent = await NextAsync();
        Transport.Receive(s_server, $"6481{sent.MessageId}{sent.Token}d1ef02");
        sent = await NextAsync();
        sent.Hex.Ends("b46c6f636bd1e402");
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}");
        await Within(request).Gives(CoapCode.Content);
    }

    [Fact]
    [Rfc("9175-2.3-3", "9175-2.3-4")]
    public async Task An_Echo_of_any_other_response_is_sent_in_the_next_request_to_the_same_peer_only()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
        Sent sent = await NextAsync();
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}d1ef0aff31");
        await Within(request);
        _ = Client.GetAsync("coap://192.0.2.9/a");
        (await NextAsync()).Hex.Ends("b161");
        _ = Client.GetAsync("coap://192.0.2.1:5684/a");
        (await NextAsync()).Hex.Ends("b161");
        request = Client.GetAsync("coap://192.0.2.1/b");
        sent = await NextAsync();
        sent.Hex.Ends("b162d1e40a");
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}ff31");
        await Within(request);
        _ = Client.GetAsync("coap://192.0.2.1/c");
        (await NextAsync()).Hex.Ends("b163");
    }

    [Fact]
    [Rfc("9175-2.2.1-1")]
    public async Task An_empty_Echo_or_an_Echo_of_more_than_40_bytes_is_ignored()
    {
        foreach (string option in new[] { "d0ef", "ddef1c" + new string('a', 82) })
        {
            Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
            Sent sent = await NextAsync();
            sent.Hex.Ends("b161");
            Transport.Receive(s_server, $"6481{sent.MessageId}{sent.Token}{option}");
            await Within(request).Gives(CoapCode.Unauthorized);
        }
    }

    [Fact]
    public async Task A_challenge_to_a_request_with_its_own_Echo_is_returned_as_the_response()
    {
        CoapRequest own = new(CoapMethod.Get, "coap://192.0.2.1/a");
        own.Options.Add(new EchoOption([1]));
        Task<CoapResponse> request = Client.SendAsync(own);
        Sent sent = await NextAsync();
        Transport.Receive(s_server, $"6481{sent.MessageId}{sent.Token}d1ef02");
        await Within(request).Gives(CoapCode.Unauthorized);
        AssertNothingSent();
    }

    [Fact]
    [Rfc("9175-2.4-2")]
    public async Task A_Non_confirmable_challenge_after_the_acknowledgement_is_answered()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
        Sent sent = await NextAsync();
        Transport.Receive(s_server, $"6000{sent.MessageId}");
        Transport.Receive(s_server, $"54810001{sent.Token}d1ef02");
        sent = await NextAsync();
        sent.Hex.Ends("b161d1e402");
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}");
        await Within(request).Gives(CoapCode.Content);
    }
}
