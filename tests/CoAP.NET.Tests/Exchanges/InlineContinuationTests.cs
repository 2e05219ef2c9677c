using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>
/// Where what users do after a response runs, over real sockets. The clock of the client stands still, so that what is decided for a while
/// holds.
/// </summary>
public sealed class InlineContinuationTests : IAsyncLifetime
{
    private const int Tries = 5000;
    private readonly CoapServer _server = new();
    private readonly VirtualClock _clock = new();
    private readonly CoapClient _client;

    public InlineContinuationTests() =>
        _client = new CoapClient(
            new CoapEndpointOptions { TimeProvider = _clock, Parameters = new CoapTransmissionParameters { NStart = 1000 } });

    public async ValueTask InitializeAsync()
    {
        _server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0").MapGet("/x", static () => CoapResults.Text("x"));
        await _server.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Theory]
    [InlineData("coap://")]
    [InlineData("coap+tcp://")]
    public async Task A_short_continuation_runs_on_the_receiving_thread(string scheme)
    {
        string uri = UriOf(scheme);
        Assert.True(await AnyAsync(async () =>
        {
            ComeBack();
            await _client.GetAsync(uri).ConfigureAwait(false);
            return IsOurThread;
        }));
    }

    [Fact]
    public async Task A_blocking_continuation_delays_no_other_request_and_moves_later_continuations_to_the_pool()
    {
        string uri = UriOf("coap://");
        using ManualResetEventSlim release = new();
        TaskCompletionSource blocked = new(RunContinuationsAsynchronously);
        List<Task> stuck = [];
        while (!blocked.Task.IsCompleted)
        {
            // Until one of them is really on the receiving thread.
            ComeBack();
            stuck.Add(BlockAsync());
            await Within(Task.WhenAny(blocked.Task, stuck[^1]));
        }

        async Task BlockAsync()
        {
            await _client.GetAsync(uri).ConfigureAwait(false);
            if (IsOurThread && blocked.TrySetResult())
            {
                release.Wait(FromMinutes(2));
            }
        }

        for (int i = 0; i < 100; i++)
        {
            Assert.False(await Within(IsOursAfterAsync(uri)));
        }

        release.Set();
        await Within(Task.WhenAll(stuck));
        Assert.InRange(_client.Endpoint.Counters[CoapCounter.HandOvers], 1, long.MaxValue);
    }

    [Fact]
    public async Task Long_running_continuations_are_moved_to_the_pool()
    {
        string uri = UriOf("coap://");
        int ours = 0;
        Assert.True(await AnyAsync(async () =>
        {
            await _client.GetAsync(uri).ConfigureAwait(false);
            ours += IsOurThread ? 1 : 0;
            long begun = TimeProvider.System.GetTimestamp();
            while (TimeProvider.System.GetElapsedTime(begun) < FromMicroseconds(150))
            {
                Thread.SpinWait(10);
            }

            if (ours > 200 && AreAside)
            {
                return true;
            }

            // The first ones are compiled, and may take so long that the loop hands over.
            ComeBack();
            return false;
        }));
        for (int i = 0; i < 100; i++)
        {
            Assert.False(await Within(IsOursAfterAsync(uri)));
        }
    }

    [Fact]
    public async Task A_continuation_does_not_run_inside_the_call_that_cancels()
    {
        using CancellationTokenSource cancellation = new();
        TaskCompletionSource<int> thread = new(RunContinuationsAsynchronously);
        bool isWithin = true;
        int us = Environment.CurrentManagedThreadId;
        Task waiting = WaitAsync();

        // While this thread waited for another one that cancels, it could run anything.
#pragma warning disable CA1849
        cancellation.Cancel();
#pragma warning restore CA1849
        isWithin = false;
        Assert.NotEqual(-1, await Within(thread.Task));
        await Within(waiting);

        async Task WaitAsync()
        {
            try
            {
                // Nobody listens to UDP there who would answer in CoAP, nor is anything reported.
                using System.Net.Sockets.Socket silent = new(System.Net.Sockets.AddressFamily.InterNetwork,
                    System.Net.Sockets.SocketType.Dgram, System.Net.Sockets.ProtocolType.Udp);
                silent.Bind(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));
                await _client.GetAsync($"coap://127.0.0.1:{((System.Net.IPEndPoint)silent.LocalEndPoint!).Port}/x", cancellation.Token)
                    .ConfigureAwait(false);
            }
            catch (OperationCanceledException exception)
            {
                Assert.Equal(cancellation.Token, exception.CancellationToken);
                thread.TrySetResult(isWithin && Environment.CurrentManagedThreadId == us ? -1 : Environment.CurrentManagedThreadId);
            }
        }
    }

    private bool AreAside => _client.Endpoint.Pipelines.Any(static pipeline => pipeline.Exchanges.Continuations.AreAside);

    // A thread that was kept off its processor looks as if a continuation had blocked it: then they go to the pool, on this clock for ever.
    private void ComeBack()
    {
        if (AreAside)
        {
            _clock.Advance(FromMinutes(2));
        }
    }

    private async Task<bool> IsOursAfterAsync(string uri)
    {
        Assert.Equal("x", (await _client.GetAsync(uri).ConfigureAwait(false)).GetText());
        return IsOurThread;
    }

    private static bool IsOurThread => !Thread.CurrentThread.IsThreadPoolThread && Thread.CurrentThread.Name == "CoAP.NET";

    private string UriOf(string scheme) => _server.LocalEndpoints.Single(uri => $"{uri.Scheme}://" == scheme) + "x";

    // A response may be there before anybody waits for it.
    private static async Task<bool> AnyAsync(Func<Task<bool>> isSo)
    {
        for (int i = 0; i < Tries; i++)
        {
            if (await Within(isSo()))
            {
                return true;
            }
        }

        return false;
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));

    private static Task Within(Task task) => task.WaitAsync(FromMinutes(2));
}
