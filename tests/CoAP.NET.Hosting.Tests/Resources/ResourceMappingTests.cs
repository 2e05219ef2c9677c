namespace CoAP.NET.Hosting.Tests.Resources;

public sealed class ResourceMappingTests : ServedTest
{
    [Fact]
    public async Task A_scoped_resource_is_created_for_each_request_and_disposed_afterwards()
    {
        Services.AddSingleton<TicketOffice>().AddScoped<Ticket>().AddScoped<TicketResource>();
        Server.MapResource<TicketResource>("/ticket");
        await StartAsync();

        await AskAsync("/ticket").Says("1");
        await AskAsync("/ticket").Says("2");
        Assert.Equal([1, 2], Get<TicketOffice>().Ended.Order());
        await AskAsync("/ticket", CoapMethod.Put).Gives(CoapCode.MethodNotAllowed);
    }

    [Fact]
    public async Task An_unregistered_resource_is_created_from_services()
    {
        Services.AddSingleton<TicketOffice>().AddScoped<Ticket>();
        Server.MapResource<TicketResource>("/ticket");
        await StartAsync();

        await AskAsync("/ticket").Says("1");
        await AskAsync("/ticket").Says("2");
    }

    [Fact]
    public async Task A_disposable_resource_must_be_a_registered_service()
    {
        Server.MapResource<DisposableResource>("/x");
        await StartAsync();

        await AskAsync("/x").Gives(CoapCode.InternalServerError);
        Assert.Contains(Logged.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task A_singleton_resource_keeps_its_state_has_conventions_and_notifies_its_observers()
    {
        Services.AddSingleton<LampResource>();
        Server.MapGroup("/rooms").MapResource<LampResource>("/{room}/lamp").Observable().WithMaxBodySize(8);
        await StartAsync();
        CoapClient client = Client();
        await using CoapObservation observation = await Within(client.ObserveAsync(Uri("/rooms/7/lamp")));
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        states.Current.Says("7: off");

        await AskAsync("/rooms/7/lamp", CoapMethod.Put, request => request.Content = CoapContent.Text("on")).Gives(CoapCode.Changed);
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        states.Current.Says("7: on");
        await AskAsync("/rooms/7/lamp", CoapMethod.Put, request => request.Content = CoapContent.Text("much too long"))
            .Gives(CoapCode.RequestEntityTooLarge);
    }

    private sealed class TicketResource(Ticket ticket) : CoapResource
    {
        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new(ticket.Number.ToString(CultureInfo.InvariantCulture));
    }

    private sealed class LampResource : CoapResource
    {
        private volatile string _state = "off";

        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new($"{request.Route["room"]}: {_state}");

        protected override ValueTask<CoapResult> PutAsync(CoapRequestContext request, CancellationToken cancellationToken)
        {
            _state = request.GetText();
            Notify();
            return new(CoapResults.Changed());
        }
    }

    private sealed class DisposableResource : CoapResource, IDisposable
    {
        public void Dispose()
        {
        }
    }
}
