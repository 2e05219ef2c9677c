using CoAP.NET.Blockwise;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Request-Tags keep the blocks of several uploads apart (RFC 9175 section 3.4).</summary>
public sealed class UploadTagTests : TransferTest
{
    [Fact]
    [Rfc("9175-3.4-1")]
    public async Task Concurrent_uploads_to_a_resource_have_different_Request_Tags()
    {
        Options.Parameters = new CoapTransmissionParameters { NStart = 8 };
        HandServer server = new();
        using ManualResetEventSlim allBegun = new();
        Answer = request =>
        {
            // None may be over before the last has begun, however slow this thread is.
            if (request.Options.Block1 is { Number: > 0 })
            {
                Assert.True(allBegun.Wait(FromMinutes(2)));
            }

            return server.Answer(request);
        };
        byte[][] bodies = [.. Enumerable.Range(1, 8).Select(i => Bytes(500 + i, i))];
        Task<CoapResponse>[] uploads = [.. bodies.Select(
            body => Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(body), BlockSize = 64 }))];
        allBegun.Set();
        await Within(Task.WhenAll(uploads));
        Assert.Equal(bodies.OrderBy(body => body.Length), server.Stored.OrderBy(body => body.Length));
        string[] tags = [.. Requests.Where(request => request.Options.Block1!.Value.Number == 0).Select(TagOf)];
        Assert.Equal(8, tags.Distinct().Count());
        Assert.Contains("-", tags);

        // Concluded: the next one needs no tag again.
        Requests.Clear();
        await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(2000))));
        Assert.All(Requests, request => Assert.Equal("-", TagOf(request)), throwIfEmpty: true);
    }

    [Fact]
    [Rfc("9175-3.4-1")]
    public async Task An_upload_that_was_aborted_keeps_its_tag_for_ever()
    {
        using CancellationTokenSource cancel = new();
        HandServer server = new();
        TaskCompletionSource second = new(RunContinuationsAsynchronously);
        Answer = request =>
        {
            if (request.Options.Block1 is { Number: 1 } && !second.Task.IsCompleted)
            {
                second.SetResult();
                return null;
            }

            return server.Answer(request);
        };
        Task<CoapResponse> aborted = Client.PutAsync(Uri, CoapContent.Binary(Bytes(3000)), cancel.Token);
        await Within(second.Task);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(aborted));
        HashSet<string> seen = ["-"];
        for (int i = 0; i < 3; i++)
        {
            Requests.Clear();
            Assert.True((await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(3000))))).IsSuccess);
            Assert.Single(Requests.Select(TagOf).Distinct());
            Assert.True(seen.Add(TagOf(Requests[0])));
        }

        // Another resource, and another peer, have nothing to do with it.
        Requests.Clear();
        await Within(Client.PutAsync("coap://192.0.2.1/other", CoapContent.Binary(Bytes(2000))));
        await Within(Client.PutAsync("coap://192.0.2.7/large", CoapContent.Binary(Bytes(2000))));
        Assert.All(Requests, request => Assert.Equal("-", TagOf(request)), throwIfEmpty: true);
    }

    [Fact]
    [Rfc("9175-3.4-2")]
    public async Task The_Request_Tag_is_sent_in_the_requests_for_the_response_too()
    {
        TaskCompletionSource first = new(RunContinuationsAsynchronously);
        HandServer server = new() { Body = Bytes(3000) };
        Answer = request =>
        {
            if (request.Options.RequestTags.Count == 0)
            {
                first.TrySetResult();
                return null;
            }

            return server.Answer(request);
        };
        using CancellationTokenSource cancel = new();
        Options.Parameters = new CoapTransmissionParameters { NStart = 2 };
        Task<CoapResponse> waiting = Client.PostAsync(Uri, CoapContent.Binary(Bytes(2000)), cancel.Token);
        await Within(first.Task);
        Requests.Clear();
        Assert.Equal(server.Body, (await Within(Client.PostAsync(Uri, CoapContent.Binary(Bytes(2000))))).Payload.ToArray());
        Assert.Equal(4, Requests.Count);
        Assert.NotEqual("-", Assert.Single(Requests.Select(TagOf).Distinct()));
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(waiting));
    }

    [Fact]
    [Rfc("9175-3.4-3")]
    public async Task A_tag_in_a_response_is_ignored()
    {
        byte[] body = Bytes(100);
        CoapMessage one = Reply(CoapCode.Content, null, "0/1/64", body.AsMemory(0, 64));
        CoapMessage two = Reply(CoapCode.Content, null, "1/0/64", body.AsMemory(64));
        one.Options.Add(new RequestTagOption([1]));
        two.Options.Add(new RequestTagOption([2]));
        Script(one, two);
        Assert.Equal(body, (await Within(Client.GetAsync(Uri))).Payload.ToArray());
        Assert.All(Requests, request => Assert.Equal("-", TagOf(request)), throwIfEmpty: true);
    }

    [Fact]
    public void Every_upload_has_a_Request_Tag_when_the_table_of_uploads_is_full()
    {
        RequestTags tags = new(new VirtualRandom(1));
        HashSet<string> seen = [];
        for (uint peer = 0; peer < RequestTags.Capacity; peer++)
        {
            Assert.NotNull(tags.Begin(peer, To("a")));
        }

        for (int i = 0; i < 1000; i++)
        {
            CoapMessage message = To("b");
            Assert.Null(tags.Begin(1, message));
            Assert.True(seen.Add(TagOf(message)));
        }

        Assert.Equal(RequestTags.Capacity, tags.Count);
        tags.Conclude(5, RequestTags.ResourceOf(To("a")));
        Assert.Null(tags.Begin(6, To("a")));
        Assert.NotNull(tags.Begin(6, To("b")));
    }

    [Fact]
    public void Uploads_with_different_cache_key_options_are_different_resources()
    {
        int Of(Action<CoapOptionCollection> change)
        {
            CoapMessage message = To("a");
            change(message.Options);
            return RequestTags.ResourceOf(message);
        }

        int plain = Of(_ => { });
        Assert.Equal(plain, Of(options => options.Size1 = 5));
        Assert.Equal(plain, Of(options => options.Block1 = new BlockValue(3, true, 2)));
        Assert.NotEqual(plain, Of(options => options.Add(new UriPathOption("b"))));
        Assert.NotEqual(plain, Of(options => options.Add(new UriQueryOption("b"))));
        Assert.NotEqual(plain, Of(options => options.ContentFormat = CoapContentFormat.Cbor));
    }

    private static CoapMessage To(string path)
    {
        CoapMessage message = new(CoapCode.Put);
        message.Options.Add(new UriPathOption(path));
        return message;
    }

    private static string TagOf(CoapMessage request) => request.Options.RequestTags is [var tag] ? Wire.Hex(tag.Span) : "-";
}
