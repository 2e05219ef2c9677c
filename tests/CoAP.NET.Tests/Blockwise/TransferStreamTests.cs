using CoAP.NET.Tests.Serialization;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Bodies from and to streams and files, progress, and downloads that are continued.</summary>
public sealed class TransferStreamTests : TransferTest
{
    [Theory]
    [InlineData(true, 2500)]
    [InlineData(false, 2500)]
    [InlineData(false, 2048)]
    [InlineData(true, 10)]
    [InlineData(false, 0)]
    public async Task A_stream_is_sent_block_by_block(bool canSeek, int length)
    {
        HandServer server = new();
        Answer = server.Answer;
        using PatternStream stream = new(length, canSeek) { MaxRead = 700 };
        Collected progress = new();
        await Within(Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Stream(stream), Progress = progress }));
        Assert.Equal(length == 0 ? Array.Empty<byte[]>() : [PatternStream.Bytes(0, length)], server.Stored);
        Assert.Equal(canSeek && length > 1024 ? (uint?)length : null, Requests[0].Options.Size1);
        Assert.False(stream.IsDisposed);
        Assert.Equal(length == 0 ? null : (long?)length, progress.LastOrDefault()?.BytesTransferred);
        Assert.All(progress, item => Assert.True(item!.Value.IsUpload));
    }

    [Theory]
    [InlineData(CoapMethod.Patch)]
    [InlineData(CoapMethod.IPatch)]
    public async Task A_large_PATCH_is_sent_in_blocks_with_progress(CoapMethod method)
    {
        HandServer server = new();
        Answer = server.Answer;
        Collected progress = new();
        CoapContent content = new(Bytes(2500), CoapContentFormat.MergePatch);
        CoapResponse response = await Within(Client.SendAsync(new CoapRequest(method, Uri) { Content = content, Progress = progress }));
        response.Gives(CoapCode.Changed);
        Assert.Equal(Bytes(2500), Assert.Single(server.Stored));
        Assert.All(Requests, request => Assert.Equal((CoapCode)method, request.Code));
        Assert.Equal([1024, 2048, 2500], progress.Where(item => item!.Value.IsUpload).Select(item => item!.Value.BytesTransferred));
        Assert.Throws<ArgumentNullException>(
            () => { _ = method == CoapMethod.Patch ? Client.PatchAsync(Uri, null!) : Client.IPatchAsync(Uri, null!); });
    }

    [Fact]
    public async Task A_seekable_stream_is_sent_from_its_initial_position_and_can_be_sent_again()
    {
        HandServer server = new();
        int seen = 0;
        Answer = request => ++seen == 3 ? Reply(CoapCode.RequestEntityIncomplete) : server.Answer(request);
        using MemoryStream stream = new(Bytes(5000));
        stream.Position = 1000;
        CoapContent content = CoapContent.Stream(stream);
        await Within(Client.PutAsync(Uri, content));
        await Within(Client.PutAsync(Uri, content));
        Assert.Equal(2, server.Stored.Count);
        Assert.All(server.Stored, body => Assert.Equal(Bytes(5000)[1000..], body));
    }

    [Fact]
    public async Task A_stream_that_cannot_seek_is_not_sent_again_and_the_error_says_so()
    {
        HandServer server = new();
        Answer = request => request.Options.Block1 is { Number: 2 } ? Reply(CoapCode.RequestEntityIncomplete) : server.Answer(request);
        CoapContent content = CoapContent.Stream(new PatternStream(5000, canSeek: false));
        CoapException error =
            await Failure.OfAsync(CoapError.BodyNotRepeatable, () => Within(Client.PutAsync(Uri, content)));
        error.Mentions("seek");
        error.Mentions("4.08");
        Assert.Equal(3, Requests.Count);
        await Assert.ThrowsAsync<InvalidOperationException>(() => Within(Client.PutAsync(Uri, content)));
        AssertAllIsFree();
    }

    [Fact]
    public async Task The_first_block_of_any_stream_may_shrink_and_be_sent_again()
    {
        HandServer server = new() { MaxSizeExponent = 4 };
        Answer = request => request.Options.Block1 is { Size: > 256 }
            ? Reply(CoapCode.RequestEntityTooLarge, "0/1/256")
            : server.Answer(request);
        await Within(Client.PutAsync(Uri, CoapContent.Stream(new PatternStream(3000, canSeek: false) { MaxRead = 100 })));
        Assert.Equal(PatternStream.Bytes(0, 3000), Assert.Single(server.Stored));
    }

    [Fact]
    public async Task A_file_is_sent_and_closed()
    {
        string path = Path.GetTempFileName();
        try
        {
            await File.WriteAllBytesAsync(path, Bytes(3000));
            HandServer server = new();
            Answer = server.Answer;
            CoapContent content = CoapContent.File(path, CoapContentFormat.Cbor);
            await Within(Task.WhenAll(Client.PutAsync(Uri, content), Client.PutAsync("coap://192.0.2.1/other", content)));
            Assert.Equal([3000, 3000], server.Stored.Select(body => body.Length));
            Assert.Equal(CoapContentFormat.Cbor, Requests[^1].Options.ContentFormat);
            using FileStream exclusive = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    [Rfc("7959-4-1", "7959-4-2")]
    public async Task A_representation_is_written_to_a_destination_stream_with_progress()
    {
        HandServer server = new() { Body = Bytes(2500), ETag = [8], TellsSize = true };
        Answer = server.Answer;
        using MemoryStream destination = new();
        Collected progress = new();
        CoapResponse response =
            await Within(Client.SendAsync(new CoapRequest(CoapMethod.Get, Uri) { Destination = destination, Progress = progress }));
        Assert.True(response.Payload.IsEmpty);
        Assert.Equal(server.Body, destination.ToArray());
        Assert.Equal([1024, 2048, 2500], progress.Select(item => item!.Value.BytesTransferred));
        Assert.Equal([0, 1, 2], progress.Select(item => item!.Value.BlockNumber));
        Assert.All(progress,
            item => Assert.Equal((2500, false, "08"),
                (item!.Value.TotalBytes, item.Value.IsUpload, item.Value.ETag!.Value.ToString())));
        Assert.Equal([0u, null, null], Requests.Select(request => request.Options.Size2));

        server.Body = Bytes(10);
        destination.SetLength(0);
        await Within(Client.GetAsync(Uri, destination));
        Assert.Equal(server.Body, destination.ToArray());
        Answer = _ => Reply(CoapCode.NotFound, payload: Bytes(4));
        Assert.Equal(4, (await Within(Client.GetAsync(Uri, destination))).Payload.Length);
        Assert.Equal(10, destination.Length);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("7959-2.4-5")]
    public async Task A_seekable_destination_is_truncated_when_the_representation_changes(bool canSeek)
    {
        HandServer old = new() { Body = Bytes(3000, 1), ETag = [1] };
        HandServer changed = new() { Body = Bytes(2500, 2), ETag = [2] };
        int seen = 0;
        Answer = request => ++seen <= 2 ? old.Answer(request) : changed.Answer(request);
        using MemoryStream file = new();
        file.Write([1, 2, 3]);
        using RecordingStream pipe = new();
        Task<CoapResponse> task = Client.GetAsync(Uri, canSeek ? file : pipe);
        if (canSeek)
        {
            await Within(task);
            Assert.Equal([1, 2, 3, .. changed.Body], file.ToArray());
        }
        else
        {
            await Assert.ThrowsAsync<CoapProtocolException>(() => Within(task));
            Assert.Equal([1024, 1024], pipe.Writes);
        }
    }

    [Theory]
    [InlineData(1024, "1/0/1024")]
    [InlineData(1500, "1/0/1024")]
    [InlineData(2499, "2/0/1024")]
    public async Task A_download_that_broke_off_is_continued(int offset, string block)
    {
        HandServer server = new() { Body = Bytes(2500), ETag = [8] };
        Answer = server.Answer;
        using MemoryStream destination = new();
        destination.Write(server.Body.AsSpan(0, offset));
        Collected progress = new();
        CoapDownloadOptions rest = new() { Offset = offset, ETag = new CoapETag([8]) };
        await Within(Client.SendAsync(
            new CoapRequest(CoapMethod.Get, Uri) { Destination = destination, Download = rest, Progress = progress }));
        Assert.Equal(server.Body, destination.ToArray());
        Assert.Equal(block, Block2s[0]);
        Assert.Equal(2500 - offset, progress[^1]!.Value.BytesTransferred);
    }

    [Fact]
    public async Task A_download_is_not_continued_with_another_representation_or_without_blocks()
    {
        HandServer server = new() { Body = Bytes(2500), ETag = [9] };
        Answer = server.Answer;
        using MemoryStream destination = new();
        CoapDownloadOptions rest = new() { Offset = 1024, ETag = new CoapETag([8]) };
        Task<CoapProtocolException> RefusedAsync() =>
            Assert.ThrowsAsync<CoapProtocolException>(
                () => Within(Client.SendAsync(new CoapRequest(CoapMethod.Get, Uri) { Destination = destination, Download = rest })));
        Assert.Equal(CoapError.RepresentationChanged, (await RefusedAsync()).Error);
        Answer = _ => Reply(CoapCode.Content, payload: Bytes(7), etag: "09");
        Assert.Equal(CoapError.RepresentationChanged, (await RefusedAsync()).Error);
        Answer = _ => Reply(CoapCode.Content, payload: Bytes(7), etag: "08");
        Assert.Equal(CoapError.InvalidResponse, (await RefusedAsync()).Error);
        Answer = _ => Reply(CoapCode.BadRequest);
        await Within(Client.SendAsync(new CoapRequest(CoapMethod.Get, Uri)
        {
            Destination = destination, Download = new CoapDownloadOptions { Offset = 4096 },
        })).Gives(CoapCode.BadRequest);
        Assert.Equal(0, destination.Length);
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapDownloadOptions { Offset = -1 });
    }

    [Fact]
    public async Task A_response_is_read_as_a_stream_and_asked_for_as_it_is_read()
    {
        HandServer server = new() { Body = Bytes(100_000), ETag = [8] };
        Answer = server.Answer;
        await using CoapResponseBodyStream stream = await Within(Client.OpenReadAsync(Uri));
        Assert.Equal([8], stream.Response.Options.ETag!.Value.ToArray());
        Assert.InRange(Requests.Count, 1, 8);
        using MemoryStream read = new();
        await Within(stream.CopyToAsync(read));
        Assert.Equal(server.Body, read.ToArray());
        Assert.InRange(Requests.Count, 98, 98);
        AssertAllIsFree();
    }

    [Fact]
    public async Task A_disposed_response_stream_sends_no_further_request_and_errors_are_thrown_to_the_reader()
    {
        HandServer server = new() { Body = Bytes(100_000) };
        Answer = server.Answer;
        CoapResponseBodyStream left = await Within(Client.OpenReadAsync(Uri));
        await Within(left.ReadExactlyAsync(new byte[10]).AsTask());
        await Within(left.DisposeAsync().AsTask());
        Assert.InRange(Requests.Count, 1, 8);
        AssertAllIsFree();

        Answer = request => request.Options.Block2 is { Number: 1 } ? Reply(CoapCode.NotFound) : server.Answer(request);
        await using CoapResponseBodyStream broken = await Within(Client.OpenReadAsync(Uri));
        CoapResponseException error = await Assert.ThrowsAsync<CoapResponseException>(() => Within(broken.CopyToAsync(Stream.Null)));
        Assert.Equal(CoapCode.NotFound, error.Response.Code);
        Answer = _ => Reply(CoapCode.NotFound);
        await Assert.ThrowsAsync<CoapResponseException>(() => Within(Client.OpenReadAsync(Uri)));
    }

    private sealed class Collected : List<CoapProgress?>, IProgress<CoapProgress>
    {
        public void Report(CoapProgress value) => Add(value);
    }
}
