using System.Threading.Tasks.Dataflow;
using CoAP.NET.Hosting.Server;

namespace CoAP.NET.Hosting.Tests.Server;

/// <summary>What becomes of an application whose server gives up.</summary>
public sealed class FailureTests : HostTest
{
    private readonly List<BufferBlock<CoapInbound>> _blocks = [];

    [Fact]
    public async Task A_failed_server_stops_the_application_with_an_error()
    {
        IHost host = await StartAsync(WithBlock());
        TaskCompletionSource stopping = new(RunContinuationsAsynchronously);
        host.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.Register(stopping.SetResult);

        ((IDataflowBlock)_blocks[0]).Fault(new InvalidDataException("broken block"));
        await Within(stopping.Task);

        Exception exception = await Assert.ThrowsAnyAsync<Exception>(() => Within(host.StopAsync()));
        exception.Mentions("The CoAP server failed, and the application stopped because of it.");
        Assert.Contains(Logged.Entries, entry => entry is { Level: LogLevel.Critical, Id: 1800 });
    }

    [Fact]
    public async Task An_application_may_continue_without_its_failed_server()
    {
        IHost host = await StartAsync(WithBlock(("Coap:Server:StopApplicationOnFailure", "false")));
        ((IDataflowBlock)_blocks[0]).Fault(new InvalidDataException("broken block"));
        await Within(Logged.Saw(1801));

        Assert.False(host.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.IsCancellationRequested);
        await Within(host.StopAsync());
    }

    [Fact]
    public async Task A_failed_start_is_logged_on_a_single_line_with_the_reason()
    {
        HostApplicationBuilder first = Builder();
        first.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        string taken = AddressOf(await StartAsync(first));
        HostApplicationBuilder second = Builder();
        second.Services.AddCoapServer(options => options.Listen(taken));
        IHost host = Build(second);

        await Assert.ThrowsAsync<CoapBindException>(() => Within(host.StartAsync()));

        (LogLevel level, _, string text) = Assert.Single(Logged.Entries, entry => entry.Id == 1815);
        Assert.Equal(LogLevel.Critical, level);
        text.Begins("The CoAP server cannot start (Coap:Server:Endpoints). ");
        text.Ends(" The application does not start.");
    }

    [Fact]
    public async Task A_preparation_of_the_start_runs_before_the_server_listens_and_may_refuse_the_start()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        IHost host = Build(builder);
        CoapServer server = host.Services.GetRequiredService<CoapServer>();
        List<int> listening = [];
        Assert.True(HostedServerLookup.TryPrepareStart(host.Services, server, _ =>
        {
            listening.Add(server.LocalEndpoints.Count);
            return Task.CompletedTask;
        }));
        Assert.True(HostedServerLookup.TryPrepareStart(host.Services, server, _ => throw new InvalidDataException("not so")));

        Assert.Equal("not so", (await Assert.ThrowsAsync<InvalidDataException>(() => Within(host.StartAsync()))).Message);
        Assert.Equal([0], listening);
        Assert.Empty(server.LocalEndpoints);
    }

    [Fact]
    public async Task A_preparation_is_refused_for_a_started_server_and_for_a_server_without_a_host()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        IHost host = await StartAsync(builder);
        await using CoapServer other = new();

        Assert.False(HostedServerLookup.TryPrepareStart(host.Services, host.Services.GetRequiredService<CoapServer>(),
            _ => Task.CompletedTask));
        Assert.False(HostedServerLookup.TryPrepareStart(host.Services, other, _ => Task.CompletedTask));
    }

    private HostApplicationBuilder WithBlock(params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Builder(settings);
        builder.Services.AddCoapServer(options =>
        {
            options.Listen("coap://127.0.0.1:0");
            options.Endpoint.Pipeline.Insert(CoapStageLinks.SerializerToMessaging, () =>
            {
                _blocks.Add(new BufferBlock<CoapInbound>());
                return _blocks[^1];
            });
        });
        return builder;
    }
}
