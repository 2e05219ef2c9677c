using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Tests.Resources;

/// <summary>A stream that a handler answered with is disposed, whatever is answered instead.</summary>
public sealed class DroppedStreamTests
{
    private readonly ResourceStage _stage = new();
    private readonly List<Noted> _streams = [];

    [Fact]
    public void A_filter_that_returns_another_result_disposes_the_stream()
    {
        _stage.MapGet("/x", Stream).AddFilter(async (request, next, cancellationToken) =>
        {
            _ = await next(request, cancellationToken);
            return CoapResults.Text("x");
        });

        _stage.Get("/x").Gives(CoapCode.Content);
        Assert.True(Assert.Single(_streams).IsDisposed);
    }

    [Fact]
    public void A_filter_that_throws_after_the_handler_disposes_the_stream()
    {
        _stage.MapGet("/x", Stream).AddFilter(async (request, next, cancellationToken) =>
        {
            _ = await next(request, cancellationToken);
            throw new InvalidOperationException("no");
        });

        _stage.Get("/x").Gives(CoapCode.InternalServerError);
        Assert.True(Assert.Single(_streams).IsDisposed);
    }

    [Fact]
    public void A_filter_that_calls_the_handler_twice_keeps_only_the_stream_of_the_answer()
    {
        _stage.MapGet("/x", Stream).AddFilter(async (request, next, cancellationToken) =>
        {
            _ = await next(request, cancellationToken);
            return await next(request, cancellationToken);
        });

        CoapResult answer = _stage.Get("/x");
        Assert.Equal(CoapCode.Content, answer.Code);
        Assert.Equal([true, false], _streams.Select(static stream => stream.IsDisposed));
    }

    [Fact]
    public void A_filter_that_adds_an_option_keeps_the_stream()
    {
        _stage.MapGet("/x", Stream).AddFilter(async (request, next, cancellationToken) =>
            (await next(request, cancellationToken)).WithMaxAge(FromSeconds(5)));

        Assert.Equal(FromSeconds(5), _stage.Get("/x").Options.MaxAge);
        Assert.False(Assert.Single(_streams).IsDisposed);
    }

    [Fact]
    public async Task A_stream_returned_after_its_filter_has_answered_is_disposed()
    {
        TaskCompletionSource goesOn = new();
        Task<CoapResult>? late = null;
        _stage.MapGet("/x", async () =>
        {
            await goesOn.Task;
            return Stream();
        }).AddFilter((request, next, cancellationToken) =>
        {
            late = next(request, cancellationToken).AsTask();
            return new ValueTask<CoapResult>(CoapResults.ServiceUnavailable(FromSeconds(1)));
        });

        _stage.Get("/x").Gives(CoapCode.ServiceUnavailable);
        goesOn.SetResult();
        await late!;
        Assert.True(Assert.Single(_streams).IsDisposed);
    }

    [Fact]
    public void A_4_06_for_a_stream_in_another_format_disposes_the_stream()
    {
        _stage.MapGet("/x", () => CoapResults.Stream(Open(), new CoapETag([1]), CoapContentFormat.Json));
        CoapMessage message = ResourceStage.Message(CoapMethod.Get, "/x");
        message.Options.Accept = CoapContentFormat.Cbor;
        _stage.Send(message).Gives(CoapCode.NotAcceptable);
        Assert.True(Assert.Single(_streams).IsDisposed);
    }

    private CoapResult Stream() => CoapResults.Stream(Open(), new CoapETag([1]));

    private Noted Open()
    {
        Noted stream = new();
        _streams.Add(stream);
        return stream;
    }

    // More than fits one block, so that it is kept for the next one.
    private sealed class Noted() : MemoryStream(new byte[5000], writable: false)
    {
        public bool IsDisposed { get; private set; }

        protected override void Dispose(bool disposing)
        {
            IsDisposed = true;
            base.Dispose(disposing);
        }
    }
}
