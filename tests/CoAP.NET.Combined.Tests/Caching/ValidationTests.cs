namespace CoAP.NET.Tests.Caching;

/// <summary>How stale responses become good again (RFC 7252 section 5.6.2), and what makes them stale (section 5.9.1).</summary>
public sealed class ValidationTests : CacheTest
{
    [Fact]
    [Rfc("7252-5.6.2-2", "7252-5.6-1")]
    public async Task A_2_03_makes_the_stored_response_fresh_and_replaces_its_options()
    {
        await AskAsync(Get(), "45", "420aff" + "80" + "2105" + "ff31"); // ETag 0aff, Content-Format 0, Max-Age 5
        Pass(6);
        (Sent sent, CoapResponse response) = await AskAsync(Get(), "43", "420aff" + "8132"); // ETag, Content-Format 50, no Max-Age
        sent.Hex.Mentions("420aff");
        response.Gives(CoapCode.Content);
        response.Says("1");
        Assert.True(response.FromCache);
        Assert.Equal(TimeSpan.Zero, response.Age);
        Assert.Equal(FromSeconds(60), response.MaxAge);
        Assert.Equal(CoapContentFormat.Json, response.ContentFormat);
        Pass(59);
        CoapResponse hit = await HitAsync(Get());
        Assert.Equal(CoapContentFormat.Json, hit.ContentFormat);
        Assert.Equal(FromSeconds(1), hit.MaxAge);
        Assert.Equal(1, Cache.Validations);
    }

    [Fact]
    public async Task A_2_03_keeps_the_options_it_does_not_name()
    {
        await AskAsync(Get(), "45", "4101" + "8132" + "2101" + "ff31"); // ETag 1, Content-Format 50, Max-Age 1
        Pass(2);
        (_, CoapResponse response) = await AskAsync(Get(), "43", "4101");
        Assert.Equal(CoapContentFormat.Json, response.ContentFormat);
    }

    [Fact]
    [Rfc("7252-5.6.2-1")]
    public async Task Validation_names_the_tag_of_each_stored_response()
    {
        await AskAsync(Get(), "45", "4101" + "a101" + "ff31"); // ETag 1, Max-Age 1
        Pass(2);
        await AskAsync(Get(), "45", "4102" + "a101" + "ff32");
        Pass(2);
        (Sent sent, CoapResponse old) = await AskAsync(Get(), "43", "4101");
        sent.Hex.Ends("4102" + "0101" + "7178");
        old.Says("1");
        await HitAsync(Get()).Says("1");
        Pass(61);
        (sent, CoapResponse other) = await AskAsync(Get(), "43", "4102");
        sent.Hex.Ends("4101" + "0102" + "7178");
        other.Says("2");
    }

    [Fact]
    public async Task At_most_four_tags_are_kept()
    {
        for (int i = 1; i <= 6; i++)
        {
            await AskAsync(Get(mode: CoapCacheMode.Validate), "45", $"410{i}ff3{i}");
        }

        (Sent sent, _) = await AskAsync(Get(mode: CoapCacheMode.Validate), "45", "4106ff37");
        sent.Hex.Ends("4106" + "0105" + "0104" + "0103" + "7178");
        (sent, _) = await AskAsync(Get(mode: CoapCacheMode.Validate), "43", "4106");
        sent.Hex.Ends("4106" + "0105" + "0104" + "0103" + "7178");
        await HitAsync(Get()).Says("7");
    }

    [Fact]
    [Rfc("7252-5.6.2-3")]
    public async Task A_response_other_than_2_03_replaces_the_stored_response()
    {
        await AskAsync(Get(), "45", "4101" + "a101" + "ff31");
        Pass(2);
        (_, CoapResponse changed) = await AskAsync(Get(), "45", "4102ff32");
        changed.Says("2");
        Assert.False(changed.FromCache);
        await HitAsync(Get()).Says("2");
        Pass(61);
        await AskAsync(Get(), "84", "d1013c");
        await HitAsync(Get()).Gives(CoapCode.NotFound);
        Pass(61);
        (_, CoapResponse again) = await AskAsync(Get(), "43", "4102");
        again.Says("2");
    }

