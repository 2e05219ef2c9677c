using System.Text;
using CoAP.NET.Options;
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

        Assert.Equal(CoapCode.Content, _stage.Get("/a/b/c").Code);
        Assert.Equal(
            [
                "server 1", "server 2", "outer", "inner", "route 1", "route 2", "handler",
                "after route 2", "after route 1", "after inner", "after outer", "after server 2", "after server 1",
            ],
            _seen);
    }

    [Fact]
    public void A_filter_that_answers_itself_keeps_the_handler_from_running()
    {
        bool runs = false;
        _stage.MapGet("/x", () =>
        {
            runs = true;
            return CoapResults.Text("x");
        }).AddFilter((_, _, _) => new ValueTask<CoapResult>(CoapResults.Forbidden("no"))).AddFilter(Noting("inside"));

        Assert.Equal(CoapCode.Forbidden, _stage.Get("/x").Code);
        Assert.False(runs);
        Assert.Empty(_seen);
    }

    [Fact]
    public void A_filter_may_answer_something_else_than_the_handler()
    {
        _stage.MapGet("/x", () => "x").AddFilter(async (request, next, cancellationToken) =>
        {
            CoapResult result = await next(request, cancellationToken);
            return CoapResults.Text(Encoding.UTF8.GetString(result.Payload.Span) + "y");
        });

        Assert.Equal("xy"u8.ToArray(), _stage.Get("/x").Payload.ToArray());
    }

    [Fact]
    public void What_a_filter_throws_is_answered_and_logged_as_of_a_handler()
    {
        _stage.MapGet("/x", () => "x").AddFilter((_, _, _) => throw new InvalidOperationException("secret"));

        CoapResult result = _stage.Get("/x");
        Assert.Equal(CoapCode.InternalServerError, result.Code);
        Assert.True(result.Payload.IsEmpty);
        Assert.Equal(1, _stage.Counters[CoapCounter.HandlerErrors]);
        Assert.Equal("secret", Assert.Single(_stage.Logger.Entries, entry => entry.Id == 1500).Exception!.Message);
    }

    [Fact]
    public void A_filter_sees_what_the_handler_throws_and_may_answer_it()
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

        Assert.Equal(CoapCode.BadRequest, _stage.Get("/x").Code);
        Assert.Equal(0, _stage.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task A_filter_that_waits_before_it_hands_on_keeps_nobody_else_waiting()
    {
        TaskCompletionSource opens = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _stage.MapGet("/x", () => "x").AddFilter(async (request, next, cancellationToken) =>
        {
            await opens.Task.WaitAsync(cancellationToken);
            return await next(request, cancellationToken);
        });
        _stage.MapGet("/y", () => "y");

        Task<CoapResult> waiting = _stage.SendAsync(CoapMethod.Get, "/x");
        Assert.Equal(CoapCode.Content, _stage.Get("/y").Code);
        Assert.False(waiting.IsCompleted);
        opens.SetResult();
        Assert.Equal("x"u8.ToArray(), (await waiting.WaitAsync(TimeSpan.FromMinutes(2))).Payload.ToArray());
    }

    [Fact]
    public void Filters_stand_around_resources_that_are_classes()
    {
        _stage.MapGroup("/a").AddFilter(Noting("group")).Map(new Lamp("/lamp")).AddFilter(Noting("route"));

        Assert.Equal(CoapCode.Changed, _stage.Send(CoapMethod.Put, "/a/lamp").Code);
        Assert.Equal(CoapCode.MethodNotAllowed, _stage.Get("/a/lamp").Code);
        Assert.Equal(["group", "route", "after route", "after group", "group", "route", "after route", "after group"], _seen);
    }

    [Fact]
    public void A_filter_sees_the_values_of_the_path_and_the_services_that_one_outside_of_it_has_set()
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

        Assert.Equal(CoapCode.Content, _stage.Get("/devices/7").Code);
        Assert.Equal(["7"], _seen);
    }

    [Fact]
    public void What_the_server_refuses_by_itself_does_not_come_to_filters()
    {
        _stage.Routes.AddFilter(Noting("server"));
        _stage.MapGet("/x", () => "x").Produces(CoapContentFormat.Json);
        _stage.MapGet("/limited", () => "x").LimitRate(_ => TimeSpan.FromSeconds(1));
        CoapMessage wantsText = ResourceStage.Message(CoapMethod.Get, "/x");
        wantsText.Options.AddUInt(OptionNumber.Accept, 0);

        Assert.Equal(CoapCode.NotFound, _stage.Get("/unknown").Code);
        Assert.Equal(CoapCode.MethodNotAllowed, _stage.Send(CoapMethod.Put, "/x").Code);
        Assert.Equal(CoapCode.NotAcceptable, _stage.Send(wantsText).Code);
        Assert.Equal(CoapCode.TooManyRequests, _stage.Get("/limited").Code);
        Assert.Empty(_seen);
    }

    [Fact]
    public void A_filter_that_is_added_while_the_server_runs_holds_from_the_next_request_on()
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
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler = (_, _) => new("x");
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
    public async Task Filters_run_where_the_handler_is_said_to_run(int kind)
    {
        CoapRouteHandlerBuilder route = _stage.MapGet("/x", () => "x").AddFilter(Noting("filter"));
        _ = kind switch
        {
            0 => route.RunQueued(),
            1 => route.Serial(),
            _ => route.RunOn(new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler),
        };
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/x");
        _stage.Scheduler.RunAll();

        Assert.Equal(CoapCode.Content, (await answer.WaitAsync(TimeSpan.FromMinutes(2))).Code);
        Assert.Equal(["filter", "after filter"], _seen);
    }

    [Fact]
    public void A_filter_must_be_there() => Assert.Throws<ArgumentNullException>(() => _stage.Routes.AddFilter(null!));

    private Func<CoapRequest, CoapHandler, CancellationToken, ValueTask<CoapResult>> Noting(string name) =>
        async (request, next, cancellationToken) =>
        {
            _seen.Add(name);
            CoapResult result = await next(request, cancellationToken);
            _seen.Add("after " + name);
            return result;
        };

    private sealed class Lamp(string path) : CoapResource(path)
    {
        protected override ValueTask<CoapResult> PutAsync(CoapRequest request, CancellationToken cancellationToken) =>
            new(CoapResults.Changed());
    }

    private sealed class NoServices : IServiceProvider
    {
        public object? GetService(Type serviceType) => null;
    }
}
