using CoAP.NET.Tests.Observing;

namespace CoAP.NET.Tests.Resources;

// Filters where one request is more than one message.
public class FilterTransferTests : ServerObserveTest
{
    private readonly List<bool> _forObservers = [];

    [Fact]
    public async Task With_SameForAll_filters_run_once_for_a_notification_of_all_observers()
    {
        CoapRouteHandlerBuilder route = MapState().Observable(observe => observe.SameForAll = true).AddFilter(Note);
        await StartAsync();
        Register(Peer);
        Register(Other, token: "4b");
        Change(route, "1");

        Assert.Equal([false, false, true], _forObservers);
        Assert.Equal(2, TakeNew().Count);
    }

    [Fact]
    public async Task A_filter_that_refuses_a_registration_keeps_the_peer_from_observing()
    {
        CoapRouteHandlerBuilder route = MapState().AddFilter((request, next, cancellationToken) =>
            request.Channel!.Remote == Other ? new ValueTask<CoapResult>(CoapResults.Forbidden()) : next(request, cancellationToken));
        await StartAsync();
        Register(Peer);
        CoapMessage refused = Ask(Other, "/obs")!;

        Assert.Equal((CoapCode.Forbidden, null), (refused.Code, refused.Options.Get<ObserveOption>()));
        Change(route, "1");
        Assert.Equal(Peer, Assert.Single(TakeNew()).Peer);
    }

    [Fact]
    public async Task Filters_run_once_for_a_body_in_blocks()
    {
        string? body = null;
        Server.MapPut("/x", request =>
        {
            body = request.GetText();
            return CoapResults.Changed();
        }).AddFilter(Note);
        await StartAsync();

        // PUT /x with Block1 0/more/16 and 1/last/16 (number 27: delta 16 after Uri-Path).
        Exchange("41030001aab178d10308ff" + new string('6', 32)).Begins("615f");
        Assert.Empty(_forObservers);
        Exchange("41030002aab178d10310ff6767").Begins("6144");
        Assert.Equal([false], _forObservers);
        Assert.Equal(new string('f', 16) + "gg", body);
    }

    private ValueTask<CoapResult> Note(CoapRequestContext request, CoapHandler next, CancellationToken cancellationToken)
    {
        _forObservers.Add(request.IsForObservers);
        return next(request, cancellationToken);
    }
}
