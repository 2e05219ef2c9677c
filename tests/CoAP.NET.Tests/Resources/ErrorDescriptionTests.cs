using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET.Tests.Resources;

public class ErrorDescriptionTests
{
    private readonly ResourceStage _stage = new(limits: new CoapLimits { MaxRequestsServed = 1 });

    [Fact]
    public void Errors_of_the_server_itself_are_described_too()
    {
        _stage.Routes.DescribeErrors(Name);
        _stage.MapGet("/x", () => "x").Produces(CoapContentFormat.Json);
        CoapMessage wantsText = ResourceStage.Message(CoapMethod.Get, "/x");
        wantsText.Options.AddUInt(OptionNumber.Accept, 0);

        Assert.Equal("4.04", TextOf(_stage.Get("/unknown")));
        Assert.Equal("4.05", TextOf(_stage.Send(CoapMethod.Put, "/x")));
        Assert.Equal("4.06", TextOf(_stage.Send(wantsText)));
        Assert.Equal("x", TextOf(_stage.Get("/x")));
    }

    [Fact]
    public void What_a_handler_throws_is_told_and_still_logged()
    {
        _stage.MapGet("/x", _ => throw new FormatException("why"))
            .DescribeErrors((_, result, exception) => Text($"{result.Code} {exception!.Message}"));
        CoapResult result = _stage.Get("/x");

        Assert.Equal("5.00 Internal Server Error why", TextOf(result));
        Assert.Equal(1, _stage.Counters[CoapCounter.HandlerErrors]);
        Assert.Contains(_stage.Logger.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task What_a_handler_throws_later_is_told_too()
    {
        TaskCompletionSource<CoapResult> later = new();
        _stage.MapGet("/x", () => later.Task).DescribeErrors((_, _, exception) => Text(exception!.Message));
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/x");
        later.SetException(new FormatException("later"));

        Assert.Equal("later", TextOf(await answer.WaitAsync(TimeSpan.FromMinutes(2))));
    }

    [Fact]
    public void The_nearest_description_counts_and_options_stay()
    {
        CoapResult answer = CoapResults.TooManyRequests(TimeSpan.FromSeconds(7));
        _stage.Routes.DescribeErrors((_, _, _) => Text("outer"));
        CoapRouteGroup group = _stage.MapGroup("/a").DescribeErrors((_, _, _) => new CoapContent(new byte[] { 1 }, CoapContentFormat.Cbor));
        group.MapGet("/x", () => answer);
        _stage.MapGet("/x", () => answer);

        CoapResult inner = _stage.Get("/a/x");
        Assert.Equal("01", Wire.Hex(inner.Payload.Span));
        Assert.Equal(((CoapContentFormat?)CoapContentFormat.Cbor, (TimeSpan?)TimeSpan.FromSeconds(7)),
            (inner.Options.ContentFormat, inner.Options.MaxAge));
        CoapResult outer = _stage.Get("/x");
        Assert.Equal("outer", TextOf(outer));
        Assert.Equal(((CoapContentFormat?)null, (TimeSpan?)TimeSpan.FromSeconds(7)), (outer.Options.ContentFormat, outer.Options.MaxAge));

        // The answer of the handler is shared, and was not changed.
        Assert.True(answer.Payload.IsEmpty);
    }

    [Fact]
    public void An_answer_may_be_left_as_it_is_and_a_description_may_fail()
    {
        _stage.MapGet("/same", () => CoapResults.Conflict("same")).DescribeErrors((_, _, _) => null);
        _stage.MapGet("/bad", () => CoapResults.Conflict("bad")).DescribeErrors((_, _, _) => throw new FormatException());

        Assert.Equal("same", TextOf(_stage.Get("/same")));
        Assert.Equal("bad", TextOf(_stage.Get("/bad")));
        Assert.Contains(_stage.Logger.Entries, entry => entry.Id == 1506);
        Assert.Equal(1, _stage.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public void That_the_server_is_busy_and_that_an_Echo_is_wanted_stay_short()
    {
        _stage.Routes.DescribeErrors(Name);
        _stage.MapGet("/x", () => new TaskCompletionSource<CoapResult>().Task);
        _stage.MapGet("/echo", () => CoapResults.FreshnessRequired());

        CoapResult echo = _stage.Get("/echo");
        Assert.Equal((CoapCode.Unauthorized, 0), (echo.Code, echo.Payload.Length));
        _ = _stage.SendAsync(CoapMethod.Get, "/x");
        CoapResult busy = _stage.Get("/x");
        Assert.Equal((CoapCode.ServiceUnavailable, 0), (busy.Code, busy.Payload.Length));
    }

    private static CoapContent? Name(CoapRequest request, CoapResult result, Exception? exception) => Text(result.Code.ToString()[..4]);

    private static CoapContent Text(string text) => new(Encoding.UTF8.GetBytes(text));

    private static string TextOf(CoapResult result) => Encoding.UTF8.GetString(result.Payload.Span);
}
