using CoAP.NET.Hosting.Server;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Hosting.Tests.Server;

/// <summary>Each request has services of its own, made when they are asked for.</summary>
public sealed class RequestServicesTests : HostTest
{
    private readonly TicketOffice _office = new();

    [Fact]
    public async Task The_services_of_a_request_are_shared_by_filter_and_handler_and_disposed_after_the_response()
    {
        TaskCompletionSource release = new(RunContinuationsAsynchronously);
        HostApplicationBuilder builder = WithTickets(out ICoapServerBuilder server);
        server.Routes.AddFilter(async (request, next, cancellationToken) =>
        {
            int number = request.Services!.GetRequiredService<Ticket>().Number;
            CoapResult result = await next(request, cancellationToken);
            Assert.DoesNotContain(number, _office.Ended);
            return result;
        });
        server.MapGet("/at-once",
            request => $"{request.Services!.GetRequiredService<Ticket>().Number} {request.Services!.GetRequiredService<Ticket>().Number}");
        server.MapGet("/later", async (request, _) =>
        {
            int number = request.Services!.GetRequiredService<Ticket>().Number;
            await release.Task;
            return CoapResults.Text($"{number} {request.Services!.GetRequiredService<Ticket>().Number}");
        });
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        await Within(client.GetAsync($"{AddressOf(host)}/at-once")).Says("1 1");
        Task<CoapResponse> later = client.GetAsync($"{AddressOf(host)}/later");
        Assert.Equal([1], _office.Ended);
        release.SetResult();
        await Within(later).Says("2 2");
        Assert.Equal([1, 2], _office.Ended.Order());
    }

    [Fact]
    public async Task The_services_of_a_request_are_disposed_when_its_handler_throws()
    {
        HostApplicationBuilder builder = WithTickets(out ICoapServerBuilder server);
        server.MapGet("/at-once",
            request => request.Services!.GetRequiredService<Ticket>().Number == 1 ? throw new InvalidOperationException() : "");
        server.MapGet("/later", async (request, cancellationToken) =>
        {
            _ = request.Services!.GetRequiredService<Ticket>();
            await Task.Yield();
            throw new InvalidOperationException();
        });
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        await Within(client.GetAsync($"{AddressOf(host)}/at-once")).Gives(CoapCode.InternalServerError);
        await Within(client.GetAsync($"{AddressOf(host)}/later")).Gives(CoapCode.InternalServerError);
        Assert.Equal([1, 2], _office.Ended.Order());
    }

    [Fact]
    public async Task Keyed_services_are_resolved_and_the_services_of_an_answered_request_are_disposed()
    {
        CoapRequestContext? kept = null;
        HostApplicationBuilder builder = WithTickets(out ICoapServerBuilder server);
        builder.Services.AddKeyedScoped<Ticket>("vip");
        server.MapGet("/", request =>
        {
            kept = request;
            return request.Services!.GetRequiredKeyedService<Ticket>("vip") == request.Services!.GetService<Ticket>() ? "same" : "two";
        });
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        await Within(client.GetAsync(AddressOf(host))).Says("two");
        ObjectDisposedException exception = Assert.Throws<ObjectDisposedException>(() => kept!.Services!.GetService<Ticket>());
        exception.Mentions("The request already has its answer");
    }

    [Fact]
    public async Task A_request_that_uses_no_service_creates_neither_a_scope_nor_a_task()
    {
        RequestScopes scopes = new();
        scopes.Attach(new NoServices());
        CoapRequestContext request = ReceivedRequest.Of(CoapMethod.Get);
        ValueTask<CoapResult> answer = scopes.ServeAsync(request, (_, _) => new ValueTask<CoapResult>(CoapResults.Changed()),
            CancellationToken.None);

        Assert.True(answer.IsCompletedSuccessfully);
        Assert.Same(CoapResults.Changed().GetType(), (await answer).GetType());
        Assert.NotNull(request.Services);
    }

    private HostApplicationBuilder WithTickets(out ICoapServerBuilder server)
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton(_office).AddScoped<Ticket>();
        server = builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        return builder;
    }

    private sealed class NoServices : IServiceProvider
    {
        public object? GetService(Type serviceType) => throw new InvalidOperationException($"{serviceType} was asked for.");
    }
}
