namespace CoAP.NET.Tests.Caching;

/// <summary>Requests whose response does not hold the whole body.</summary>
public sealed class BodyElsewhereTests : CacheTest
{
    [Fact]
    public async Task A_response_written_to_a_Destination_is_not_stored_and_not_served_from_the_cache()
    {
        using MemoryStream first = new();
        CoapRequest request = Get();
        request.Destination = first;
        CoapResponse response = (await AskAsync(request, "45", "ff3131")).Response;
        Assert.True(response.Payload.IsEmpty);
        Assert.Equal("11"u8, first.ToArray());
        Assert.Equal("11", (await AskAsync(Get(), "45", "ff3131")).Response.GetText());
        await HitAsync(Get()).Says("11");
        using MemoryStream second = new();
        request = Get();
        request.Destination = second;
        await AskAsync(request, "45", "ff3232");
        Assert.Equal("22"u8, second.ToArray());
    }

    [Fact]
    public async Task A_partial_download_is_not_stored_as_the_whole_response()
    {
        CoapRequest request = Get();
        request.Download = new CoapDownloadOptions { Offset = 16 };
        Task<CoapResponse> task = Client.SendAsync(request);
        Sent sent = Take(task);

        // The second block of 1,024 bytes would be far behind; the peer has 4 bytes after the first 16.
        Answer(sent, "45", "d10a06ff" + string.Concat(Enumerable.Repeat("30", 16)) + "31323334");
        await Within(task).Says("1234");
        Assert.Equal(0, Cache.Count);
        Assert.Equal("whole", (await AskAsync(Get(), "45", "ff77686f6c65")).Response.GetText());
    }

    [Fact]
    public async Task OnlyIfCached_with_a_Destination_fails()
    {
        using MemoryStream stream = new();
        await AskAsync(Get(), "45", "ff31");
        CoapRequest request = Get(mode: CoapCacheMode.OnlyIfCached);
        request.Destination = stream;
        await Failure.OfAsync(CoapError.NotCached, () => Within(Client.SendAsync(request)));
        Transport.HasSentNothing();
    }
}
