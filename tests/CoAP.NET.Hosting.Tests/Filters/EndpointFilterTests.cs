namespace CoAP.NET.Hosting.Tests.Filters;

public sealed class EndpointFilterTests : ServedTest
{
    [Fact]
    public async Task A_scoped_filter_shares_its_services_with_the_handler_of_its_request_only()
    {
        Services.AddSingleton<TicketOffice>().AddScoped<Ticket>().AddScoped<TicketFilter>();
        Server.MapGet("/x", request => $"handler {request.Services!.GetRequiredService<Ticket>().Number}").AddFilter<TicketFilter>();
        await StartAsync();

        await AskAsync("/x").Says("filter 1, handler 1");
        await AskAsync("/x").Says("filter 2, handler 2");
        Assert.Equal([1, 2], Get<TicketOffice>().Ended.Order());
    }

    [Fact]
    public async Task A_singleton_filter_is_the_same_instance_for_all_requests()
    {
        Services.AddSingleton<CountingFilter>();
        Server.MapGet("/x", () => "x").AddFilter<CountingFilter>();
        Server.MapGet("/y", () => "y").AddFilter<CountingFilter>();
        await StartAsync();
        await AskAsync("/x");
        await AskAsync("/y");

        Assert.Equal(["/x", "/y"], Get<CountingFilter>().Templates);
    }

    [Fact]
    public async Task An_unregistered_filter_is_created_from_services_and_disposed_after_its_request()
    {
        Services.AddSingleton<TicketOffice>();
        Server.MapGet("/x", request => $"{request.Services!.GetRequiredService<TicketOffice>().Ended.Count} ended")
            .AddFilter<DisposableFilter>();
        await StartAsync();

        await AskAsync("/x").Says("0 ended");
        await AskAsync("/x").Says("1 ended");
        Assert.Equal(2, Get<TicketOffice>().Made);
    }

    [Fact]
    public async Task Filter_classes_and_functions_run_in_order_and_a_class_may_answer_the_request()
    {
        Services.AddSingleton<CountingFilter>().AddSingleton<ClosedFilter>();
        List<string> seen = [];
        CoapRouteGroup group = Server.MapGroup("/a").AddFilter((request, next, cancellationToken) =>
        {
            seen.Add("function");
            return next(request, cancellationToken);
        }).AddFilter<ClosedFilter>();
        group.MapGet("/x", () => "x").AddFilter<CountingFilter>();
        await StartAsync();

        CoapResponse answer = await AskAsync("/a/x");
        Assert.Equal((CoapCode.ServiceUnavailable, "closed"), (answer.Code, answer.GetText()));
        Assert.Equal(["function"], seen);
        Assert.Empty(Get<CountingFilter>().Templates);
    }

    [Fact]
    public async Task A_filter_class_without_services_is_answered_5_00_and_logged()
    {
        await using CoapServer server = new(new CoapEndpointOptions { LoggerFactory = Logged });
        server.MapGet("/x", () => "x").AddFilter<CountingFilter>();
        await server.Listen("coap://127.0.0.1:0").StartAsync();

        await Within(Client().GetAsync(server.LocalEndpoints[0] + "x")).Gives(CoapCode.InternalServerError);
        Assert.Contains(Logged.Entries, entry => entry.Id == 1500);
    }

    private sealed class TicketFilter(Ticket ticket) : ICoapEndpointFilter
    {
        public async ValueTask<CoapResult> InvokeAsync(CoapFilterContext context, CoapHandler next)
        {
            Assert.Same(ticket, context.Services.GetRequiredService<Ticket>());
            CoapResult result = await next(context.Request, context.CancellationToken);
            return CoapResults.Text($"filter {ticket.Number}, {Encoding.UTF8.GetString(result.Payload.Span)}");
        }
    }

    private sealed class CountingFilter : ICoapEndpointFilter
    {
        public ConcurrentQueue<string> Templates { get; } = [];

        public ValueTask<CoapResult> InvokeAsync(CoapFilterContext context, CoapHandler next)
        {
            Templates.Enqueue(context.Route!.Template);
            return next(context.Request, context.CancellationToken);
        }
    }

    private sealed class ClosedFilter : ICoapEndpointFilter
    {
        public ValueTask<CoapResult> InvokeAsync(CoapFilterContext context, CoapHandler next) =>
            new(CoapResults.Status(CoapCode.ServiceUnavailable, "closed"));
    }

    private sealed class DisposableFilter(TicketOffice office) : ICoapEndpointFilter, IAsyncDisposable
    {
        private readonly int _number = office.Next();

        public ValueTask<CoapResult> InvokeAsync(CoapFilterContext context, CoapHandler next) =>
            next(context.Request, context.CancellationToken);

        public ValueTask DisposeAsync()
        {
            office.Ended.Add(_number);
            return ValueTask.CompletedTask;
        }
    }
}
