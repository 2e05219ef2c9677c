namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>
/// On which thread the times of handshakes and sessions are kept. What is due may be told to users, so it never happens on a thread of the
/// shared pool, where nobody sees what blocks.
/// </summary>
public sealed class DtlsEngineTimerTests
{
    // How often this thread read the time, and whether it was refused a thread.
    [ThreadStatic]
    private static int t_reads;

    [ThreadStatic]
    private static bool t_wasRefused;

    private readonly RecordedScheduler _scheduler = new();

    [Fact]
    public async Task The_engine_creates_no_timer_when_the_receive_loops_drive_its_clock()
    {
        OwnTimers time = new();
        (CoapServer server, CoapDtlsTransport transport) = Make(time, CoapSocketEngine.Auto);
        await using CoapServer disposed = server;
        await server.StartAsync();
        Assert.Equal(!transport.DrivesClock, time.Timers.Any(timer => timer.State is DtlsEngineTimer));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Work_due_at_a_system_timer_runs_on_a_thread_of_the_library(bool hasOtherDate)
    {
        TimeProvider time = hasOtherDate ? new OtherDate() : TimeProvider.System;
        (CoapServer server, CoapDtlsTransport transport) = Make(time, CoapSocketEngine.Portable);
        await using CoapServer disposed = server;
        await server.StartAsync();
        Assert.False(transport.DrivesClock);
        await _scheduler.Engine.WaitAsync(FromMinutes(2));
    }

    [Fact]
    public async Task Work_due_at_a_timer_of_a_custom_TimeProvider_runs_on_the_thread_of_the_timer()
    {
        OwnTimers time = new();
        (CoapServer server, _) = Make(time, CoapSocketEngine.Portable);
        await using CoapServer disposed = server;
        await server.StartAsync();
        OwnTimer timer = Assert.Single(time.Timers, timer => timer.State is DtlsEngineTimer);
        t_reads = 0;
        timer.Fire();

        // Once to see whether anything is due, and again by what does it.
        Assert.InRange(t_reads, 2, int.MaxValue);
        Assert.False(_scheduler.Engine.IsCompleted);
    }

    [Fact]
    public async Task Work_due_at_a_system_timer_runs_on_the_timer_thread_when_no_other_thread_is_available()
    {
        OtherDate time = new();
        _scheduler.Refuses = true;
        (CoapServer server, _) = Make(time, CoapSocketEngine.Portable);
        await using CoapServer disposed = server;
        await server.StartAsync();
        await time.ReadByRefused.WaitAsync(FromMinutes(2));
    }

    [Theory]
    [InlineData(CoapSocketEngine.Auto)]
    [InlineData(CoapSocketEngine.Portable)]
    public async Task A_client_with_silent_sessions_does_not_poll(CoapSocketEngine engine)
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapDtlsTransport transport = new(
            new CoapDtlsOptions
            {
                Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(SecureEndpoints.Identity, SecureEndpoints.Key) }
            },
            new CoapUdpTransportOptions { Engine = engine });
        await using CoapEndpoint endpoint = new();
        endpoint.AddTransport(transport);
        CoapClient client = new(endpoint);
        await client.GetAsync($"{secure.Host}/hello");
        DtlsEngineTimer clock = transport.Engine!.Clock;

        // Nothing is due before the session was silent for a day; a handshake that has ended is noticed by the next look.
        await Eventually.IsTrueAsync(() => clock.Tick() > FromHours(23));
        long looks = clock.Looks;
        await client.GetAsync($"{secure.Host}/hello");

        Assert.True(clock.Tick() > FromHours(23));
        Assert.Equal(looks, clock.Looks);
    }

    private (CoapServer Server, CoapDtlsTransport Transport) Make(TimeProvider time, CoapSocketEngine engine)
    {
        CoapServer server = new(new CoapEndpointOptions { TimeProvider = time, Pipeline = { Scheduler = _scheduler } });
        CoapDtlsTransport transport = new(
            new CoapDtlsOptions
            {
                Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { "device-1", SecureEndpoints.Key } } }
            },
            new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) }, Engine = engine });
        server.Endpoint.AddTransport(transport);
        return (server, transport);
    }

    private sealed class RecordedScheduler : CoapThreadScheduler
    {
        private readonly TaskCompletionSource _engine = new(RunContinuationsAsynchronously);

        public bool Refuses { get; set; }

        /// <summary>Work of an engine was given.</summary>
        public Task Engine => _engine.Task;

        public override bool Queue(Action<object?> work, object? state)
        {
            if (state is not DtlsEngineTimer)
            {
                return Default.Queue(work, state);
            }

            t_wasRefused = Refuses;
            _engine.TrySetResult();
            return !Refuses && Default.Queue(work, state);
        }
    }

    // The timers of the system, by another calendar.
    private sealed class OtherDate : TimeProvider
    {
        private readonly TaskCompletionSource _read = new(RunContinuationsAsynchronously);

        /// <summary>A thread that was refused another one went on itself.</summary>
        public Task ReadByRefused => _read.Task;

        public override DateTimeOffset GetUtcNow() => base.GetUtcNow().AddDays(1);

        public override long GetTimestamp()
        {
            if (t_wasRefused)
            {
                _read.TrySetResult();
            }

            return base.GetTimestamp();
        }
    }

    private sealed class OwnTimers : TimeProvider
    {
        public ConcurrentQueue<OwnTimer> Timers { get; } = [];

        public override long GetTimestamp()
        {
            t_reads++;
            return base.GetTimestamp();
        }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            OwnTimer timer = new(callback, state);
            Timers.Enqueue(timer);
            return timer;
        }
    }

    private sealed class OwnTimer(TimerCallback callback, object? state) : ITimer
    {
        public object? State => state;

        public void Fire() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
