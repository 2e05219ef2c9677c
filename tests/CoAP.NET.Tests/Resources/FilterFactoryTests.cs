using CoAP.NET.Composition.Stages;
using CoAP.NET.Observing.Server;

namespace CoAP.NET.Tests.Resources;

public class FilterFactoryTests
{
    private readonly ResourceStage _stage = new();

    [Fact]
    public void A_filter_factory_gets_template_methods_and_metadata_from_the_outside_in()
    {
        List<CoapRouteInfo> seen = [];
        _stage.Routes.WithMetadata("server").AddFilterFactory((route, next) =>
        {
            seen.Add(route);
            return next;
        });
        CoapRouteGroup group = _stage.MapGroup("/a").WithMetadata("group 1").WithMetadata("group 2");
        group.Map("/{id}", [CoapMethod.Get, CoapMethod.Put], () => "x").WithMetadata("route");
        _stage.Get("/a/1");
        _stage.Get("/a/2");

        CoapRouteInfo route = Assert.Single(seen);
        Assert.Equal("/a/{id}", route.Template);
        Assert.Equal([CoapMethod.Get, CoapMethod.Put], route.Methods);
        Assert.Equal(["server", "group 1", "group 2", "route"], route.Metadata);
    }

    [Fact]
    public void A_filter_factory_that_returns_the_handler_adds_no_overhead()
    {
        CoapHandler handler = (_, _) => new("x");
        _stage.MapGet("/x", handler).AddFilterFactory((_, next) => next);
        _stage.Get("/x");
        Assert.Same(handler, _stage.Table.Snapshot().Routes[0].Handler);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_failing_filter_factory_makes_the_route_answer_5_00(bool throws)
    {
        bool runs = false;
        _stage.MapGet("/x", () =>
        {
            runs = true;
            return "x";
        }).AddFilterFactory((_, _) => throws ? throw new InvalidOperationException("factory") : null!);

        _stage.Get("/x").Gives(CoapCode.InternalServerError);
        _stage.Get("/x").Gives(CoapCode.InternalServerError);
        Assert.False(runs);
        Assert.Contains(_stage.Logger.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public void A_filter_factory_may_map_other_routes()
    {
        bool isMapped = false;
        _stage.MapGet("/x", () => "x").AddFilterFactory((_, next) =>
        {
            if (!isMapped)
            {
                isMapped = true;
                _stage.MapGet("/y", () => "y");
            }

            return next;
        });

        _stage.Get("/x").Gives(CoapCode.Content);
        _stage.Get("/y").Gives(CoapCode.Content);
    }

    [Fact]
    public void AddResource_calls_its_factory_for_each_request_and_the_resource_notifies_its_route()
    {
        List<Lamp> made = [];
        CoapRouteHandlerBuilder route = _stage.MapGroup("/a").AddResource("/lamp", _ =>
        {
            Lamp lamp = new();
            made.Add(lamp);
            return lamp;
        }).Observable();

        _stage.Send(CoapMethod.Put, "/a/lamp").Gives(CoapCode.Changed);
        _stage.Send(CoapMethod.Post, "/a/lamp").Gives(CoapCode.MethodNotAllowed);
        Assert.Equal(2, made.Count);
        Assert.Equal("/a/lamp", route.Template);
        _stage.Table.Notifier = new ObserverNotifier(_stage.Environment, new ObserverQuota(), []);
        _stage.Send(CoapMethod.Put, "/a/lamp").Gives(CoapCode.Changed);
        Assert.Equal(1, Assert.Single(_stage.Table.Snapshot().Routes).Observed.Changes);
    }

    [Fact]
    public void A_resource_instance_returned_repeatedly_notifies_each_change_once()
    {
        Lamp lamp = new();
        _stage.AddResource("/lamp", _ => lamp).Observable();
        _stage.Table.Notifier = new ObserverNotifier(_stage.Environment, new ObserverQuota(), []);
        _stage.Send(CoapMethod.Put, "/lamp");
        _stage.Send(CoapMethod.Put, "/lamp");
        Assert.Equal(2, Assert.Single(_stage.Table.Snapshot().Routes).Observed.Changes);
    }

    private sealed class Lamp : CoapResource
    {
        protected override ValueTask<CoapResult> PutAsync(CoapRequestContext request, CancellationToken cancellationToken)
        {
            Notify();
            return new(CoapResults.Changed());
        }
    }
}
