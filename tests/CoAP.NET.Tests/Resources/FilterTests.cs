using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Resources;

namespace CoAP.NET.Tests.Resources;

public class FilterTests
{
    private readonly ResourceStage _stage = new();
    private readonly List<string> _seen = [];

    [Fact]
    public void Filters_run_from_the_server_inwards_and_in_the_order_they_were_added()
    {
        CoapRouteGroup outer = _stage.MapGroup("/a");
        CoapRouteGroup inner = outer.MapGroup("/b");
        inner.MapGet("/c", () =>
        {
            _seen.Add("handler");
            return CoapResults.Text("x");
        }).AddFilter(Noting("route 1")).AddFilter(Noting("route 2"));
        inner.AddFilter(Noting("inner"));
        outer.AddFilter(Noting("outer"));
        _stage.Routes.AddFilter(Noting("server 1")).AddFilter(Noting("server 2"));

        _stage.Get("/a/b/c").Gives(CoapCode.Content);
        Assert.Equal(
            [
                "server 1", "server 2", "outer", "inner", "route 1", "route 2", "handler",
                "after route 2", "after route 1", "after inner", "after outer", "after server 2", "after server 1",
            ],
            _seen);
    }

    [Fact]
    public void A_filter_that_answers_itself_does_not_run_the_handler()
    {
        bool runs = false;
        _stage.MapGet("/x", () =>
        {
            runs = true;
            return CoapResults.Text("x");
        }).AddFilter((_, _, _) => new ValueTask<CoapResult>(CoapResults.Forbidden("no"))).AddFilter(Noting("inside"));

        _stage.Get("/x").Gives(CoapCode.Forbidden);
        Assert.False(runs);
        Assert.Empty(_seen);
    }

    [Fact]
    public void A_filter_may_pass_another_message_of_the_same_request_to_the_handler()
    {
        CoapRequestContext? received = null;
        CoapRequestContext? served = null;
        _stage.MapPut("/x/{id}", request =>
        {
            served = request;
            return CoapResults.Changed();
        }).AddFilter((request, next, cancellationToken) =>
        {
            received = request;
            return next(request.WithMessage(new CoapMessage(CoapMethod.Put) { Payload = "other"u8.ToArray() }), cancellationToken);
        });

        _stage.Send(CoapMethod.Put, "/x/7").Gives(CoapCode.Changed);
        Assert.Equal(("other", "7"), (served!.GetText(), served.Route["id"]));
        Assert.Same(received!.Channel, served.Channel);
        Assert.Throws<ArgumentException>(() => served.WithMessage(new CoapMessage(CoapCode.Content)));
    }

    [Fact]
    public void A_filter_may_replace_the_answer_of_the_handler()
    {
        _stage.MapGet("/x", () => "x").AddFilter(async (request, next, cancellationToken) =>
        {
            CoapResult result = await next(request, cancellationToken);
            return CoapResults.Text(Encoding.UTF8.GetString(result.Payload.Span) + "y");
        });

        Assert.Equal("xy"u8.ToArray(), _stage.Get("/x").Payload.ToArray());
    }

    [Fact]
    public void An_exception_of_a_filter_is_answered_and_logged_like_an_exception_of_a_handler()
    {
        _stage.MapGet("/x", () => "x").AddFilter((_, _, _) => throw new InvalidOperationException("secret"));

        CoapResult result = _stage.Get("/x");
        Assert.Equal(CoapCode.InternalServerError, result.Code);
        Assert.True(result.Payload.IsEmpty);
        Assert.Equal(1, _stage.Counters[CoapCounter.HandlerErrors]);
        Assert.Equal("secret", Assert.Single(_stage.Logger.Entries, entry => entry.Id == 1500).Exception!.Message);
    }