    [Fact]
    public async Task A_response_that_may_not_be_stored_makes_the_stored_response_stale()
    {
        await AskAsync(Get(), "45", "4101ff31");
        await AskAsync(Get(mode: CoapCacheMode.Validate), "45", "4102" + "a0" + "ff32"); // Max-Age 0
        (_, CoapResponse response) = await AskAsync(Get(), "43", "4101");
        response.Says("1");
    }

    [Fact]
    public async Task A_2_03_with_an_unknown_ETag_repeats_the_request_without_ETags()
    {
        await AskAsync(Get(), "45", "4101" + "a101" + "ff31");
        Pass(2);
        Task<CoapResponse> task = Client.SendAsync(Get());
        Answer(Take(task), "43", "4109");
        Sent second = Take(task, await Arrival());
        second.Hex.Ends(second.Token + "b178");
        Answer(second, "45", "4109ff39");
        CoapResponse response = await Within(task);
        response.Says("9");
        await HitAsync(Get()).Says("9");
        Assert.Equal(0, Cache.Validations);
    }

    [Fact]
    public async Task A_2_03_with_Max_Age_0_serves_its_own_request_only()
    {
        await AskAsync(Get(), "45", "4101ff31");
        (_, CoapResponse response) = await AskAsync(Get(mode: CoapCacheMode.Validate), "43", "4101" + "a0");
        response.Says("1");
        (_, response) = await AskAsync(Get(), "43", "4101");
        response.Says("1");
    }

    [Fact]
    public async Task A_request_with_its_own_ETags_gets_the_2_03_itself_and_refreshes_the_cache()
    {
        await AskAsync(Get(), "45", "4101" + "a105" + "ff31");
        CoapRequest own = Get();
        own.Options.Add(new CoAP.NET.ETagOption([1]));
        (Sent sent, CoapResponse valid) = await AskAsync(own, "43", "4101");
        sent.Hex.Ends("4101" + "7178");
        valid.Gives(CoapCode.Valid);
        Assert.False(valid.FromCache);
        Pass(30);
        await HitAsync(Get()).Says("1");
        await AskAsync(own, "45", "4102ff32");
        await HitAsync(Get()).Says("2");
    }

    [Fact]
    public async Task Tags_that_do_not_fit_into_the_message_are_left_out()
    {
        Options.Parameters = Options.Parameters with { MaxMessageSize = 64 };
        string uri = "coap://192.0.2.1/" + new string('x', 40);
        await AskAsync(Get(uri), "45", "4101" + "a101" + "ff31");
        Pass(2);
        (Sent sent, CoapResponse response) = await AskAsync(Get(uri), "45", "ff32");
        sent.Hex.Omits("4101");
        response.Says("2");
    }

    [Theory]
    [Rfc("7252-5.9.1-1", "8132-3-6")]
    [InlineData(CoapMethod.Put, "44")]
    [InlineData(CoapMethod.Put, "41")]
    [InlineData(CoapMethod.Post, "44")]
    [InlineData(CoapMethod.Post, "42")]
    [InlineData(CoapMethod.Delete, "42")]
    [InlineData(CoapMethod.Patch, "44")]
    [InlineData(CoapMethod.IPatch, "44")]
    [InlineData((CoapMethod)9, "44")]
    public async Task A_successful_unsafe_request_makes_the_stored_responses_of_its_URI_stale(CoapMethod method, string code)
    {
        CoapRequest json = Get();
        json.Accept = CoapContentFormat.Json;
        await AskAsync(Get(), "45", "4101ff31");
        await AskAsync(json, "45", "4102ff32");
        await AskAsync(Get("coap://192.0.2.1/y"), "45", "ff33");
        await AskAsync(new CoapRequest(method, "coap://192.0.2.1:5683/%78"), code);
        (Sent sent, CoapResponse response) = await AskAsync(Get(), "43", "4101");
        sent.Hex.Mentions("41017178");
        response.Says("1");
        await AskAsync(json, "45", "ff34");
        await HitAsync(Get("coap://192.0.2.1/y")).Says("3");
        Assert.Equal(2, Cache.Invalidations);
    }

