using System.Collections.Concurrent;
using System.Globalization;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;
using CoAP.NET.Tests.Testing;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/server.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ServerTests : GuideTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("server.md", "Guides", 10);

    [Fact]
    public async Task The_server_example_binds_nothing_when_cancelled_before_the_start()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ServeAsync(new CancellationToken(canceled: true)));
    }

    [Fact]
    public async Task Groups_templates_and_answers_are_what_the_page_says()
    {
        CoapRouteGroup building = server.MapGroup("/building/{floor}").WithMaxBodySize(4096);
        building.MapGet("/temperature", request => CoapResults.Text($"floor {request.Route["floor"]}: 21.5"));
        building.MapPut("/lamp",
            request => request.GetText() is "on" or "off" ? CoapResults.Changed() : CoapResults.BadRequest("Say on or off."));
        building.MapGet("/files/{*path}", request => CoapResults.Text(request.Route["path"]));
        await StartAsync();
        await RunAsync(async () =>
        {
            await client.GetAsync("coap://[::1]/building/3/temperature").Says("floor 3: 21.5");
            await client.GetAsync("coap://[::1]/building/3/files/a/b.txt").Says("a/b.txt");
            await client.PutAsync("coap://[::1]/building/3/lamp", CoapContent.Text("off")).Gives(CoapCode.Changed);
            CoapResponse refused = await client.PutAsync("coap://[::1]/building/3/lamp", CoapContent.Text("perhaps"));
            Assert.Equal("4.00 Bad Request: Say on or off.", $"{refused.Code}: {refused.GetText()}");
            await client.PutAsync("coap://[::1]/building/3/lamp", CoapContent.Binary(new byte[5000])).Gives(CoapCode.RequestEntityTooLarge);
        });
    }

    [Fact]
    public async Task Requests_are_read_and_answers_have_options()
    {
        server.MapPost("/readings", request =>
        {
            int count = request.TryGetQuery("count", out string? text) ? int.Parse(text, CultureInfo.InvariantCulture) : 1;
            if (request.ContentFormat != CoapContentFormat.TextPlain)
            {
                return CoapResults.UnsupportedContentFormat();
            }

            return CoapResults.Created($"/readings/{count}").With(new MaxAgeOption(30));
        });
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapResponse created = await client.PostAsync("coap://[::1]/readings?count=7", CoapContent.Text("1 2 3"));
            Assert.Equal("/readings/7", created.Options.Location);
            Assert.Equal(TimeSpan.FromSeconds(30), created.MaxAge);
            await client.PostAsync("coap://[::1]/readings", CoapContent.Binary(new byte[3])).Gives(CoapCode.UnsupportedContentFormat);
        });
    }

    [Fact]
    public async Task A_write_with_an_outdated_ETag_gets_4_12()
    {
        string config = "a=1";
        ulong version = 1;
        server.Map("/config", [CoapMethod.Get, CoapMethod.Put], (CoapRequestContext request) =>
        {
            if (request.Method == CoapMethod.Get)
            {
                return CoapResults.ValidOr(request, CoapETag.FromVersion(version), () => CoapResults.Text(config));
            }

            if (request.CheckPreconditions(CoapETag.FromVersion(version)) is { } failed)
            {
                return failed;
            }

            (config, version) = (request.GetText(), version + 1);
            return CoapResults.Changed();
        }).WithExecution(CoapExecution.Serial());
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapResponse first = await client.GetAsync("coap://[::1]/config");
            ETagOption tag = first.Options.Get<ETagOption>()!;
            CoapRequest again = new(CoapMethod.Get, "coap://[::1]/config");
            again.Options.Add(tag);
            await client.SendAsync(again).Gives(CoapCode.Valid);

            CoapCode[] codes = new CoapCode[2];
            for (int i = 0; i < codes.Length; i++)
            {
                CoapRequest write = new(CoapMethod.Put, "coap://[::1]/config") { Content = CoapContent.Text("a=2") };
                write.Options.Add(new IfMatchOption(tag.Value.Span));
                codes[i] = (await client.SendAsync(write)).Code;
            }

            Assert.Equal([CoapCode.Changed, CoapCode.PreconditionFailed], codes);
            await client.GetAsync("coap://[::1]/config").Says("a=2");
        });
    }

    [Fact]
    public async Task A_handler_acknowledges_at_once()
    {
        TaskCompletionSource end = new();
        Task InstallAsync(ReadOnlyMemory<byte> image, CancellationToken ct) => image.IsEmpty ? Task.CompletedTask : end.Task.WaitAsync(ct);
        server.MapPost("/firmware", async (request, cancellationToken) =>
        {
            request.Acknowledge();
            await InstallAsync(request.Payload, cancellationToken);
            return CoapResults.Changed();
        });
        await StartAsync();
        Task<CoapResponse> post = client.PostAsync("coap://[::1]/firmware", CoapContent.Binary(new byte[100]));
        await Clock.AdvanceUntilAsync(Task.Delay(TimeSpan.FromSeconds(10), Clock), max: TimeSpan.FromMinutes(5));
        end.SetResult();
        await Clock.AdvanceUntilAsync(post, max: TimeSpan.FromMinutes(5)).Gives(CoapCode.Changed);
    }

    [Fact]
    public async Task A_serial_group_runs_one_request_at_a_time()
    {
        double level = 1;
        TaskCompletionSource<double> measured = new();
        Task<double> MeasureAsync(CancellationToken ct) => measured.Task.WaitAsync(ct);
        CoapRouteGroup tank = server.MapGroup("/tank").WithExecution(CoapExecution.Serial());
        tank.MapGet("/level", () => $"{level}");
        tank.MapPut("/level", async (CoapRequestContext request, CancellationToken ct) =>
        {
            level = await MeasureAsync(ct);
            return CoapResults.Changed();
        });
        await StartAsync();
        Task<CoapResponse> put = client.PutAsync("coap://[::1]/tank/level", CoapContent.Text("2"));
        await Clock.AdvanceUntilAsync(Task.Delay(TimeSpan.FromSeconds(3), Clock), max: TimeSpan.FromMinutes(5));
        Task<CoapResponse> get = client.GetAsync("coap://[::1]/tank/level");
        await Clock.AdvanceUntilAsync(Task.Delay(TimeSpan.FromSeconds(3), Clock), max: TimeSpan.FromMinutes(5));
        Assert.False(get.IsCompleted);
        measured.SetResult(2);
        await Clock.AdvanceUntilAsync(put, max: TimeSpan.FromMinutes(5)).Gives(CoapCode.Changed);
        await Clock.AdvanceUntilAsync(get, max: TimeSpan.FromMinutes(5)).Says("2");
    }

    [Fact]
    public async Task A_queued_group_limits_the_running_requests_of_all_its_routes_together()
    {
        ConcurrentQueue<string> read = new();
        TaskCompletionSource two = new(RunContinuationsAsynchronously);
        TaskCompletionSource end = new(RunContinuationsAsynchronously);
        async Task<CoapResult> ReadReportAsync(string name, CancellationToken ct)
        {
            read.Enqueue(name);
            if (read.Count == 2)
            {
                two.SetResult();
            }

            await end.Task.WaitAsync(ct);
            return name;
        }

        CoapRouteGroup reports = server.MapGroup("/reports").WithExecution(queued: 2);
        reports.MapGet("/daily", (CancellationToken ct) => ReadReportAsync("daily", ct));
        reports.MapGet("/archive/{name}", (string name, CancellationToken ct) => ReadReportAsync(name, ct));
        await StartAsync();
        Task<CoapResponse[]> answers = Task.WhenAll(
            new[] { "daily", "archive/a", "archive/b" }.Select(path => client.GetAsync($"coap://[::1]/reports/{path}")));
        await Clock.AdvanceUntilAsync(two.Task, max: TimeSpan.FromMinutes(5));
        await Clock.AdvanceUntilAsync(Task.Delay(TimeSpan.FromSeconds(3), Clock), max: TimeSpan.FromMinutes(5));
        Assert.Equal(["daily", "a"], read);
        end.SetResult();
        CoapResponse[] all = await Clock.AdvanceUntilAsync(answers, max: TimeSpan.FromMinutes(5));
        Assert.Equal(["daily", "a", "b"], all.Select(response => response.GetText()));
    }

    [Fact]
    public async Task A_class_can_be_mapped_as_a_resource()
    {
        server.Map(new Lamp { Observable = new(), ResourceTypes = ["light"], Title = "The lamp" });
        await StartAsync();
        await RunAsync(async () =>
        {
            await client.PutAsync("coap://[::1]/lamp", CoapContent.Text("on"));
            await client.GetAsync("coap://[::1]/lamp").Says("on");
            await client.DeleteAsync("coap://[::1]/lamp").Gives(CoapCode.MethodNotAllowed);
            CoapLink link = Assert.Single(await client.DiscoverAsync("coap://[::1]", "rt=light"));
            Assert.Equal(("/lamp", true, "The lamp"), (link.Target, link.IsObservable, link.Title));
        });
    }

    [Fact]
    public async Task An_exception_of_a_handler_is_not_disclosed_and_a_slow_handler_is_answered_separately()
    {
        TaskCompletionSource<CoapResult> late = new();
        server.MapGet("/fails", (Func<CoapRequestContext, CoapResult>)(_ => throw new InvalidOperationException("secret")));
        server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => late.Task);
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapResponse failed = await client.GetAsync("coap://[::1]/fails");
            Assert.Equal((CoapCode.InternalServerError, string.Empty), (failed.Code, failed.GetText()));
        });
        Task<CoapResponse> slow = client.GetAsync("coap://[::1]/slow");
        await Clock.AdvanceUntilAsync(Task.Delay(TimeSpan.FromSeconds(30), Clock), max: TimeSpan.FromMinutes(5));
        Assert.False(slow.IsCompleted);
        late.SetResult("done");
        await Clock.AdvanceUntilAsync(slow, max: TimeSpan.FromMinutes(5)).Says("done");
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.Retransmissions]);
    }

    [Fact]
    public async Task Endpoint_options_configure_limits_block_size_and_grace_period()
    {
        ILoggerFactory loggerFactory = NullLoggerFactory.Instance;
        CoapEndpointOptions options = new()
        {
            Limits = { Blockwise = { MaxRequestBodySize = 64 * 1024 }, Requests = { MaxServed = 500 } },
            Parameters = CoapTransmissionParameters.Default with { PreferredBlockSize = 512 },
            Processes = { StopGracePeriod = TimeSpan.FromSeconds(20) },
            LoggerFactory = loggerFactory,
        };
        await using CoapServer server = new(options);
        server.MapPut("/file", request => $"{request.Payload.Length}");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        CoapResponse taken = await client.PutAsync($"{server.LocalEndpoints[0]}file", CoapContent.Binary(new byte[2000]))
            .WaitAsync(TimeSpan.FromMinutes(2));
        taken.Says("2000");

        // Two blocks of 1,024 bytes would have been enough.
        Assert.True(server.Counters[CoapCounter.RequestsReceived] > 2);
    }

    private static async Task ServeAsync(CancellationToken cancellationToken)
    {
        await using CoapServer server = new();
        server.Listen("coap://[::]:5683");
        server.MapGet("/devices/{id}", request => $"device {request.Route["id"]}");
        await server.RunAsync(cancellationToken);
    }
}