    [Fact]
    public void A_filter_may_catch_an_exception_of_the_handler_and_answer()
    {
        _stage.MapGet("/x", _ => throw new FormatException()).AddFilter(async (request, next, cancellationToken) =>
        {
            try
            {
                return await next(request, cancellationToken);
            }
            catch (FormatException)
            {
                return CoapResults.BadRequest("not like this");
            }
        });

        _stage.Get("/x").Gives(CoapCode.BadRequest);
        Assert.Equal(0, _stage.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task A_filter_that_waits_does_not_delay_other_requests()
    {
        TaskCompletionSource opens = new(RunContinuationsAsynchronously);
        _stage.MapGet("/x", () => "x").AddFilter(async (request, next, cancellationToken) =>
        {
            await opens.Task.WaitAsync(cancellationToken);
            return await next(request, cancellationToken);
        });
        _stage.MapGet("/y", () => "y");

        Task<CoapResult> waiting = _stage.SendAsync(CoapMethod.Get, "/x");
        _stage.Get("/y").Gives(CoapCode.Content);
        Assert.False(waiting.IsCompleted);
        opens.SetResult();
        Assert.Equal("x"u8.ToArray(), (await waiting.WaitAsync(FromMinutes(2))).Payload.ToArray());
    }

    [Fact]
    public void Filters_apply_to_resource_classes()
    {
        _stage.MapGroup("/a").AddFilter(Noting("group")).Map(new Lamp("/lamp")).AddFilter(Noting("route"));

        _stage.Send(CoapMethod.Put, "/a/lamp").Gives(CoapCode.Changed);
        _stage.Get("/a/lamp").Gives(CoapCode.MethodNotAllowed);
        Assert.Equal(["group", "route", "after route", "after group", "group", "route", "after route", "after group"], _seen);
    }

    [Fact]
    public void A_filter_sees_the_route_values_and_the_Services_set_by_an_outer_filter()
    {
        IServiceProvider services = new NoServices();
        _stage.Routes.AddFilter((request, next, cancellationToken) =>
        {
            Assert.Null(request.Services);
            request.Services = services;
            return next(request, cancellationToken);
        });
        _stage.MapGet("/devices/{id}", request =>
        {
            Assert.Same(services, request.Services);
            return "x";
        }).AddFilter((request, next, cancellationToken) =>
        {
            _seen.Add(request.Route["id"]);
            Assert.Same(services, request.Services);
            return next(request, cancellationToken);
        });

        _stage.Get("/devices/7").Gives(CoapCode.Content);
        Assert.Equal(["7"], _seen);
    }

    [Fact]
    public void A_request_that_the_server_refuses_itself_does_not_reach_the_filters()
    {
        _stage.Routes.AddFilter(Noting("server"));
        _stage.MapGet("/x", () => "x").Produces(CoapContentFormat.Json);
        _stage.MapGet("/limited", () => "x").RequireRateLimiting(_ => FromSeconds(1));
        CoapMessage wantsText = ResourceStage.Message(CoapMethod.Get, "/x");
        wantsText.Options.AddUInt(OptionNumber.Accept, 0);

        _stage.Get("/unknown").Gives(CoapCode.NotFound);
        _stage.Send(CoapMethod.Put, "/x").Gives(CoapCode.MethodNotAllowed);
        _stage.Send(wantsText).Gives(CoapCode.NotAcceptable);
        _stage.Get("/limited").Gives(CoapCode.TooManyRequests);
        Assert.Empty(_seen);
    }

    [Fact]
    public void A_filter_added_while_the_server_runs_applies_from_the_next_request()
    {
        CoapRouteHandlerBuilder route = _stage.MapGet("/x", () => "x");
        _stage.Get("/x");
        route.AddFilter(Noting("late"));
        _stage.Get("/x");
        _stage.Get("/x");

        Assert.Equal(["late", "after late", "late", "after late"], _seen);
    }

    [Fact]
    public void A_route_without_filters_runs_its_handler_itself()
    {
        CoapHandler handler = (_, _) => new("x");
        _stage.MapGet("/x", handler);
        _stage.MapGroup("/a").AddFilter(Noting("group")).MapGet("/x", handler);
        _stage.Get("/x");
        _stage.Get("/a/x");

        Route[] routes = _stage.Table.Snapshot().Routes;
        Assert.Same(handler, routes[0].Handler);
        Assert.NotSame(handler, routes[1].Handler);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Filters_run_under_the_execution_of_their_route(int kind)
    {
        CoapRouteHandlerBuilder route = _stage.MapGet("/x", () => "x").AddFilter(Noting("filter"));
        _ = kind switch
        {
            0 => route.WithExecution(queued: 1),
            1 => route.WithExecution(CoapExecution.Serial()),
            _ => route.WithExecution(CoapExecution.On(new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler)),
        };
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/x");
        _stage.Scheduler.RunAll();

        Assert.Equal(CoapCode.Content, (await answer.WaitAsync(FromMinutes(2))).Code);
        Assert.Equal(["filter", "after filter"], _seen);
    }

    [Fact]
    public void Adding_a_null_filter_throws() => Assert.Throws<ArgumentNullException>(() => _stage.Routes.AddFilter(null!));

    private Func<CoapRequestContext, CoapHandler, CancellationToken, ValueTask<CoapResult>> Noting(string name) =>
        async (request, next, cancellationToken) =>
        {
            _seen.Add(name);
            CoapResult result = await next(request, cancellationToken);
            _seen.Add("after " + name);
            return result;
        };

    private sealed class Lamp(string path) : CoapResource(path)
    {
        protected override ValueTask<CoapResult> PutAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new(CoapResults.Changed());
    }

    private sealed class NoServices : IServiceProvider
    {
        public object? GetService(Type serviceType) => null;
    }
}
