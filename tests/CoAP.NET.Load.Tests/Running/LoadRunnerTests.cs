using System.Net.Sockets;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Tests.Running;

/// <summary>Real clock: the load generator measures real time.</summary>
public sealed class LoadRunnerTests
{
    private static readonly TimeSpan s_hang = FromSeconds(240);

    [Fact]
    public async Task A_closed_loop_counts_the_requests_that_the_handler_got_from_the_configured_number_of_peers()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync();
            LoadResult result = await RunAsync(Plan(factor, server.Uri + "/hello") with { Peers = 20, Expected = "hello world!" });
            if (server.Peers.Count < 20)
            {
                return false;
            }

            Assert.Equal((server.Count, 0, 0), (result.Count, result.Lost, result.ErrorCount));
            Assert.Equal(20, server.Peers.Count);
            Assert.Equal(result.Count, result.Histogram().Count);
            Assert.Equal(result.Plan.Seconds, result.Seconds, tolerance: 1e-6);
            Assert.True(result.OwnProcessorSeconds >= 0);
            Assert.Null(result.ServerProcessorSeconds);
            return true;
        });
    }

    [Theory]
    [InlineData("coap://[::1]:0")]
    [InlineData("coap+tcp://127.0.0.1:0")]
    [InlineData("coap+tcp://[::1]:0")]
    public async Task Peers_are_distinguished_by_port_or_by_connection(string listen)
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync(listen);
            LoadResult result = await RunAsync(Plan(factor, server.Uri + "/hello") with { Peers = 5 });
            if (server.Peers.Count < 5)
            {
                return false;
            }

            Assert.Equal((server.Count, 0, 0), (result.Count, result.Lost, result.ErrorCount));
            Assert.Equal(5, server.Peers.Count);
            return true;
        });
    }

    [Fact]
    public async Task Each_peer_has_as_many_concurrent_requests_as_its_depth()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync();
            LoadResult result = await RunAsync(Plan(factor, server.Uri + "/hello") with { Peers = 2, Depth = 8 });
            if (server.Peers.Count < 2 || result.Count < 16)
            {
                return false;
            }

            Assert.Equal((server.Count, 2), (result.Count, server.Peers.Count));
            return true;
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_open_loop_sends_all_requests_that_are_due_within_the_time(bool poisson)
    {
        await using TestServer server = await TestServer.StartAsync();
        LoadPlan plan = Plan(server.Uri + "/hello") with
        {
            Loop = LoadPacing.Open,
            Rate = 300,
            Poisson = poisson,
            Peers = 3,
            Seed = 11,
            TimeoutSeconds = 30
        };
        ArrivalTimes arrivals = new(plan.Rate, 0, poisson, unchecked(plan.Seed * 31));
        int due = 0;
        for (; arrivals.Next < plan.Seconds; arrivals.MoveOn())
        {
            due++;
        }

        LoadResult result = await RunAsync(plan);
        Assert.Equal((due, 0, 0), (result.Count, result.Lost, result.ErrorCount));
        Assert.Equal(due, server.Count);
    }

    [Fact]
    public async Task Non_confirmable_requests_with_a_body_are_answered()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync();
            int size = 0;
            server.Asked = (request, _) => size = request.Confirmable ? -1 : request.Payload.Length;
            LoadResult result = await RunAsync(
                Plan(factor, server.Uri + "/stored") with { Method = "PUT", PayloadBytes = 100, Confirmable = false });
            if (result.Count == 0)
            {
                return false;
            }

            Assert.Equal((server.Count, 100), (result.Count, size));
            return true;
        });
    }

    [Theory]
    [InlineData("/nothing", null, "4.04")]
    [InlineData("/broken", null, "5.03")]
    [InlineData("/hello", "hello moon!", "wrong payload")]
    public async Task Wrong_responses_are_counted_as_errors_by_kind(string path, string? expected, string kind)
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync();
            LoadResult result = await RunAsync(Plan(factor, server.Uri + path) with { Expected = expected });
            if (result.Count + result.Lost + result.ErrorCount == 0)
            {
                return false;
            }

            Assert.Equal((0, 0), (result.Count, result.Lost));
            Assert.Equal([kind], result.Errors.Keys);
            Assert.True(result.ErrorCount > 0);
            return true;
        });
    }

    [Fact]
    public async Task An_unreachable_server_is_counted_as_an_error_by_kind()
    {
        await LongEnough.RunAsync(async factor =>
        {
            // Bound and not listening: nobody else gets the port meanwhile.
            using Socket nobody = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            nobody.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            LoadResult result = await RunAsync(Plan(factor, $"coap+tcp://{nobody.LocalEndPoint}/hello"));
            if (result.Count + result.Lost + result.ErrorCount == 0)
            {
                return false;
            }

            Assert.Equal((0, 0), (result.Count, result.Lost));
            Assert.Equal(["no connection"], result.Errors.Keys);
            return true;
        });
    }

    [Fact]
    public async Task An_unanswered_request_is_counted_as_lost()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using LossyServer server = new(index => index % 3 == 1);
            LoadResult result = await RunAsync(Plan(factor, server.Uri) with { Peers = 6, TimeoutSeconds = 4 });
            if (server.Answered + server.Dropped <= 6)
            {
                return false;
            }

            Assert.Equal((server.Answered, server.Dropped, 0), (result.Count, result.Lost, result.ErrorCount));
            Assert.InRange(result.Lost, 1, long.MaxValue);
            return true;
        });
    }

    [Fact]
    public async Task An_open_loop_with_a_silent_server_counts_all_due_requests_as_lost_including_unsent_ones()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using LossyServer server = new(_ => true);
            LoadPlan plan = Plan(server.Uri) with
            {
                Loop = LoadPacing.Open,
                Rate = 200,
                Peers = 2,
                TimeoutSeconds = 0.2 * factor,
                Seconds = 0.5 * factor
            };
            LoadResult result = await RunAsync(plan);
            Assert.Equal(0, result.Count);
            Assert.InRange(result.Lost, (100 * factor) - 1, (100 * factor) + 1);

            // Mostly a few: but what waited nearly its whole time is still sent for the rest of it, and on a slow machine that may be all.
            return server.Dropped >= 2;
        });
    }

    [Fact]
    public async Task A_cancelled_run_has_the_results_until_then()
    {
        await using TestServer server = await TestServer.StartAsync();
        using CancellationTokenSource end = new();
        server.Asked = (_, count) =>
        {
            if (count == 100)
            {
                end.Cancel();
            }
        };
        LoadResult result = await RunAsync(Plan(server.Uri + "/hello") with { Seconds = 3600 }, cancellationToken: end.Token);
        Assert.InRange(result.Count, 100 - 4, server.Count);
        Assert.Equal((0, 0), (result.Lost, result.ErrorCount));
        Assert.InRange(result.Seconds, 0, 3599);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_run_that_is_cancelled_during_the_warm_up_has_no_result(bool isOpen)
    {
        await using TestServer server = await TestServer.StartAsync();
        using CancellationTokenSource end = new();
        server.Asked = (_, count) =>
        {
            if (count == 10)
            {
                end.Cancel();
            }
        };
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            RunAsync(Plan(server.Uri + "/hello") with
            {
                Loop = isOpen ? LoadPacing.Open : LoadPacing.Closed,
                Rate = 1000,
                WarmUpSeconds = 3600
            }, cancellationToken: end.Token));
    }

    [Fact]
    public async Task The_processor_time_of_a_process_is_read_where_the_operating_system_provides_it()
    {
        await using TestServer server = await TestServer.StartAsync();
        LoadResult result = await RunAsync(Plan(server.Uri + "/hello") with { ServerProcess = Environment.ProcessId });
        if (OperatingSystem.IsLinux())
        {
            Assert.InRange(result.ServerProcessorSeconds!.Value, 0, 3600);
            Assert.InRange(result.ServerResidentBytes!.Value, 1 << 20, long.MaxValue);
        }
        else
        {
            Assert.Null(result.ServerProcessorSeconds);
        }
    }

    [Fact]
    public async Task An_invalid_plan_is_refused()
    {
        await Assert.ThrowsAsync<ArgumentException>(() => RunAsync(Plan("coap://127.0.0.1/x") with { Peers = 0 }));
        await Assert.ThrowsAsync<ArgumentException>(() => RunAsync(Plan("coap://[::1]/x") with { Peers = 10_001 }));
        await Assert.ThrowsAsync<CoapException>(() => RunAsync(Plan("coap://no-such-host.invalid/x")));
    }

    private static LoadPlan Plan(string uri) => Plan(1, uri);

    // Whoever is answered is answered long before the time-out: a busy machine loses nothing.
    private static LoadPlan Plan(double factor, string uri) =>
        new() { Uri = uri, Peers = 4, Seconds = 0.15 * factor, WarmUpSeconds = 0, RampSeconds = 0, TimeoutSeconds = 60 };

    private static Task<LoadResult> RunAsync(LoadPlan plan, CancellationToken cancellationToken = default) =>
        LoadRunner.RunAsync(plan, null, StartGate.Open, cancellationToken).WaitAsync(s_hang, CancellationToken.None);
}
