
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Resources;

/// <summary>The content that <c>WithErrorContent</c> gives to errors of a server and of its handlers.</summary>
public class ErrorDescriptionTests
{
    private readonly ResourceStage _stage = new(limits: new CoapLimits { Requests = { MaxServed = 1 } });

    [Fact]
    public void WithErrorContent_also_describes_errors_of_the_server_itself()
    {
        _stage.Routes.WithErrorContent(Name);
        _stage.MapGet("/x", () => "x").Produces(CoapContentFormat.Json);
        CoapMessage wantsText = ResourceStage.Message(CoapMethod.Get, "/x");
        wantsText.Options.AddUInt(OptionNumber.Accept, 0);

        Assert.Equal("4.04", TextOf(_stage.Get("/unknown")));
        Assert.Equal("4.05", TextOf(_stage.Send(CoapMethod.Put, "/x")));
        Assert.Equal("4.06", TextOf(_stage.Send(wantsText)));
        Assert.Equal("x", TextOf(_stage.Get("/x")));
    }

    [Fact]
    public void The_error_content_of_a_route_describes_a_handler_exception_that_is_still_logged()
    {
        _stage.MapGet("/x", _ => throw new FormatException("why"))
            .WithErrorContent((_, result, exception) => Text($"{result.Code} {exception!.Message}"));
        CoapResult result = _stage.Get("/x");

        Assert.Equal("5.00 Internal Server Error why", TextOf(result));
        Assert.Equal(1, _stage.Counters[CoapCounter.HandlerErrors]);
        Assert.Contains(_stage.Logger.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task The_error_content_of_a_route_describes_the_exception_of_an_asynchronous_handler()
    {
        TaskCompletionSource<CoapResult> later = new();
        _stage.MapGet("/x", () => later.Task).WithErrorContent((_, _, exception) => Text(exception!.Message));
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/x");
        later.SetException(new FormatException("later"));

        Assert.Equal("later", TextOf(await answer.WaitAsync(FromMinutes(2))));
    }

    [Fact]
    public void The_nearest_WithErrorContent_applies_and_the_options_of_the_result_stay()
    {
        CoapResult answer = CoapResults.TooManyRequests(FromSeconds(7));
        _stage.Routes.WithErrorContent((_, _, _) => Text("outer"));
        CoapRouteGroup group = _stage.MapGroup("/a").WithErrorContent(
            (_, _, _) => new CoapContent(new byte[] { 1 }, CoapContentFormat.Cbor));
        group.MapGet("/x", () => answer);
        _stage.MapGet("/x", () => answer);

        CoapResult inner = _stage.Get("/a/x");
        Assert.Equal("01", Wire.Hex(inner.Payload.Span));
        Assert.Equal(((CoapContentFormat?)CoapContentFormat.Cbor, (TimeSpan?)FromSeconds(7)),
            (inner.Options.ContentFormat, inner.Options.MaxAge));
        CoapResult outer = _stage.Get("/x");
        Assert.Equal("outer", TextOf(outer));
        Assert.Equal(((CoapContentFormat?)null, (TimeSpan?)FromSeconds(7)), (outer.Options.ContentFormat, outer.Options.MaxAge));

        // The answer of the handler is shared, and was not changed.
        Assert.True(answer.Payload.IsEmpty);
    }

    [Fact]
    public void WithErrorContent_may_return_null_or_throw_and_the_result_is_sent_unchanged()
    {
        _stage.MapGet("/same", () => CoapResults.Conflict("same")).WithErrorContent((_, _, _) => null);
        _stage.MapGet("/bad", () => CoapResults.Conflict("bad")).WithErrorContent((_, _, _) => throw new FormatException());

        Assert.Equal("same", TextOf(_stage.Get("/same")));
        Assert.Equal("bad", TextOf(_stage.Get("/bad")));
        Assert.Contains(_stage.Logger.Entries, entry => entry.Id == 1506);
        Assert.Equal(1, _stage.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public void The_5_03_of_a_busy_server_and_an_Echo_challenge_have_no_error_content()
    {
        _stage.Routes.WithErrorContent(Name);
        _stage.MapGet("/x", () => new TaskCompletionSource<CoapResult>().Task);
        _stage.MapGet("/echo", () => CoapResults.FreshnessRequired());

        CoapResult echo = _stage.Get("/echo");
        Assert.Equal((CoapCode.Unauthorized, 0), (echo.Code, echo.Payload.Length));
        _ = _stage.SendAsync(CoapMethod.Get, "/x");
        CoapResult busy = _stage.Get("/x");
        Assert.Equal((CoapCode.ServiceUnavailable, 0), (busy.Code, busy.Payload.Length));
    }

    private static CoapContent? Name(CoapRequestContext request, CoapResult result, Exception? exception) =>
        Text(result.Code.ToString()[..4]);

    private static CoapContent Text(string text) => new(Encoding.UTF8.GetBytes(text));

    private static string TextOf(CoapResult result) => Encoding.UTF8.GetString(result.Payload.Span);
}