    [Fact]
    [Rfc("7252-5.9.1-1")]
    public async Task A_2_01_response_makes_the_stored_response_for_its_Location_stale()
    {
        await AskAsync(Get("coap://192.0.2.1/d/7?a=1"), "84");
        await AskAsync(Get("coap://192.0.2.1/d/8"), "84");
        await AskAsync(new CoapRequest(CoapMethod.Post, "coap://192.0.2.1/d"), "41", "8164" + "0137" + "c3613d31");
        await AskAsync(Get("coap://192.0.2.1/d/7?a=1"), "45", "ff31");
        await HitAsync(Get("coap://192.0.2.1/d/8"));
    }

    [Fact]
    public async Task An_error_response_to_an_unsafe_request_leaves_the_stored_response_fresh()
    {
        await AskAsync(Get(), "45", "ff31");
        await AskAsync(Put(), "83");
        await HitAsync(Get()).Says("1");
    }

    [Fact]
    public async Task An_unsafe_request_with_an_unknown_outcome_makes_the_stored_response_stale()
    {
        await AskAsync(Get(), "45", "ff31");
        Task<CoapResponse> put = Client.SendAsync(Put());
        Transport.Receive(s_server, $"7000{Take(put).MessageId}");
        await Failure.OfAsync(CoapError.Reset, () => Within(put));
        await AskAsync(Get(), "45", "ff32");
    }

    [Fact]
    public async Task A_response_that_arrives_after_a_change_to_a_request_sent_before_the_change_is_not_stored()
    {
        Options.Parameters = Options.Parameters with { NStart = 2 };
        Task<CoapResponse> get = Client.SendAsync(Get());
        Sent asked = Take(get);
        await AskAsync(Put(), "44");
        Answer(asked, "45", "ff31");
        await Within(get).Says("1");
        await AskAsync(Get(), "45", "ff32");
        await HitAsync(Get()).Says("2");
    }

    [Fact]
    public async Task A_request_after_Clear_or_Invalidate_is_sent_to_the_server_again()
    {
        await AskAsync(Get(), "45", "4101ff31");
        Cache.Invalidate("COAP://192.0.2.1:5683/x");
        await AskAsync(Get(), "43", "4101");
        await HitAsync(Get());
        Task<CoapResponse> late = Client.SendAsync(Get("coap://192.0.2.1/late"));
        Sent asked = Take(late);
        Cache.Clear();
        Assert.Equal((0, 0), (Cache.Count, Cache.Bytes));
        Answer(asked, "45", "ff31");
        await Within(late);
        Assert.Equal(0, Cache.Count);
        (Sent sent, _) = await AskAsync(Get(), "45", "ff32");
        sent.Hex.Ends(sent.Token + "b178");
        Assert.Throws<CoapFormatException>(() => Cache.Invalidate("/x"));
    }

    // The second request is sent where the first one completes, which is another thread.
    private async Task<string> Arrival()
    {
        TaskCompletionSource<string> arrival = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, bytes) => arrival.TrySetResult(Wire.Hex(bytes));
        string? already = Transport.TakeSent().SingleOrDefault();
        string hex = already ?? await Within(arrival.Task);
        Transport.OnSent = null;
        Transport.TakeSent();
        return hex;
    }

    private static Sent Take(Task request, string hex)
    {
        Assert.False(request.IsCompleted);
        return new Sent(hex);
    }
}
